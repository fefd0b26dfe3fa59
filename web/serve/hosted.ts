/** The files of replay addresses, told in which layout they are served and for which viewer. */
import { readFile } from "node:fs/promises";
import type { Layout } from "../replay/policy.js";

export interface Hosting {
  readonly layout: Layout;
  /** The origin of the viewer; "" for the one that is one label up. */
  readonly viewer: string;
}

/** As the build left it: web/build/replay.mjs. */
const unhosted = JSON.stringify({ layout: "labels", viewer: "" });
/** In the pipe the boot page is a text. */
const within = (text: string): string => JSON.stringify(text).slice(1, -1);

export async function replayFile(name: "sw.js" | "boot.html", hosting: Hosting): Promise<string> {
  const text = await readFile(new URL(`../replay/${name}`, import.meta.url), "utf8");
  const told = JSON.stringify(hosting);
  return text.replaceAll(unhosted, () => told).replaceAll(within(unhosted), () => within(told));
}
