// Our store as one contestant of the benchmark, the same in Node and in a page's worker: `library` has what the package
// has, `openStorage` opens the place where the pages are kept, the same one each time.

import { isValue } from "./entries.js";

/** 16 MiB. The peers get as much. */
export const CACHE_PAGES = 4_096;
/** Too few for anything to be found in them again. */
export const NO_CACHE_PAGES = 16;

export function ours({ PageStore, Pages, runNow }, openStorage) {
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
    write: (batch) => {
      pagesMoved.written += batch.pages.length;
      if (batch.superblock) pagesMoved.superblocks += 1;
      inner.write(batch);
    },
  });

  const commit = () => runNow(pages.commit(), storage);

  return {
    pagesMoved,
    async open({ cachePages = CACHE_PAGES, expected } = {}) {
      storage = counted(await openStorage());
      pages = runNow(Pages.opening(PageStore, { cachePages, ...(expected && { expected }) }), storage);
    },
    /** Durable after each `batch` entries. */
    load(set, batch = Infinity) {
      for (let n = 0; n < set.count; n++) {
        runNow(pages.put(set.keys[n], set.value(n)), storage);
        if ((n + 1) % batch === 0) commit();
      }
      if (set.count % batch !== 0) commit();
    },
    /** How many of these entries are not what was put. */
    get(set, order) {
      let wrong = 0;
      for (const n of order) {
        let value = pages.getResident(set.keys[n]);
        if (value === undefined) value = runNow(pages.get(set.keys[n]), storage);
        if (!isValue(value, n, set)) wrong += 1;
      }
      return wrong;
    },
    close() {
      pages.free();
      storage.close();
    },
  };
}
