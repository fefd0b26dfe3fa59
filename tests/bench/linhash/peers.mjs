// Our store against others in the same worker of the same browser, by the rows of its budgets.

import { sqliteWasm, waSqlite, SQLITE_WASM, WA_SQLITE } from "../peers.mjs";
import { withWorker } from "./page.mjs";

const PARTS = ["small", "large", "durable"];
const REPETITIONS = 3;

/** The lowest of each figure, over some runs. */
function lowest(runs) {
  const found = {};
  for (const [row, figures] of runs.flatMap(Object.entries)) {
    found[row] ??= {};
    for (const [name, value] of Object.entries(figures)) found[row][name] = Math.min(found[row][name] ?? Infinity, value);
  }
  return found;
}

/**
 * Fresh bytes cost more than all else of a large value: ours has a way to be given some that are used again, theirs by
 * their documents have none. The same by what lies below their documents is a row of its own.
 */
const [INTO, GET] = ["20 kB get into the caller's bytes, cached", "20 kB get, cached"];

const FIGURES = { cpuUs: ["CPU", "us"], wallUs: ["wall", "us"], bytes: ["file", "bytes"] };

export async function bench(figures, { say }) {
  const folders = { sqlite: sqliteWasm(), wa: waSqlite() };
  const contestants = [
    "ours",
    ...(folders.sqlite ? ["sqliteWasm"] : []),
    ...(folders.wa ? ["waSqlite"] : []),
    "indexedDb",
    "map",
  ];
  const names = { sqliteWasm: SQLITE_WASM, waSqlite: WA_SQLITE, indexedDb: "IndexedDB", map: "Map" };
  for (const [folder, name] of [["sqlite", SQLITE_WASM], ["wa", WA_SQLITE]]) if (!folders[folder]) say(`${name} cannot be had`);
  await withWorker(async (inWorker) => {
    const found = {};
    for (const contestant of contestants) {
      say(contestant);
      const runs = [];
      for (const part of contestant === "map" ? ["small", "large"] : PARTS) {
        for (let n = 0; n < REPETITIONS; n++) runs.push(await inWorker({ task: "rows", contestant, part }));
      }
      found[contestant] = lowest(runs);
    }
    for (const [row, own] of Object.entries(found.ours)) {
      for (const [kind, [metric, unit]] of Object.entries(FIGURES)) {
        if (own[kind] === undefined) continue;
        figures.add(row, metric, own[kind], unit);
        for (const contestant of contestants.slice(1)) {
          const other = found[contestant][row]?.[kind];
          if (other !== undefined) figures.add(row, `${metric} of ${names[contestant]}`, other, unit, { peer: names[contestant], ratio: other / own[kind] });
        }
      }
    }
    const own = found.ours[INTO]?.cpuUs;
    for (const contestant of contestants.slice(1)) {
      const other = found[contestant][GET]?.cpuUs;
      if (own && other) figures.add("20 kB get, cached, each by its documents", `CPU, ${names[contestant]} ${other.toPrecision(3)} us`, own, "us", { peer: names[contestant], ratio: other / own });
    }
  }, Object.fromEntries(Object.entries(folders).filter(([, folder]) => folder)));
}
