/** What a store is kept in order by, over memory and files of Node: values of any length, snapshots, scans that resume, bulk loads, upkeep. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { memoryStorage } from "../../web/lib/store/memory.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import type { PageStorage, SyncPageStorage } from "../../web/lib/store/storage.js";
import { Store, type StoreOptions } from "../../web/lib/store/store.js";
import init, { PageStore } from "../../web/lib/wasm/store.js";

let folder: string;
beforeAll(() => init({ module_or_path: readFileSync(new URL("../../web/lib/wasm/store_bg.wasm", import.meta.url)) }));
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "store-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined): string | undefined => found && new TextDecoder().decode(found);
const some = (length: number, seed = 1): Uint8Array => Uint8Array.from({ length }, (_, n) => (n * 31 + seed * 7 + (n >> 8)) & 255);
const options = (storage: PageStorage, more: Partial<StoreOptions> = {}): StoreOptions => ({ make: PageStore, storage, cacheBytes: 64 * 4096, ...more });
/** Comparing megabytes byte by byte in the test's own matcher would take seconds. */
const isSame = (found: Uint8Array | undefined, wanted: Uint8Array): boolean => found !== undefined && Buffer.compare(found, wanted) === 0;
const sizeOf = (path: string): number => readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);

const kinds: Record<string, () => () => PageStorage> = {
  memory: () => {
    const storage = memoryStorage();
    return () => storage;
  },
  "files of Node": () => () => nodeStorage(folder),
};

describe.each(Object.entries(kinds))("a store in %s", (_, make) => {
  let storage: () => PageStorage;
  beforeEach(() => void (storage = make()));

  test("keys and values of any length come back", async () => {
    let store = await Store.open(options(storage()));
    const lengths = [0, 1, 240, 241, 4096, 65_000, 65_536, 70_000, 1_300_000];
    const keys = [0, 1, 512, 513, 100_000].map((length) => some(length, 3));
    for (const [k, key] of keys.entries()) {
      for (const length of lengths.slice(k)) {
        await store.put(key, some(length, k));
        expect(isSame(await store.get(key), some(length, k))).toBe(true);
      }
    }
    await store.close();
    store = await Store.open(options(storage()));
    expect(await store.count()).toBe(keys.length);
    for (const [k, key] of keys.entries()) {
      expect(isSame(await store.get(key), some(1_300_000, k))).toBe(true);
      expect(await store.has(key)).toBe(true);
    }
    expect((await store.read(keys[1] ?? some(0), 1_234_567, 10))?.bytes).toEqual(some(1_300_000, 1).subarray(1_234_567, 1_234_577));
    const many = await store.getMany([...keys, bytes("none")]);
    expect(many.map((value, k) => value && isSame(value, some(1_300_000, k)))).toEqual([true, true, true, true, true, undefined]);
    const told: Uint8Array[] = [];
    for await (const [key] of store.entries({ limit: 2 })) told.push(key);
    expect(told.map((key) => key.length).sort((a, b) => a - b)).toEqual([0, 1, 512, 513, 100_000]);
    expect(await store.verify()).toEqual([]);
    await store.close();
  });

  test("a value is read into the caller's bytes, as far as they go, and its length is told", async () => {
    const store = await Store.open(options(storage()));
    const into = new Uint8Array(3_000_000).fill(99);
    const left = (from: number): boolean => into.subarray(from).every((byte) => byte === 99);
    for (const length of [0, 1, 240, 241, 1024, 20_000, 65_536, 70_000, 1_300_000, 2_500_000]) {
      await store.put(bytes("key"), some(length, 5));
      const snapshot = await store.snapshot();
      for (const reader of [store, snapshot]) {
        expect(await reader.getInto(bytes("key"), into)).toBe(length);
        expect(isSame(into.subarray(0, length), some(length, 5)) && left(length)).toBe(true);
        into.fill(99);
        // Too short: its beginning, and how long it is all the same.
        const room = Math.floor(length / 2);
        expect(await reader.getInto(bytes("key"), into.subarray(7, 7 + room))).toBe(length);
        expect(isSame(into.subarray(7, 7 + room), some(length, 5).subarray(0, room)) && left(7 + room)).toBe(true);
        into.fill(99);
        expect(await reader.getInto(bytes("none"), into)).toBeUndefined();
        expect(left(0)).toBe(true);
      }
      await snapshot.release();
    }
    await store.close();
  });

  test("a value goes in and out in pieces, and is not there before its end", async () => {
    const store = await Store.open(options(storage()));
    const whole = some(5_000_000);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < whole.length; at += 333_333) {
        if (at > 2_000_000) expect(await store.has(bytes("large"))).toBe(false);
        yield whole.subarray(at, at + 333_333);
      }
    }
    await store.putPieces(bytes("large"), pieces());
    const found: Uint8Array[] = [];
    for await (const piece of store.pieces(bytes("large"), 1_000)) {
      found.push(piece);
      // It goes on as it was when it began.
      if (found.length === 1) await store.put(bytes("large"), bytes("another"));
    }
    expect(Math.max(...found.map((piece) => piece.length))).toBeLessThanOrEqual(1 << 20);
    expect(Buffer.concat(found).equals(whole.subarray(1_000))).toBe(true);
    expect(text(await store.get(bytes("large")))).toBe("another");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield some(200_000);
      await Promise.resolve();
      throw new Error("the source ended early");
    }
    await expect(store.putPieces(bytes("broken"), failing())).rejects.toThrow("ended early");
    expect(await store.has(bytes("broken"))).toBe(false);
    expect(await store.verify()).toEqual([]);
    await store.close();
  });

  test("a snapshot stays as it was, and a scan resumes by its cursor", async () => {
    let store = await Store.open(options(storage()));
    await store.load(Array.from({ length: 3000 }, (_, n) => [bytes(`key ${n}`), bytes(`value ${n}`)] as const));
    const snapshot = await store.snapshot();
    await store.batch({ remove: Array.from({ length: 1500 }, (_, n) => bytes(`key ${n}`)), put: [[bytes("key 2000"), some(1000)]] });
    expect(await store.count()).toBe(1500);
    let told = 0;
    for await (const [key, value] of snapshot.entries()) {
      expect(text(value)).toBe(text(key)?.replace("key", "value"));
      told += 1;
    }
    expect(told).toBe(3000);
    expect(text(await snapshot.get(bytes("key 7")))).toBe("value 7");
    expect(await store.get(bytes("key 7"))).toBeUndefined();
    await snapshot.release();
    await snapshot.release();
    // Half of it now, the other half by whoever opens the store again.
    const seen = new Map<string, number>();
    const note = (rows: { key: Uint8Array }[]): void => rows.forEach(({ key }) => seen.set(text(key) ?? "", (seen.get(text(key) ?? "") ?? 0) + 1));
    let { rows, cursor } = await store.part({ limit: 700 });
    note(rows);
    await store.close();
    store = await Store.open(options(storage()));
    for (let n = 5000; n < 9000; n++) void store.put(bytes(`key ${n}`), bytes("new"));
    while (cursor !== undefined) {
      ({ rows, cursor } = await store.part({ cursor, limit: 100 }));
      note(rows);
    }
    for (let n = 1500; n < 3000; n++) expect(seen.get(`key ${n}`)).toBe(1);
    await store.close();
  });

  test("a batch is made wholly or not at all, and only what is there is updated", async () => {
    let refuse = false;
    const inner = storage();
    const refusing: PageStorage = { ...inner, write: (batch) => (refuse && batch.superblock ? Promise.reject(new Error("cut off")) : inner.write(batch)) };
    const store = await Store.open(options(refusing));
    await store.batch({ put: [[bytes("a"), bytes("1")], [bytes("b"), bytes("2")], [bytes("a"), bytes("3")]] });
    expect(text(await store.get(bytes("a")))).toBe("3");
    expect(await store.update(bytes("a"), bytes("4"))).toBe(true);
    expect(await store.update(bytes("c"), bytes("4"))).toBe(false);
    refuse = true;
    await expect(store.batch({ remove: [bytes("a")], put: [[bytes("b"), some(90_000)], [bytes("d"), bytes("5")]] })).rejects.toThrow("cut off");
    refuse = false;
    expect([text(await store.get(bytes("a"))), text(await store.get(bytes("b"))), await store.count()]).toEqual(["4", "2", 2]);
    await store.close();
  });
});

test("compaction makes the files small again, and what was deleted leaves nothing", async () => {
  let store = await Store.open(options(nodeStorage(folder)));
  await store.load(Array.from({ length: 20_000 }, (_, n) => [bytes(`key ${n}`), some(n % 100 === 0 ? 20_000 : n % 300, n)] as const));
  const full = sizeOf(folder);
  for (let n = 0; n < 20_000; n += 1000) {
    await store.batch({ remove: Array.from({ length: 1000 }, (_, k) => n + k).filter((key) => key % 50 !== 1).map((key) => bytes(`key ${key}`)) });
  }
  await store.compact();
  const small = sizeOf(folder);
  expect(small * 20).toBeLessThan(full);
  expect(await store.verify()).toEqual([]);
  await store.close();
  store = await Store.open(options(nodeStorage(folder)));
  expect(await store.count()).toBe(400);
  for (let n = 1; n < 20_000; n += 50) expect(await store.get(bytes(`key ${n}`))).toEqual(some(n % 300, n));
  await store.close();
});

test("a store that keeps all in extents is made anew from them alone; damage is told, never served", async () => {
  let store = await Store.open(options(nodeStorage(folder), { inlineBytesMax: 0 }));
  await store.load(Array.from({ length: 2000 }, (_, n) => [bytes(`key ${n}`), bytes(`value ${n}`)] as const));
  await store.remove(bytes("key 7"));
  await store.close();
  const index = join(folder, "index.pages");
  const whole = readFileSync(index);
  // A page of the index is damaged: it is found, and not served.
  const damaged = Buffer.from(whole);
  for (let at = 4 * 4096 + 100; at < damaged.length; at += 4096) damaged[at] = (damaged[at] ?? 0) ^ 4;
  writeFileSync(index, damaged);
  await expect(Store.open(options(nodeStorage(folder)))).rejects.toMatchObject({ code: "store/damaged" });
  rmSync(join(folder, "lock"), { force: true });
  for (const left of [damaged, Buffer.alloc(0)]) {
    writeFileSync(index, left);
    const rebuilt = await Store.rebuild(options(nodeStorage(folder)));
    expect(rebuilt.findings.length).toBe(left.length === 0 ? 0 : 1);
    expect(await rebuilt.store.count()).toBe(1999);
    expect(text(await rebuilt.store.get(bytes("key 1999")))).toBe("value 1999");
    expect(await rebuilt.store.get(bytes("key 7"))).toBeUndefined();
    expect(await rebuilt.store.verify()).toEqual([]);
    await rebuilt.store.close();
  }
  const extent = readFileSync(join(folder, "ext.0000"));
  extent[extent.length >> 1] = (extent[extent.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(folder, "ext.0000"), extent);
  store = await Store.open(options(nodeStorage(folder)));
  const findings = await store.verify();
  expect(findings.map(({ code }) => code)).toEqual(["store/damaged-record"]);
  const all = await Promise.allSettled(Array.from({ length: 2000 }, (_, n) => store.get(bytes(`key ${n}`))));
  const failed = all.filter((one) => one.status === "rejected");
  expect(failed).toHaveLength(1);
  expect((failed[0] as PromiseRejectedResult).reason).toMatchObject({ code: "store/damaged" });
  await store.close();
});

test("many short operations in a row give way too", async () => {
  const store = await Store.open(options(memoryStorage()));
  await store.put(bytes("key"), bytes("value"));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  for (const until = performance.now() + 600; performance.now() < until; ) await store.get(bytes("key"));
  expect(turns).toBeGreaterThan(1);
  turns = 0;
  // Asked for all at once, too.
  const asked: Promise<unknown>[] = [];
  for (let n = 0; n < 60_000; n++) asked.push(store.get(bytes("key")));
  const start = performance.now();
  await Promise.all(asked);
  expect(turns).toBeGreaterThanOrEqual(Math.floor((performance.now() - start) / 500));
  clearInterval(timer);
  await store.close();
});

test("what takes long gives way to what else there is to do", async () => {
  const fast = memoryStorage();
  const busy = (ms: number): void => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };
  const slow: SyncPageStorage = {
    ...fast,
    readPage: (page, into) => {
      busy(5);
      return fast.readPage(page, into);
    },
  };
  const filled = await Store.open(options(fast));
  await filled.load(Array.from({ length: 4_000 }, (_, n) => [bytes(`key ${n}`), some(100, n)] as const));
  await filled.close();
  const store = await Store.open(options(slow));
  for (const work of ["verify", "compact"] as const) {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await store[work]();
    clearInterval(timer);
    expect(turns, work).toBeGreaterThan(2);
  }
  await store.close();
});
