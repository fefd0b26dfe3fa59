// One cell of the article's table: a dictionary of so many strings in one layout, asked for strings of which a share is
// there, with as little memory as there can be and with all of it in memory. Of wall time and of the CPU's, where `cpu()`
// tells milliseconds of it. For Node and pages.

import { make, Open } from "./dictionaries.js";
import { ABSENT, random, strings } from "./strings.js";

/** No cache to speak of: what is read is read for the look-up at hand. */
const LEAST_BYTES = 64 << 10;
const ALL_BYTES = 1 << 30;
const ASKED = 20_000;
const AT_ONCE = 100;
const ROUND_MS = 350;
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

/** Look-ups a second and reads a look-up, over as many as there is time for. */
async function lookUp(open, { bytes, starts, found }, isWarmed, isSlow, cpu) {
  const atOnce = isSlow ? 1 : AT_ONCE;
  const batch = (from) => {
    const ids = open.ids(0, bytes.subarray(starts[from], starts[from + atOnce]));
    for (let n = 0; n < atOnce; n++) if (ids[n] !== found[from + n]) throw new Error(`string ${from + n} has the id ${ids[n]}`);
  };
  const all = isSlow ? 200 : ASKED;
  // One look-up by brute force reads much of it, and takes long enough.
  if (isWarmed) for (let from = 0; from < (isSlow ? 2 : all); from += atOnce) batch(from);
  open.reads = 0;
  const { done, ...times } = await timed(cpu, (done) => {
    batch(done % all);
    return atOnce;
  });
  return { ...times, reads: open.reads / done };
}

/** As often as there is time for: how many were done, a second of the CPU and a second of wall time. */
async function timed(cpu, work) {
  const cpuBefore = await cpu();
  const start = performance.now();
  let done = 0;
  let now = start;
  for (; now - start < ROUND_MS; now = performance.now()) done += work(done);
  const cpuAfter = await cpu();
  const wall = (done * 1000) / (now - start);
  return { done, wall, perSecond: cpuBefore === undefined ? wall : (done * 1000) / (cpuAfter - cpuBefore) };
}

/** Strings a second by ids at random. */
async function nameAll(open, count, cpu) {
  const next = random(7);
  const ids = Uint32Array.from({ length: ASKED }, () => Math.floor(next() * count));
  const { bytes: expected, starts } = strings(ids);
  const batch = (from, isCompared) => {
    const found = open.strings(0, ids.subarray(from, from + AT_ONCE));
    if (!isCompared) return;
    const wanted = expected.subarray(starts[from], starts[from + AT_ONCE]);
    if (found.length !== wanted.length || found.some((byte, at) => byte !== wanted[at])) throw new Error("a string is another one");
  };
  for (let from = 0; from < ASKED; from += AT_ONCE) batch(from, true);
  const { perSecond } = await timed(cpu, (done) => {
    batch(done % ASKED, false);
    return AT_ONCE;
  });
  return perSecond;
}

/**
 * `place`: `write(bytes, at)` into an empty file, and `file()` that reads it. The figures of one layout at one count.
 */
export async function runLayout(module, place, { layout, count, hits, pageBytes }, cpu) {
  const fileBytes = make(module, layout, { count, pageBytes }, place.write);
  const file = place.file();
  const isSlow = layout === "brute" && count > 1000;
  const openTimes = [];
  let open;
  for (let n = 0; n < OPENINGS; n++) {
    open?.free();
    const start = performance.now();
    open = new Open(module, LEAST_BYTES);
    open.open(0, file);
    openTimes.push(performance.now() - start);
  }
  const resident = open.resident(0);
  const byHit = [];
  for (const hit of hits) {
    const set = asked(count, hit);
    const least = await lookUp(open, set, false, isSlow, cpu);
    const pages = open.pagesResident;
    const all = new Open(module, ALL_BYTES);
    all.open(0, file);
    const cached = await lookUp(all, set, true, isSlow, cpu);
    all.free();
    byHit.push({ hit, least, cached, pages });
  }
  open.free();
  const all = new Open(module, ALL_BYTES);
  all.open(0, file);
  const names = await nameAll(all, count, cpu);
  all.free();
  return { fileBytes, openMs: openTimes.sort((a, b) => a - b)[OPENINGS >> 1], resident, byHit, names };
}
