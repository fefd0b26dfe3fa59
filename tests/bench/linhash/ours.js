// Our store as one contestant of the benchmark, the same in Node and in a page's worker: `library` has what the package
// has, `openStorage` opens the place where the pages are kept, the same one each time.

import { isValue } from "./entries.js";

/** 16 MiB. The peers get as much. */
export const CACHE_PAGES = 4_096;
/** Too few for anything to be found in them again. */
export const NO_CACHE_PAGES = 16;

/** What crosses to the engine and back at once. */
const ENTRIES_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 1 << 20;

export function ours({ PageStore, Pages, run, runNow }, openStorage) {
  let storage;
  let pages;
  const pagesMoved = { read: 0, written: 0, superblocks: 0 };

  /** Counts what goes in and out. */
  const counted = (inner) => ({
    ...inner,
    read: (wanted) => {
      pagesMoved.read += wanted.length;
      return inner.read(wanted);
    },
    readPage: (page, into) => {
      pagesMoved.read += 1;
      return inner.readPage(page, into);
    },
    write: (batch) => {
      pagesMoved.written += batch.pages.length;
      if (batch.superblock) pagesMoved.superblocks += 1;
      inner.write(batch);
    },
  });

  // Not at once: a browser opens the files of long loads while one waits.
  const commit = () => run(pages.commit(), storage);

  return {
    pagesMoved,
    async open({ cachePages = CACHE_PAGES, expected } = {}) {
      storage = counted(await openStorage());
      pages = await run(Pages.opening(PageStore, { cacheBytes: cachePages * 4096, ...(expected && { expected }) }), storage);
    },
    /** Durable after each `batch` entries. */
    async load(set, batch = Infinity) {
      const atOnce = Math.min(batch, ENTRIES_AT_ONCE, Math.ceil(BYTES_AT_ONCE / set.valueBytes));
      let uncommitted = 0;
      for (let from = 0; from < set.count; from += atOnce) {
        const part = [];
        for (let n = from; n < Math.min(from + atOnce, set.count); n++) part.push([set.keys[n], set.value(n)]);
        await run(pages.putMany(part), storage);
        uncommitted += part.length;
        if (uncommitted + atOnce <= batch) continue;
        await commit();
        uncommitted = 0;
      }
      if (uncommitted > 0) await commit();
      // What the log put off is part of the work.
      if (!pages.isSettled) await run(pages.settle(), storage);
    },
    /** How many of these entries are not what was put. `asked` may have their keys, in that order. */
    get(set, order, asked) {
      let wrong = 0;
      for (let at = 0; at < order.length; at++) {
        const n = order[at];
        if (!isValue(pages.getNow(asked ? asked[at] : set.keys[n], storage), n, set)) wrong += 1;
      }
      return wrong;
    },
    /** The same, into the same bytes again and again. */
    getInto(set, order) {
      const into = new Uint8Array(set.valueBytes);
      let wrong = 0;
      for (const n of order) {
        if (pages.getIntoNow(set.keys[n], into, storage) !== set.valueBytes || !isValue(into, n, set)) wrong += 1;
      }
      return wrong;
    },
    getTogether(set, order) {
      let wrong = 0;
      const atOnce = Math.min(ENTRIES_AT_ONCE, Math.ceil(BYTES_AT_ONCE / set.valueBytes));
      for (let from = 0; from < order.length; from += atOnce) {
        const part = Array.from(order.subarray(from, from + atOnce));
        const values = runNow(pages.getMany(part.map((n) => set.keys[n])), storage);
        values.forEach((value, at) => (wrong += isValue(value, part[at], set) ? 0 : 1));
      }
      return wrong;
    },
    close() {
      pages.free();
      storage.close();
    },
  };
}
