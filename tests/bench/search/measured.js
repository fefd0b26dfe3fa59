// One engine in a worker: pages put into it, queries asked. Of the CPU's time, where `cpu()` tells nanoseconds of it.

import { page, queries } from "./pages.js";

const PAGES_AT_ONCE = 250;
/** Browsers make what runs often faster: every engine is asked for so long before it is measured. */
const WARM_MS = 500;
const ROUND_MS = 500;

const encoder = new TextEncoder();

/**
 * `engine`: { add(pages), finish?(), bytes?(), kinds, ask(kind, words) }, where `ask` gives how many of the best ten there are,
 * or [facets, their counts]; `count` pages are put.
 */
export async function measure(engine, count, cpu, words) {
  let [textBytes, cpuMs, wallMs] = [0, 0, 0];
  const timed = async (work) => {
    const before = await cpu();
    const start = performance.now();
    await work();
    const wall = performance.now() - start;
    const after = await cpu();
    wallMs += wall;
    cpuMs += before === undefined ? wall : (after - before) / 1e6;
  };
  for (let from = 0; from < count; from += PAGES_AT_ONCE) {
    const pages = Array.from({ length: Math.min(PAGES_AT_ONCE, count - from) }, (_, n) => page(from + n, words));
    for (const { text } of pages) textBytes += encoder.encode(text).length;
    await timed(() => engine.add(pages));
  }
  if (engine.finish) await timed(() => engine.finish());
  const found = {};
  for (const kind of Object.keys(queries)) {
    if (engine.kinds.includes(kind)) found[kind] = await latency(engine, kind, cpu);
  }
  const bytes = await engine.bytes?.();
  const memoryBytes = engine.memoryBytes?.();
  await engine.close?.();
  return { textBytes, cpuMs, wallMs, bytes, memoryBytes, found };
}

/** Microseconds a query, and how many hits each has. */
async function latency(engine, kind, cpu) {
  const hits = [];
  for (const words of queries[kind]) hits.push(await engine.ask(kind, words));
  let asked = 0;
  for (const warm = performance.now(); performance.now() - warm < WARM_MS; asked++) await engine.ask(kind, queries[kind][asked % queries[kind].length]);
  const before = await cpu();
  const start = performance.now();
  let done = 0;
  for (let now = start; done < 5 || now - start < ROUND_MS; done++) {
    await engine.ask(kind, queries[kind][done % queries[kind].length]);
    now = performance.now();
  }
  const wallUs = ((performance.now() - start) * 1000) / done;
  const after = await cpu();
  return { hits, wallUs, cpuUs: before === undefined ? wallUs : (after - before) / 1000 / done };
}
