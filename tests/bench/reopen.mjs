// Archives of a hundred thousand and a million records, in Node, in files: read for the first time, and opened again from
// what is kept of them. `npm run bench -- reopen [THOUSANDS...]`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeMillion } from "../fixtures/million.mjs";
import { CACHE } from "./corpus.mjs";

const LIBRARY = new URL("../../dist/lib/", import.meta.url);
const THOUSANDS = [100, 1000];
const ROWS_AT_ONCE = 4_000;
const TIMES = 5;

const load = (name) => import(new URL(name, LIBRARY).href);

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** What something takes, the best of several times. */
async function least(times, work) {
  let [best, last] = [Infinity, undefined];
  for (let n = 0; n < times; n++) {
    await last?.close();
    const before = cpuSeconds();
    last = await work();
    await last.indexed;
    best = Math.min(best, cpuSeconds() - before);
  }
  return { archive: last, seconds: best };
}

export async function bench(figures, { parts, say }) {
  const thousands = parts.length > 0 ? parts.map(Number) : THOUSANDS;
  if (!thousands.every((many) => many > 0)) throw new Error("how many thousands of records? [100 1000]");
  const { openArchive, reopenArchive } = await load("node.js");
  const { default: init, KeptIndex } = await load("wasm/store.js");
  await init({ module_or_path: readFileSync(new URL("wasm/store_bg.wasm", LIBRARY)) });
  const [{ ArchiveIndex }, { divided }, { nodeStorage }] = [await load("library/archiveindex.js"), await load("library/files.js"), await load("store/nodefile.js")];
  mkdirSync(CACHE, { recursive: true });
  for (const many of thousands) {
    const name = `${many} thousand records`;
    say(name);
    const folder = mkdtempSync(join(CACHE, "reopen-"));
    try {
      const path = join(folder, "archive.warc.gz");
      writeMillion(path, many * 1000);
      const first = await least(1, () => openArchive(path, { isForKeeping: true }));
      const shelf = divided(nodeStorage(join(folder, "kept"))).shelf(1);
      const growing = await ArchiveIndex.open(KeptIndex, shelf);
      for await (const rows of first.archive.keyedRows(0, ROWS_AT_ONCE)) if (await growing.add(rows)) await growing.keep();
      const { manifest } = await growing.keep({ isWhole: true });
      const state = await first.archive.keptState();
      await Promise.all([first.archive.close(), growing.close()]);
      const again = await least(TIMES, async () => {
        const index = await ArchiveIndex.open(KeptIndex, shelf, { manifest });
        const rows = async function* () {
          for (let from = 0; from < index.count; from += ROWS_AT_ONCE) yield await index.storedRows(from, ROWS_AT_ONCE);
        };
        return reopenArchive(path, { state, rows });
      });
      if (again.archive.progress.records !== many * 1000) throw new Error(`${again.archive.progress.records} records came back`);
      await again.archive.close();
      figures.add(name, "opened again", again.seconds, "s CPU", { peer: "read for the first time", ratio: first.seconds / again.seconds });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
