// Search engines in a worker of a tab, one after another, each with nothing kept yet.

import { fileURLToPath } from "node:url";
import { withWorker } from "../linhash/page.mjs";
import { FLEXSEARCH, MINISEARCH, ORAMA, searchEngines, SQLITE_WASM, sqliteWasm } from "../peers.mjs";

/** How they are called, the folder that each needs, and the most pages that each takes in minutes. */
const ENGINES = {
  ours: { name: "Stackroom" },
  fts5: { name: `FTS5 without text, ${SQLITE_WASM}`, folder: "sqlite" },
  fts5content: { name: `FTS5 with text, ${SQLITE_WASM}`, folder: "sqlite" },
  minisearch: { name: MINISEARCH, folder: "minisearch" },
  flexsearch: { name: FLEXSEARCH, folder: "flexsearch" },
  orama: { name: ORAMA, folder: "orama", most: 2_000 },
};

export const engineNames = Object.keys(ENGINES);

/** The figures of each engine at a count of pages, of so many words each, as `tell` takes them. */
export async function inTab({ count, words, engines, say }, tell) {
  const sqlite = sqliteWasm();
  const folders = { search: fileURLToPath(new URL("./", import.meta.url)), ...(sqlite && { sqlite }), ...searchEngines() };
  const use = async (inWorker) => {
    for (const engine of engines) {
      const { name, folder, most = Infinity } = ENGINES[engine];
      if (folder && !folders[folder]) say(`${name} cannot be had`);
      else if (count > most) say(`${name} takes too long for ${count} pages`);
      else tell(name, await inWorker({ engine, count, words }));
    }
  };
  await withWorker(use, folders, "/search/worker.js");
}
