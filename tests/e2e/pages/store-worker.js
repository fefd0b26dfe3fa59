// The contract of page storages, run in a worker: one suite for every backend.
// Messages: { place, kind, task, count } -> { ...facts } or { error }.

import * as published from "/lib/store/index.js";
import { idbStorage } from "/lib/store/idb.js";
import { memoryStorage } from "/lib/store/memory.js";
import { opfsStorage } from "/lib/store/opfs.js";
import { rowsOf } from "/lib/store/packing.js";
import { Pages, run, runNow } from "/lib/store/pages.js";
import { Store } from "/lib/store/store.js";
import { ArchiveIndex } from "/lib/library/archiveindex.js";
import { divided } from "/lib/library/files.js";
import { indexContract } from "./indexcontract.mjs";
import { writing } from "./storagecontract.mjs";
import init, { KeptIndex, PageStore } from "/lib/wasm/store.js";

const SHAPE = { cacheBytes: 16 * 4096 };
const encoder = new TextEncoder();
const key = (n) => encoder.encode(`key-${String(n).padStart(12, "0")}`);
const value = (n) => encoder.encode(`value-${String(n).padStart(10, "0")}`);
const text = (bytes) => bytes && new TextDecoder().decode(bytes);

const memory = memoryStorage();

async function openStorage({ place, kind }) {
  if (kind === "memory") return { storage: memory, close: () => {} };
  const storage = kind === "idb" ? await idbStorage(place) : await opfsStorage(place);
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
    for (const row of rowsOf(bytes)) {
      found.add(text(row.key));
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

/** Values in pages and in extents, read into bytes of ours: how many are not what was put. */
async function readInto(pages, storage, drive, from) {
  const lengths = [0, 16, 240, 241, 20_000, 65_000, 200_000, 1_100_000];
  const valueOf = (n) => new Uint8Array(lengths[n]).map((_, at) => (at * 7 + n + (at >> 8)) & 255);
  for (const n of lengths.keys()) await drive(pages.put(key(from + n), valueOf(n)));
  await drive(pages.commit());
  const ways = [(n, into) => drive(pages.getInto(key(from + n), into))];
  if ("readPage" in storage) ways.push((n, into) => pages.getIntoNow(key(from + n), into, storage));
  let wrong = 0;
  for (const way of ways) {
    for (const [n, length] of lengths.entries()) {
      for (const room of [length + 3, length >> 1]) {
        const into = new Uint8Array(room).fill(99);
        const found = await way(n, into);
        const expected = new Uint8Array(room).fill(99);
        expected.set(valueOf(n).subarray(0, room));
        if (found !== length || into.some((byte, at) => byte !== expected[at])) wrong += 1;
      }
    }
    if ((await way(lengths.length, new Uint8Array(9))) !== undefined) wrong += 1;
  }
  return wrong;
}

async function contract({ place, kind, count }) {
  const first = await openStorage({ place, kind });
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

  const again = await openStorage({ place, kind });
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
  wrong += await readInto(pages, again.storage, driveAgain, count);
  pages.free();
  again.close();
  return {
    generation, scan, wrong, none: none === undefined,
    callsPerPut: putCalls / count, callsPerGet: getCalls / gets,
    usPerPut: (putMs * 1000) / count, usPerGet: (getMs * 1000) / gets, usPerScanned: (scanMs * 1000) / count, commitMs,
    usPerResidentGet: (residentMs * 1000) / resident, fetched,
  };
}

/** What a storage promises, without a store on it. Gives what does not hold. */
async function storages({ place, kind }) {
  const wrong = [];
  for (const [name, run] of Object.entries(writing)) {
    const own = kind === "memory" ? memoryStorage() : undefined;
    const open = () => own ?? (kind === "idb" ? idbStorage(`${place} ${name}`) : opfsStorage(`${place} ${name}`));
    await run(open).catch((error) => wrong.push(`${name}: ${error.message}`));
  }
  return { wrong, cases: Object.keys(writing).length };
}

/** The engine's own calls without the driver: what the loop around them costs is the difference. */
async function plain({ count }) {
  const store = new PageStore(new Uint8Array(0), 64, new Uint8Array(16), 0, 0, -1);
  store.open();
  store.put(key(1), value(1));
  const same = key(1);
  new Uint8Array(PageStore.memory().buffer).set(same, store.desk(same.length));
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    store.get(0, same.length, 0, Infinity);
  }
  return { usPerGet: (since(start) * 1000) / count };
}

/** Commits `count` entries, then writes as many again and dies at `when`; the page terminates this worker. */
async function die({ place, kind, count, when }) {
  const { storage } = await openStorage({ place, kind });
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

async function look({ place, kind }) {
  const { storage, close } = await openStorage({ place, kind });
  const drive = driver(kind, storage);
  const pages = await drive(Pages.opening(PageStore, SHAPE));
  const scan = await scanAll(pages, drive);
  const { generation } = pages;
  pages.free();
  close();
  return { ...scan, generation };
}

/** As a user of the package does it, who leaves the choice of the storage to it. */
async function asPublished({ place }) {
  const { openStorage: openBest, openStore } = published;
  const { storage, kind, reason } = await openBest(place);
  const store = await openStore({ storage, cacheBytes: 1 << 20 });
  await store.put(key(1), value(1));
  await store.close();
  const again = await openStore({ storage: (await openBest(place, [kind])).storage });
  const found = text(await again.get(key(1)));
  await again.close();
  return { kind, reason, isFound: found === text(value(1)) };
}

const index = ({ place, kind, count }) =>
  indexContract({ divided, ArchiveIndex, KeptIndex, Store, PageStore }, async () => (await openStorage({ place, kind })).storage, count);

const tasks = { index, contract, storages, plain, die, look, published: asPublished };

onmessage = async ({ data }) => {
  try {
    await init();
    postMessage(await tasks[data.task](data));
  } catch (error) {
    postMessage({ error: `${error.name}: ${error.message}` });
  }
};
