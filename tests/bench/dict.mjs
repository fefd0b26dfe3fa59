// Dictionaries of every layout: the article's table, with what is resident and read, in Node and in a tab, and very many of
// them under one budget. `npm run bench -- dict [node|tab|many]... [--n 1e3,1e4] [--layout all] [--hit 1,0.5,0]`

import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildVariant } from "../../web/build/wasm.mjs";
import { CACHE } from "./corpus.mjs";
import { LAYOUTS } from "./dict/layouts.js";

const PARTS = ["node", "tab", "many"];
export const OPTIONS = ["n", "layout", "hit"];

/** The module is no part of the package: it is compiled for the benchmark. */
const MODULE = join(CACHE, "dictionary");

export async function bench(figures, { parts, options, say }) {
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
  const counts = (options.n ?? "1e3,1e4,1e5,1e6").split(",").map(Number);
  const hits = (options.hit ?? "1,0.5,0").split(",").map(Number);
  const { layout = "all" } = options;
  const layouts = layout === "all" ? LAYOUTS : layout.split(",");
  const wrong = layouts.filter((name) => !LAYOUTS.includes(name));
  if (wrong.length > 0) throw new Error(`no such layout: ${wrong.join(", ")}; there are ${LAYOUTS.join(", ")}`);
  if (!counts.every((count) => count >= 1) || !hits.every((hit) => hit >= 0 && hit <= 1)) throw new Error("n is a count of strings, hit from 0 to 1");
  say("compiling the module");
  await buildVariant("dictionary", [], MODULE);
  if (!existsSync(join(MODULE, "dictionary_bg.wasm"))) throw new Error("the module was not compiled");
  for (const part of parts.length > 0 ? parts : PARTS) {
    const { bench: run } = await import(`./dict/${part}.mjs`);
    await run(figures, { module: MODULE, counts, hits, layouts, say });
  }
}
