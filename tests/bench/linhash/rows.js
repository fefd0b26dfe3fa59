// The rows of the store's budgets, run on one contestant: bulk insert, gets with and without a cache, one by one and many together, 20 kB records,
// single durable puts, size. Microseconds an entry, of wall time and, where it can be told, of the worker's CPU.

import { entries, shuffled } from "./entries.js";
import { CACHE_PAGES, NO_CACHE_PAGES } from "./ours.js";

const SMALL = { count: 100_000, keyBytes: 16, valueBytes: 16 };
const LARGE = { count: 5_000, keyBytes: 16, valueBytes: 20_000 };
/** Look-ups by themselves; together there are as many as entries. */
const ALONE_GETS = 10_000;
const DURABLE = { count: 50, keyBytes: 16, valueBytes: 16 };

/** `make()` gives the contestant, over an empty place; `cpu()` the nanoseconds that this worker had so far. */
export async function rows(make, which, cpu) {
  const timed = async (count, work) => {
    const before = await cpu();
    const start = performance.now();
    const value = await work();
    const wallUs = ((performance.now() - start) * 1000) / count;
    const after = await cpu();
    return { value, wallUs, ...(before !== undefined && { cpuUs: (after - before) / 1000 / count }) };
  };
  const contestant = await make();
  const gets = async (set, cachePages, how) => {
    await contestant.open({ cachePages, valueBytes: set.valueBytes });
    const all = shuffled(set.count);
    // Once to fill the cache, where there is one.
    if (cachePages > NO_CACHE_PAGES) await contestant.getTogether(set, all);
    const order = how === "get" || how === "getInto" ? all.subarray(0, ALONE_GETS) : all;
    const { value: wrong, ...times } = await timed(order.length, () => contestant[how](set, order));
    await contestant.close();
    if (wrong > 0) throw new Error(`${wrong} of ${order.length} entries are not what was put`);
    return times;
  };
  const load = async (shape, batch) => {
    const set = entries(shape.count, shape.keyBytes, shape.valueBytes);
    await contestant.open({ cachePages: CACHE_PAGES, valueBytes: shape.valueBytes, count: shape.count });
    const { value: _, ...times } = await timed(shape.count, () => contestant.load(set, batch));
    const bytes = await contestant.bytes?.();
    await contestant.close();
    return { set, times, bytes };
  };
  try {
    if (which === "durable") return { "durable put": (await load(DURABLE, 1)).times };
    const { set, times, bytes } = await load(which === "small" ? SMALL : LARGE, Infinity);
    const what = which === "small" ? "16 B" : "20 kB";
    return {
      [`${what} bulk insert`]: times,
      [`${what} get, cached`]: await gets(set, CACHE_PAGES, "get"),
      [`${what} get, cached, many together`]: await gets(set, CACHE_PAGES, "getTogether"),
      ...(which === "large" && contestant.getInto && { [`${what} get into the caller's bytes, cached`]: await gets(set, CACHE_PAGES, "getInto") }),
      ...(which === "small" && { [`${what} get, uncached`]: await gets(set, NO_CACHE_PAGES, "get") }),
      ...(bytes !== undefined && { [`${what} size`]: { bytes } }),
    };
  } catch (error) {
    if (error.code === "store/too-large") return {};
    throw error;
  }
}
