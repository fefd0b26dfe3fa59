// The contract of page storages, run in a worker: one suite for every backend.
// Messages: { kind, task, count } -> { ...facts } or { error }.

import { idbStorage } from "/lib/store/idb.js";
import { memoryStorage } from "/lib/store/memory.js";
import { opfsStorage } from "/lib/store/opfs.js";
import { Pages, run, runNow } from "/lib/store/pages.js";
import init, { PageStore } from "/lib/wasm/tools.js";

const SHAPE = { cachePages: 16 };
const encoder = new TextEncoder();
const key = (n) => encoder.encode(`key-${String(n).padStart(12, "0")}`);
const value = (n) => encoder.encode(`value-${String(n).padStart(10, "0")}`);
const text = (bytes) => bytes && new TextDecoder().decode(bytes);

const memory = memoryStorage();

async function openStorage(kind) {
  if (kind === "memory") return { storage: memory, close: () => {} };
  const storage = kind === "idb" ? await idbStorage("store-test") : await opfsStorage("store-test");
  return { storage, close: () => storage.close() };
}

/** Synchronous storages are driven without a single promise, the others by promise. */
const driver = (kind, storage) => (kind === "idb" ? (operation) => run(operation, storage) : (operation) => runNow(operation, storage));

async function scanAll(pages, drive) {
  pages.rewind();
  const callsBefore = pages.calls;
  const readsBefore = pages.reads;
  const found = new Set();
  let told = 0;
  for (;;) {
    const bytes = await drive(pages.scan(512));
    if (bytes.length === 0) break;
    for (let at = 0; at < bytes.length; ) {
      const keyBytes = bytes[at];
      found.add(text(bytes.subarray(at + 1, at + 1 + keyBytes)));
      at += 1 + keyBytes;
      at += 1 + bytes[at];
      told += 1;
    }
  }
  return { entries: found.size, told, calls: pages.calls - callsBefore, reads: pages.reads - readsBefore };
}

/** The numbers below `count`, a tenth at a time, each tenth in the order of its buckets: as a bulk load puts them. */
function* inBatches(count, bucketOf) {
  for (let from = 0; from < count; from += count / 10) {
    const batch = Array.from({ length: count / 10 }, (_, n) => ({ n: from + n, bucket: bucketOf(from + n) }));
    yield* batch.sort((a, b) => a.bucket - b.bucket).map(({ n }) => n);
  }
}

const since = (start) => performance.now() - start;

async function contract({ kind, count }) {
  const first = await openStorage(kind);
  const drive = driver(kind, first.storage);
  let pages = await drive(Pages.opening(PageStore, { ...SHAPE, expected: { records: count, bytes: count * 32 } }));
  let start = performance.now();
  for (const n of inBatches(count, (n) => pages.bucketOf(key(n)))) {
    // A promise a put would be the cost that synchronous storages must not pay.
    if (kind === "idb") await drive(pages.put(key(n), value(n)));
    else drive(pages.put(key(n), value(n)));
  }
  const putMs = since(start);
  const putCalls = pages.calls;
  start = performance.now();
  await drive(pages.commit());
  const commitMs = since(start);
  pages.free();
  first.close();

  const again = await openStorage(kind);
  const driveAgain = driver(kind, again.storage);
  pages = await driveAgain(Pages.opening(PageStore, SHAPE));
  start = performance.now();
  const scan = await scanAll(pages, driveAgain);
  const scanMs = since(start);
  const callsBefore = pages.calls;
  const gets = Math.min(count, 1000);
  let wrong = 0;
  start = performance.now();
  for (let n = 0; n < gets; n++) {
    const which = (n * 7919) % count;
    const found = await driveAgain(pages.get(key(which)));
    if (text(found) !== text(value(which))) wrong += 1;
  }
  const getMs = since(start);
  const getCalls = pages.calls - callsBefore;
  const none = await driveAgain(pages.get(encoder.encode("none")));
  // The same key again and again: its page is resident, and only the machinery is measured.
  start = performance.now();
  const resident = 100_000;
  const same = key(1);
  let fetched = 0;
  for (let n = 0; n < resident; n++) {
    if (pages.getResident(same) !== undefined) continue;
    fetched += 1;
    await driveAgain(pages.get(same));
  }
  const residentMs = since(start);
  if (pages.getResident(encoder.encode("none")) instanceof Uint8Array) wrong += 1;
  // Half of them go, and what stays is still there.
  for (let n = 0; n < gets; n += 2) if (!(await driveAgain(pages.remove(key(n))))) wrong += 1;
  if (await driveAgain(pages.remove(key(0)))) wrong += 1;
  for (let n = 0; n < gets; n++) if (((await driveAgain(pages.get(key(n)))) === undefined) !== (n % 2 === 0)) wrong += 1;
  if (pages.count !== count - Math.ceil(gets / 2)) wrong += 1;
  const generation = pages.generation;
  pages.free();
  again.close();
  return {
    generation, scan, wrong, none: none === undefined,
    callsPerPut: putCalls / count, callsPerGet: getCalls / gets,
    usPerPut: (putMs * 1000) / count, usPerGet: (getMs * 1000) / gets, usPerScanned: (scanMs * 1000) / count, commitMs,
    usPerResidentGet: (residentMs * 1000) / resident, fetched,
  };
}

/** What a storage promises of pages and extents, without a store on it. Gives what does not hold. */
async function storages({ kind }) {
  const { storage, close } = await openStorage(kind);
  const wrong = [];
  const holds = (what, is) => is || wrong.push(what);
  const some = (length, seed) => Uint8Array.from({ length }, (_, n) => (n * 31 + seed) % 251);
  const same = (a, b) => a.length === b.length && a.every((byte, n) => byte === b[n]);
  const page = (n) => some(4096, n);
  const batch = (appends, pages, superblock) => ({
    appends, pages: Uint32Array.from(pages), bytes: Uint8Array.from(pages.flatMap((n) => [...page(n)])), ...(superblock && { superblock: { page: 1, bytes: page(1) } }),
  });
  await storage.prepare(1);
  holds("an extent that was made ready holds nothing", (await storage.extents()).length === 0);
  const whole = some(200_000, 5);
  // Appends begin and end in the middle of whatever blocks a storage has.
  const cuts = [0, 64, 1000, 65_536, 65_537, 140_000, 200_000];
  for (let n = 1; n < cuts.length; n++) await storage.write(batch([{ file: 0, offset: cuts[n - 1], bytes: whole.slice(cuts[n - 1], cuts[n]) }], [n + 2]));
  await storage.prepare(3);
  await storage.write(batch([{ file: 0, offset: 200_000, bytes: some(5, 9) }, { file: 2, offset: 0, bytes: some(7, 3) }], [20, 9, 21], true));
  const spans = [[0, 0, 200_000], [0, 999, 2], [0, 65_530, 80_000], [0, 131_072, 10], [0, 199_999, 100], [2, 0, 7], [2, 7, 5], [7, 0, 5]];
  const found = await storage.readSpans(spans.map(([file, offset, length]) => ({ file, offset, length })));
  const all = [...whole, ...some(5, 9)];
  spans.forEach(([file, offset, length], at) => {
    const wanted = file === 0 ? all.slice(offset, offset + length) : file === 2 ? [...some(7, 3)].slice(offset, offset + length) : [];
    holds(`span ${file} ${offset} ${length}`, same(found[at], wanted));
  });
  // What no commit knows of is written over.
  await storage.write(batch([{ file: 2, offset: 3, bytes: some(9, 1) }], []));
  const [over] = await storage.readSpans([{ file: 2, offset: 0, length: 12 }]);
  holds("written over", same(over, [...some(3, 3), ...some(9, 1)]));
  const pages = [1, 3, 8, 9, 20, 21, 22];
  const read = await storage.read(pages);
  pages.forEach((n, at) => holds(`page ${n}`, same(read[at], n === 22 ? [] : page(n))));
  holds("extents", String(await storage.extents()) === "0,2");
  await storage.removeExtent(0);
  await storage.removeExtent(5);
  holds("extents after one went", String(await storage.extents()) === "2");
  await storage.truncate(20);
  const [kept, gone] = await storage.read([9, 20]);
  holds("pages after a cut", same(kept, page(9)) && gone.length === 0);
  close();
  const again = await openStorage(kind);
  holds("extents of a storage that was opened again", String(await again.storage.extents()) === "2");
  const [after] = await again.storage.readSpans([{ file: 2, offset: 0, length: 12 }]);
  holds("bytes of a storage that was opened again", same(after, over));
  again.close();
  return { wrong };
}

/** The engine's own calls without the driver: what the loop around them costs is the difference. */
async function plain({ count }) {
  const store = new PageStore(new Uint8Array(0), new Uint8Array(0), 64, new Uint8Array(16), 0, 0);
  store.open();
  store.put(key(1), value(1));
  const same = key(1);
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    store.get(same);
    store.value();
  }
  return { usPerGet: (since(start) * 1000) / count };
}

/** Commits `count` entries, then writes as many again and dies at `when`; the page terminates this worker. */
async function die({ kind, count, when }) {
  const { storage } = await openStorage(kind);
  const drive = driver(kind, storage);
  const pages = await drive(Pages.opening(PageStore, SHAPE));
  for (let n = 0; n < count; n++) await drive(pages.put(key(n), value(n)));
  await drive(pages.commit());
  for (let n = count; n < 2 * count; n++) await drive(pages.put(key(n), value(n)));
  const committing = pages.commit();
  const { write } = committing.next().value;
  if (when === "before the superblock") await storage.write({ pages: write.pages, bytes: write.bytes });
  else if (when === "in the middle") void storage.write(write);
  else await storage.write(write);
  return { isReadyToDie: true };
}

async function look({ kind }) {
  const { storage, close } = await openStorage(kind);
  const drive = driver(kind, storage);
  const pages = await drive(Pages.opening(PageStore, SHAPE));
  const scan = await scanAll(pages, drive);
  const { generation } = pages;
  pages.free();
  close();
  return { ...scan, generation };
}

const tasks = { contract, storages, plain, die, look };

onmessage = async ({ data }) => {
  try {
    await init();
    postMessage(await tasks[data.task](data));
  } catch (error) {
    postMessage({ error: `${error.name}: ${error.message}` });
  }
};
