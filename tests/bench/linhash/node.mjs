// The seed's tables in Node, on a file that is flushed to the disk at each commit.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "../corpus.mjs";
import { runCell } from "./cells.js";
import { ours } from "./ours.js";
import { map } from "./platform.js";
import { tables } from "./tables.mjs";

const LIBRARY = new URL("../../../dist/lib/", import.meta.url);

async function library() {
  const load = (name) => import(new URL(name, LIBRARY).href);
  const { default: init, PageStore } = await load("wasm/store.js");
  await init({ module_or_path: readFileSync(new URL("wasm/store_bg.wasm", LIBRARY)) });
  const { Pages, run, runNow } = await load("store/pages.js");
  const { nodeStorage } = await load("store/nodefile.js");
  return { PageStore, Pages, run, runNow, nodeStorage };
}

export async function bench(figures, { say }) {
  const found = await library();
  // Not among the system's temporary files: those may be kept in memory.
  mkdirSync(CACHE, { recursive: true });
  const run = async (cell) => {
    const folder = mkdtempSync(join(CACHE, "linhash-"));
    try {
      return await runCell(ours(found, () => found.nodeStorage(folder)), cell);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  await tables(figures, "node", run, say, async (cell) => runCell(await map(), cell));
}
