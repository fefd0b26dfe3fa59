/**
 * Stamps: a step is skipped when a digest of its inputs equals the one that it left behind and its outputs are there.
 * Contents are hashed, not times: a fresh checkout and a touched file cost nothing.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, stamps } from "./place.mjs";

/** Every file below the given paths (relative to the root), sorted; absent paths have none. */
export function filesBelow(paths) {
  const found = [];
  const visit = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (!statSync(full).isDirectory()) return void found.push(path);
    for (const name of readdirSync(full)) visit(`${path}/${name}`);
  };
  paths.forEach(visit);
  return found.sort();
}

/** One digest of the contents and names of everything below the paths, and of the facts that matter besides. */
export function digest(paths, ...facts) {
  const hash = createHash("sha256");
  for (const fact of facts) hash.update(`${fact}\n`);
  for (const path of filesBelow(paths)) {
    hash.update(`${path}\0`).update(createHash("sha256").update(readFileSync(join(root, path))).digest());
  }
  return hash.digest("hex");
}

const file = (name) => join(stamps, `${name}.stamp`);

export function isFresh(name, expected, outputs) {
  return outputs.every((path) => existsSync(join(root, path))) &&
    existsSync(file(name)) && readFileSync(file(name), "utf8") === expected;
}

export function leaveStamp(name, made) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(file(name), made);
}

/** For who writes outputs past the build, such as a watching compiler. */
export const forgetStamp = (name) => rmSync(file(name), { force: true });
