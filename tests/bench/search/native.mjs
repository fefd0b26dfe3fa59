// tantivy, as a program: the limit. It is built on demand, outside of our workspace.

import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CACHE } from "../corpus.mjs";
import { page, queries } from "./pages.js";

const PROJECT = fileURLToPath(new URL("./tantivy/", import.meta.url));
const TARGET = join(CACHE, "tantivy");

/** The program, or undefined where it cannot be built. */
function program(say) {
  say("building tantivy, some minutes the first time");
  const { status } = spawnSync("cargo", ["build", "--release", "--quiet", "--target-dir", TARGET], { cwd: PROJECT, stdio: ["ignore", "ignore", "inherit"] });
  return status === 0 ? join(TARGET, "release", "stackroom-bench-tantivy") : undefined;
}

/** Its figures, in the shape of those of the tab. */
export function natively({ count, say }) {
  const path = program(say);
  if (!path) return void say("tantivy cannot be built here");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "search-"));
  try {
    const pages = join(folder, "pages");
    const file = openSync(pages, "w");
    for (let n = 0; n < count; n++) writeSync(file, `${JSON.stringify(page(n))}\n`);
    closeSync(file);
    const asked = Object.entries(queries).flatMap(([kind, all]) => all.map((words) => JSON.stringify([kind, words])));
    writeFileSync(join(folder, "queries"), asked.join("\n"));
    const { status, stdout } = spawnSync(path, [pages, join(folder, "queries"), join(folder, "index")], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 24 });
    if (status !== 0) return void say("tantivy failed");
    const { textBytes, cpuSeconds, indexBytes, queries: found } = JSON.parse(stdout);
    const each = Object.entries(found).map(([kind, { us, hits }]) => [kind, { wallUs: us, hits }]);
    return { textBytes, cpuMs: cpuSeconds * 1000, wallMs: cpuSeconds * 1000, bytes: indexBytes, found: Object.fromEntries(each) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
