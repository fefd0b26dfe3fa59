// The article's table for so many strings: dictionaries of them in every layout, asked for strings of which a share is
// there, with as little memory as there can be and with all of it in memory. A figure is the best of some rounds: of CPU
// time, where `cpu()` tells milliseconds of it, and of wall time. The layouts take turns, so that what else the machine
// does meanwhile falls on all of them. For Node and pages.

import { make, Open } from "./dictionaries.js";
import { ABSENT, random, strings } from "./strings.js";

/** No cache to speak of: what is read is read for the look-up at hand. */
const LEAST_BYTES = 64 << 10;
const ALL_BYTES = 1 << 30;
const ASKED = 20_000;
const AT_ONCE = 100;
const ROUNDS = 5;
const ROUND_MS = 90;
/** Before each round: the layout before has left other things in the processor's caches. */
const WARM_MS = 40;
const OPENINGS = 5;

/** Strings to be asked for at random, and the ids that they have. */
function asked(count, hit) {
  const next = random(count + Math.round(hit * 100));
  const wanted = new Uint32Array(ASKED);
  const found = new Uint32Array(ASKED);
  for (let at = 0; at < ASKED; at++) {
    const n = Math.floor(next() * count);
    const isHit = next() < hit;
    wanted[at] = isHit ? n : ABSENT + n;
    found[at] = isHit ? n : 0xffffffff;
  }
  return { ...strings(wanted), found };
}

/** Looks strings up, so many from a place on, and compares what is found. */
function look(open, { bytes, starts, found }, from, count) {
  const ids = open.ids(0, bytes.subarray(starts[from], starts[from + count]));
  for (let n = 0; n < count; n++) if (ids[n] !== found[from + n]) throw new Error(`string ${from + n} has the id ${ids[n]}`);
}

/** As often as there is time for: how many were done, a second of the CPU and a second of wall time. */
async function timed(cpu, work) {
  const cpuBefore = await cpu();
  const start = performance.now();
  const done = during(ROUND_MS, work);
  const wall = (done * 1000) / (performance.now() - start);
  const cpuAfter = await cpu();
  return { done, wall, perSecond: cpuBefore === undefined ? wall : (done * 1000) / (cpuAfter - cpuBefore) };
}

/** `work(done)` does some more and tells how many; gives how many were done. */
function during(ms, work) {
  const start = performance.now();
  let done = 0;
  do done += work(done);
  while (performance.now() - start < ms);
  return done;
}

/** What rounds have come to. */
class Best {
  perSecond = 0;
  wall = 0;
  #done = 0;
  #reads = 0;

  add({ perSecond, wall, done }, reads) {
    this.perSecond = Math.max(this.perSecond, perSecond);
    this.wall = Math.max(this.wall, wall);
    this.#done += done;
    this.#reads += reads;
  }

  get reads() {
    return this.#reads / this.#done;
  }
}

/** One more round of look-ups. */
async function round(best, open, set, { atOnce, all }, cpu) {
  const work = (done) => {
    look(open, set, done % all, atOnce);
    return atOnce;
  };
  during(WARM_MS, work);
  const before = open.reads;
  best.add(await timed(cpu, work), open.reads - before);
}

/** A dictionary, and what opening it takes. `place`: `write(bytes, at)` into an empty file, and `file` that reads it. */
function made(module, layout, { count, pageBytes }, place) {
  const fileBytes = make(module, layout, { count, pageBytes }, place.write);
  const openTimes = [];
  let open;
  for (let n = 0; n < OPENINGS; n++) {
    open?.free();
    const start = performance.now();
    open = new Open(module, LEAST_BYTES);
    open.open(0, place.file);
    openTimes.push(performance.now() - start);
  }
  // One look-up by brute force reads much of it, and takes long enough.
  const isSlow = layout === "brute" && count > 1000;
  const batches = isSlow ? { atOnce: 1, all: 200 } : { atOnce: AT_ONCE, all: ASKED };
  return { layout, open, batches, file: place.file, fileBytes, openMs: openTimes.sort((a, b) => a - b)[OPENINGS >> 1], resident: open.resident(0), byHit: [] };
}

/** With all of it in memory that is asked for. */
async function cached(module, { file, batches }, set, cpu) {
  const { atOnce, all } = batches;
  const open = new Open(module, ALL_BYTES);
  open.open(0, file);
  for (let from = 0; from < (atOnce === 1 ? 2 : all); from += atOnce) look(open, set, from, atOnce);
  const best = new Best();
  for (let n = 0; n < ROUNDS; n++) await round(best, open, set, batches, cpu);
  open.free();
  return best;
}

/** Strings a second by ids at random, with all in memory. */
async function nameAll(module, { file }, count, cpu) {
  const open = new Open(module, ALL_BYTES);
  open.open(0, file);
  const next = random(7);
  const ids = Uint32Array.from({ length: ASKED }, () => Math.floor(next() * count));
  const { bytes: expected, starts } = strings(ids);
  const found = (from) => open.strings(0, ids.subarray(from, from + AT_ONCE));
  for (let from = 0; from < ASKED; from += AT_ONCE) {
    const wanted = expected.subarray(starts[from], starts[from + AT_ONCE]);
    const given = found(from);
    if (given.length !== wanted.length || given.some((byte, at) => byte !== wanted[at])) throw new Error("a string is another one");
  }
  const best = new Best();
  for (let n = 0; n < ROUNDS; n++) {
    const times = await timed(cpu, (done) => {
      found(done % ASKED);
      return AT_ONCE;
    });
    best.add(times, 0);
  }
  open.free();
  return best.perSecond;
}

/**
 * The figures of each layout. `place(layout)`: `write(bytes, at)` into an empty file, and `file` that reads it.
 */
export async function runCount(module, place, { layouts, count, hits, pageBytes }, cpu) {
  const all = [];
  for (const layout of layouts) all.push(made(module, layout, { count, pageBytes }, await place(layout)));
  for (const hit of hits) {
    const set = asked(count, hit);
    const least = all.map(() => new Best());
    for (let n = 0; n < ROUNDS; n++) {
      // There and back: none always comes behind the same one.
      const order = n % 2 === 0 ? all : all.toReversed();
      for (const one of order) await round(least[all.indexOf(one)], one.open, set, one.batches, cpu);
    }
    for (const [at, one] of all.entries()) one.byHit.push({ hit, least: told(least[at]), pages: one.open.pagesResident });
    for (const one of all) one.byHit.at(-1).cached = told(await cached(module, one, set, cpu));
  }
  for (const one of all) one.open.free();
  const rows = [];
  for (const one of all) {
    const { layout, fileBytes, openMs, resident, byHit } = one;
    rows.push({ layout, fileBytes, openMs, resident, byHit, names: await nameAll(module, one, count, cpu) });
  }
  return rows;
}

/** As it can be posted. */
const told = ({ perSecond, wall, reads }) => ({ perSecond, wall, reads });
