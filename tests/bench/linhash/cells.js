// The cells of the seed's tables, run on our store: each in a store of its own, durable after every thousand entries.

import { entries, shuffled } from "./entries.js";
import { CACHE_PAGES } from "./ours.js";

export const COMMIT_ENTRIES = 1_000;
/** What the entries of one bucket take, by the load at which buckets are split. */
const BUCKET_BYTES = 3_000;

const seconds = (start) => (performance.now() - start) / 1000;

/**
 * `cell`: { count, keyBytes, valueBytes, buckets? }. Seconds to insert all and, from a store that is opened anew, to get
 * each in random order; undefined where the store does not take entries of that size.
 */
export async function runCell(store, { count, keyBytes, valueBytes, buckets }) {
  const set = entries(count, keyBytes, valueBytes);
  const order = shuffled(count);
  // Anew, in the order in which they are asked for: fetching the benchmark's own keys from all over the memory is no part
  // of the figure.
  const asked = Array.from(order, (n) => set.keys[n].slice());
  await store.open({ cachePages: CACHE_PAGES, ...(buckets && { expected: { records: 0, bytes: buckets * BUCKET_BYTES } }) });
  try {
    let start = performance.now();
    await store.load(set, COMMIT_ENTRIES);
    const insert = seconds(start);
    store.close();
    await store.open();
    start = performance.now();
    const wrong = store.get(set, order, asked);
    const get = seconds(start);
    if (wrong > 0) throw new Error(`${wrong} of ${count} entries are not what was put`);
    return { insert, get };
  } catch (error) {
    if (error.code === "store/too-large") return undefined;
    throw error;
  } finally {
    store.close();
  }
}
