// The seed's four tables, cell by cell, beside what the seed took.

import { BUCKETS, COUNTS, GET, INSERT, RECORDS } from "./seed.mjs";

const RECORD_KEY_BYTES = 32;
const SEED_BUCKETS_KEY_BYTES = 32;
const REPETITIONS = 5;

const named = (count) => `${count / 1000}k`;

/** `run(cell)` gives the seconds of one run, in a new store. The best of a few runs counts. */
async function best(run, cell) {
  const times = [];
  const repetitions = cell.count * cell.valueBytes > 1e8 ? 1 : REPETITIONS;
  for (let n = 0; n < repetitions; n++) times.push(await run(cell));
  if (times.includes(undefined)) return undefined;
  return { insert: Math.min(...times.map((time) => time.insert)), get: Math.min(...times.map((time) => time.get)) };
}

/** `where`: "node" or the browser. `runMap`: the same for a Map, whose own slope is that of the processor's caches. */
export async function tables(figures, where, run, say, runMap) {
  const add = (table, count, seconds, seedSeconds) =>
    figures.add(`${where} ${table}`, named(count), seconds, "s", { peer: `seed, ${seedSeconds} s`, ratio: seedSeconds / seconds });
  const slopeOf = (found, kind) => found.at(-1)[kind] / COUNTS.at(-1) / (found[0][kind] / COUNTS[0]);

  for (const keyBytes of [4, 8, 16, 32]) {
    const [found, inMap] = [[], []];
    for (const count of COUNTS) {
      const cell = { count, keyBytes, valueBytes: keyBytes };
      found.push(await best(run, cell));
      if (runMap) inMap.push(await best(runMap, cell));
    }
    for (const [kind, seed] of [["insert", INSERT], ["get", GET]]) {
      const table = `${kind} ${keyBytes} B`;
      found.forEach((times, n) => add(table, COUNTS[n], times[kind], seed[keyBytes][n]));
      const slope = slopeOf(found, kind);
      figures.add(`${where} ${table}`, "an entry at 100k to one at 10k", slope, "times", runMap && { peer: "Map", ratio: slopeOf(inMap, kind) / slope });
    }
  }
  for (const buckets of [2, 256, 1024]) {
    for (const [n, count] of COUNTS.entries()) {
      const { insert } = await best(run, { count, keyBytes: SEED_BUCKETS_KEY_BYTES, valueBytes: SEED_BUCKETS_KEY_BYTES, buckets });
      add(`insert, ${buckets} buckets at first`, count, insert, BUCKETS[buckets][n]);
    }
  }
  for (const [valueBytes, seed] of Object.entries(RECORDS)) {
    for (const [n, seedSeconds] of seed.entries()) {
      const times = await best(run, { count: COUNTS[n], keyBytes: RECORD_KEY_BYTES, valueBytes: Number(valueBytes) });
      if (times === undefined) return say(`the store takes no records of ${valueBytes} bytes`);
      add(`insert records of ${valueBytes / 1000} kB`, COUNTS[n], times.insert, seedSeconds);
      figures.add(`${where} get records of ${valueBytes / 1000} kB`, named(COUNTS[n]), times.get, "s");
    }
  }
}
