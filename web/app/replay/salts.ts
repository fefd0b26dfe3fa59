/** The secret of each archive's replay origins: the same from visit to visit, so that they need not be set up anew. */
import { newSalt } from "stackroom/replay";

import type { Source } from "../state.js";

const name = "stackroom.replay";
const archivesMax = 60;

/** Where the browser keeps nothing, a new one each time. */
export function saltOf(source: Source): string {
  const key = source instanceof URL ? source.href : source.map(({ name: file, source: { size, lastModified } }) => `${file} ${size} ${lastModified}`).slice(0, 8).join("\n");
  try {
    const known = (JSON.parse(localStorage.getItem(name) ?? "[]") as [string, string][]).filter((entry) => Array.isArray(entry));
    const salt = known.find(([one]) => one === key)?.[1] ?? newSalt();
    localStorage.setItem(name, JSON.stringify([[key, salt], ...known.filter(([one]) => one !== key)].slice(0, archivesMax)));
    return /^[a-z2-7]{6}$/.test(salt) ? salt : newSalt();
  } catch {
    return newSalt();
  }
}
