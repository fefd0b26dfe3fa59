// Very many dictionaries of 100,000 strings open at once under one budget of memory, asked as archives are: few of them
// often, most seldom, and so for their strings. Of each of some files several dictionaries are opened, which share no page.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "../corpus.mjs";
import { make, Open } from "./dictionaries.js";
import { load, nodeFile } from "./node.mjs";
import { random, strings } from "./strings.js";

const DICTIONARIES = 1_500;
const FILES = 50;
const STRINGS = 100_000;
const BUDGET_BYTES = 200_000_000;
/** Left of the budget for the module itself, and for what the program around it takes to ask. */
const ASIDE_BYTES = 30_000_000;
const LOOK_UPS = 2_000_000;
/** Those before are on their way to what is usual. */
const WARM_UPS = 1_500_000;

/** Numbers below `count` by Zipf's law: the first as often as the second and third together, and so on. */
function zipf(count, next) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sums[n] = sum += 1 / (n + 1);
  return () => {
    const share = next() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < share) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export async function bench(figures, { module: folder, layouts, say }) {
  const module = await load(folder);
  mkdirSync(CACHE, { recursive: true });
  const place = mkdtempSync(join(CACHE, "dict-"));
  try {
    for (const layout of layouts.filter((name) => ["bucket20", "tagged"].includes(name))) {
      say(`${FILES} dictionaries of ${layout}`);
      const files = Array.from({ length: FILES }, (_, n) => {
        const file = nodeFile(join(place, `${layout}-${n}`), "w+");
        make(module, layout, { first: n * STRINGS, count: STRINGS, isAscii: true }, file.write);
        return file;
      });
      // Anew: what making them took is no part of the figure.
      run(figures, `many, ${layout}`, await load(folder, layout), files);
      for (const file of files) file.close();
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function run(figures, name, module, files) {
  const before = process.memoryUsage().rss;
  const open = new Open(module, BUDGET_BYTES - ASIDE_BYTES);
  let start = performance.now();
  for (let n = 0; n < DICTIONARIES; n++) open.open(n, files[n % files.length]);
  figures.add(name, "open", (performance.now() - start) / DICTIONARIES, "ms each");
  const next = random(1);
  const [which, whichString] = [zipf(DICTIONARIES, next), zipf(STRINGS, next)];
  const times = new Float64Array(LOOK_UPS - WARM_UPS);
  let readsBefore = 0;
  let total = 0;
  for (let done = 0; done < LOOK_UPS; done++) {
    if (done === WARM_UPS) readsBefore = open.reads;
    const number = which();
    // Spread, so that strings that are asked for often are not in one page, and are others in each dictionary.
    const id = (Math.imul(whichString(), 7_919) + number * 104_729) % STRINGS;
    const wanted = (id + STRINGS) % STRINGS;
    const { bytes } = strings([(number % files.length) * STRINGS + wanted], true);
    start = performance.now();
    const [found] = open.ids(number, bytes);
    const took = performance.now() - start;
    if (found !== wanted) throw new Error(`string ${wanted} of dictionary ${number} has the id ${found}`);
    if (done < WARM_UPS) continue;
    times[done - WARM_UPS] = took;
    total += took;
  }
  times.sort();
  figures.add(name, "dictionaries", DICTIONARIES, "");
  figures.add(name, "resident", open.pagesResident / 1e6, "MB");
  figures.add(name, "the module's memory", module.Dictionaries.memory().buffer.byteLength / 1e6, "MB");
  figures.add(name, "the process, more than before", (process.memoryUsage().rss - before) / 1e6, "MB");
  figures.add(name, "look-ups answered from memory", (1 - (open.reads - readsBefore) / times.length) * 100, "%");
  figures.add(name, "string to id", (times.length * 1000) / total, "/s");
  for (const [what, share] of [["median", 0.5], ["p99", 0.99], ["p99.9", 0.999]]) figures.add(name, `a look-up, ${what}`, times[Math.floor(times.length * share)] * 1000, "us");
  open.free();
}
