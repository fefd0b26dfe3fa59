// Programs that we are compared with. Those under copyleft licences are fetched here, on demand, into an ignored folder,
// and run as they are behind their own pages: never a dependency, never imported, never bundled.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./corpus.mjs";

export const REPLAYWEBPAGE = "replaywebpage@2.5.3";

/** Fetches a package as published, without its dependencies and without running anything of it. */
export function fetchPackage(spec) {
  const folder = join(CACHE, "peers", spec.replace(/[^\w.@-]/g, "_"));
  if (existsSync(join(folder, "package/package.json"))) return join(folder, "package");
  process.stderr.write(`bench: fetching ${spec}\n`);
  mkdirSync(folder, { recursive: true });
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const packed = spawnSync(npm, ["pack", "--silent", spec], { cwd: folder, encoding: "utf8", shell: process.platform === "win32" });
  const name = packed.stdout?.trim().split("\n").at(-1);
  if (packed.status !== 0 || !name) return undefined;
  const unpacked = spawnSync("tar", ["-xzf", name], { cwd: folder });
  return unpacked.status === 0 ? join(folder, "package") : undefined;
}

/** Folder of ReplayWeb.page's own app, or undefined when it cannot be had (no network). */
export function replayWebPage() {
  return fetchPackage(REPLAYWEBPAGE);
}

export const SQLITE_WASM = "@sqlite.org/sqlite-wasm@3.53.4-build2";
export const WA_SQLITE = "wa-sqlite@1.0.0";

/** Folder of SQLite's own build for browsers, or undefined when it cannot be had. */
export function sqliteWasm() {
  return fetchPackage(SQLITE_WASM);
}

export function waSqlite() {
  return fetchPackage(WA_SQLITE);
}

export const MINISEARCH = "minisearch@7.2.0";
export const FLEXSEARCH = "flexsearch@0.8.212";
export const ORAMA = "@orama/orama@3.1.18";

/** Folders of search engines in JavaScript by name; those that cannot be had are left out. */
export function searchEngines() {
  const folders = { minisearch: fetchPackage(MINISEARCH), flexsearch: fetchPackage(FLEXSEARCH), orama: fetchPackage(ORAMA) };
  return Object.fromEntries(Object.entries(folders).filter(([, folder]) => folder));
}
