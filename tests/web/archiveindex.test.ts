/** The kept index of an archive beside a store, in memory and in a folder: against the rows that the archive was opened with. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ArchiveIndex, type Group, type SortColumn } from "../../web/lib/library/archiveindex.js";
import { divided } from "../../web/lib/library/files.js";
import type { RecordRow } from "../../web/lib/shapes.js";
import { memoryStorage } from "../../web/lib/store/memory.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import type { PageStorage } from "../../web/lib/store/storage.js";
import { Store } from "../../web/lib/store/store.js";
import initStore, { KeptIndex, PageStore } from "../../web/lib/wasm/store.js";
import initTools, { Index, keyed_rows, surt } from "../../web/lib/wasm/tools.js";
import { decodeRows } from "../../web/lib/wire.js";

let folder: string;
let table: Index;
let rows: RecordRow[];

beforeAll(async () => {
  const wasm = (name: string): Buffer => readFileSync(new URL(`../../web/lib/wasm/${name}_bg.wasm`, import.meta.url));
  await initStore({ module_or_path: wasm("store") });
  await initTools({ module_or_path: wasm("tools") });
  const bytes = readFileSync(new URL("../../web/app/public/sample.warc.gz", import.meta.url));
  table = new Index();
  table.begin(bytes, bytes.length);
  for (let at = 0; at < bytes.length; at = table.wanted()) table.feed(bytes.subarray(at));
  table.finish(bytes.length);
  rows = decodeRows(table.rows(0, table.records()));
  expect(rows.length).toBeGreaterThan(50);
});
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "index-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KEY = new TextEncoder().encode("index");

interface Kept {
  readonly store: Store;
  readonly index: ArchiveIndex;
  readonly close: () => Promise<void>;
}

/** The index whose manifest the store of this storage keeps. */
async function open(storage: PageStorage): Promise<Kept> {
  const { storage: own, shelf } = divided(storage);
  const store = await Store.open({ make: PageStore, storage: own, cacheBytes: 1 << 20 });
  const index = await ArchiveIndex.open(KeptIndex, shelf(3), { manifest: await store.get(KEY) });
  return {
    store,
    index,
    close: async () => {
      await index.close();
      await store.close();
    },
  };
}

async function keep({ store, index }: Kept, isWhole = false): Promise<void> {
  await store.put(KEY, (await index.keep({ isWhole })).manifest);
  await index.tidy();
}

/** All rows of the table, in several segments. */
async function fill(kept: Kept, times = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    for (let from = 0; from < rows.length; from += 20) {
      await kept.index.add(keyed_rows(table, from, 20));
      await keep(kept);
    }
  }
}

const names = (groups: readonly Group[]): [string, number][] => groups.map(({ name, records }) => [name, records]);

function counted(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

const orders: Record<SortColumn, (a: RecordRow, b: RecordRow) => number> = {
  url: (a, b) => compare(`${surt(a.url)} `, `${surt(b.url)} `) || orders.time(a, b),
  time: (a, b) => compare(a.captured ?? Infinity, b.captured ?? Infinity),
  status: (a, b) => compare(a.status ?? Infinity, b.status ?? Infinity),
  mime: (a, b) => compare(a.mime ?? "", b.mime ?? ""),
  type: (a, b) => compare(TYPES.indexOf(a.type), TYPES.indexOf(b.type)),
  size: (a, b) => compare(a.size, b.size),
};
const TYPES = ["unknown", "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"];

async function check(index: ArchiveIndex): Promise<void> {
  expect(await index.rows(0, 10_000)).toEqual(rows);
  expect(await index.rows(rows.length - 3, 10)).toEqual(rows.slice(-3));
  for (const [column, order] of Object.entries(orders) as [SortColumn, (typeof orders)["url"]][]) {
    const sorted = [...rows].sort((a, b) => order(a, b) || a.row - b.row);
    expect(await index.sorted({ column, from: 0, count: 10_000 }), column).toEqual(sorted);
    expect(await index.sorted({ column, from: 7, count: 5, isDescending: true }), column).toEqual(sorted.reverse().slice(7, 12));
  }
  const { url } = rows.find(({ type }) => type === "response") as RecordRow;
  const same = rows.filter((row) => surt(row.url) === surt(url)).sort((a, b) => orders.time(a, b) || a.row - b.row);
  expect(await index.captures(surt(url))).toEqual({ total: same.length, rows: same });
  expect(await index.captures(surt(url), { from: 1, count: 1 })).toEqual({ total: same.length, rows: same.slice(1, 2) });
  expect(await index.captures("com,nowhere)/")).toEqual({ total: 0, rows: [] });
  const placed = same.map(({ url: _, mime: __, size: ___, ...place }) => place);
  expect(await index.nearest(surt(url), { count: 100 })).toEqual(placed);
  expect(await index.nearest(surt(url), { captured: placed.at(-1)?.captured })).toEqual(placed.filter(({ captured }) => captured === placed.at(-1)?.captured).slice(0, 1));
  expect(await index.nearest("com,nowhere)/")).toEqual([]);
  const mimes = await index.values("mime", { count: 100 });
  expect(names(mimes)).toEqual(counted(rows.map(({ mime = "" }) => mime).sort(compare)));
  expect(await index.values("mime", { count: 100, after: mimes[1]?.behind })).toEqual(mimes.slice(2));
  expect(names(await index.values("status", { count: 100 })).sort()).toEqual(counted(rows.map(({ status }) => String(status ?? ""))).sort());
  expect(names(await index.values("type", { count: 100 })).sort()).toEqual(counted(rows.map(({ type }) => type)).sort());
  const period = await index.period();
  const times = rows.flatMap(({ captured }) => captured ?? []);
  expect(period).toEqual({ from: Math.min(...times), to: Math.max(...times) });
  const edges = [period?.from ?? 0, ((period?.from ?? 0) + (period?.to ?? 0)) / 2, (period?.to ?? 0) + 1];
  const inside = (from: number, to: number): RecordRow[] => rows.filter(({ captured = -1 }) => captured >= from && captured < to);
  const expected = [inside(edges[0] ?? 0, edges[1] ?? 0), inside(edges[1] ?? 0, edges[2] ?? 0)];
  expect(await index.timeline(edges)).toEqual(expected.map((some) => ({ records: some.length, bytes: some.reduce((sum, { length }) => sum + length, 0) })));
  // Every record is of one of the hosts, or of none.
  const below = async (under: string): Promise<number> => (await index.hosts(under, { count: 100 })).reduce((sum, { records }) => sum + records, 0);
  expect(await below("")).toBe(rows.length);
}

describe.each(["memory", "a folder of Node"])("in %s", (where) => {
  test("it answers as the table does, while it grows and when it is opened again", async () => {
    const memory = memoryStorage();
    const storage = (): PageStorage => (where === "memory" ? { ...memory, close: () => {} } : nodeStorage(folder));
    const first = await open(storage());
    expect(await first.index.rows(0, 10)).toEqual([]);
    expect(await first.index.period()).toBeUndefined();
    await fill(first);
    await check(first.index);
    await first.close();
    const second = await open(storage());
    await check(second.index);
    await keep(second, true);
    await check(second.index);
    await second.close();
    const third = await open(storage());
    await check(third.index);
    await third.close();
  });
});

test("rows of which no manifest was kept are gone, with their files, when it is opened again", async () => {
  const first = await open(nodeStorage(folder));
  await first.index.add(keyed_rows(table, 0, 20));
  await keep(first);
  await first.index.add(keyed_rows(table, 20, 20));
  // The tab is closed before the manifest comes to the store.
  await first.index.keep();
  expect(first.index.keptCount).toBe(40);
  await first.close();
  const second = await open(nodeStorage(folder));
  expect(second.index.count).toBe(20);
  expect(await second.index.rows(0, 100)).toEqual(rows.slice(0, 20));
  await second.index.add(keyed_rows(table, 20, 20));
  await keep(second);
  expect(await second.index.rows(0, 100)).toEqual(rows.slice(0, 40));
  await second.close();
});

test("merging many segments gives their space back", async () => {
  const storage = nodeStorage(folder);
  const kept = await open(storage);
  await fill(kept, 12);
  const held = await divided(storage).shelf(3).list();
  expect(await divided(storage).shelf(2).list()).toEqual([]);
  expect(held.length).toBeLessThan(12);
  expect(held.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(kept.index.bytes);
  expect(kept.index.count).toBe(12 * rows.length);
  const { total } = await kept.index.captures(surt(rows[5]?.url ?? ""));
  expect(total % 12).toBe(0);
  await kept.close();
});

test("a disk that is full leaves what was kept", async () => {
  let isFull = false;
  const storage = nodeStorage(folder);
  const full: PageStorage = {
    ...storage,
    write(batch) {
      if (isFull) throw new Error("no room");
      return storage.write(batch);
    },
  };
  const first = await open(full);
  await first.index.add(keyed_rows(table, 0, 20));
  await keep(first);
  isFull = true;
  await first.index.add(keyed_rows(table, 20, 20));
  await expect(first.index.keep()).rejects.toThrow("no room");
  await expect(first.index.rows(0, 1)).rejects.toThrow("no room");
  isFull = false;
  await first.store.close();
  const second = await open(nodeStorage(folder));
  expect(await second.index.rows(0, 100)).toEqual(rows.slice(0, 20));
  await second.close();
});

test("what is merged is written piece by piece, and read in whatever order with next to no cache", async () => {
  let longest = 0;
  const storage = nodeStorage(folder);
  const watched: PageStorage = {
    ...storage,
    write(batch) {
      for (const { bytes } of batch.appends ?? []) longest = Math.max(longest, bytes.length);
      return storage.write(batch);
    },
  };
  const kept = await open(watched);
  const all = keyed_rows(table, 0, rows.length);
  for (let n = 0; n < 6; n++) {
    for (let times = 0; times < 400; times++) await kept.index.add(all);
    await keep(kept);
  }
  longest = 0;
  await keep(kept, true);
  expect(kept.index.bytes).toBeGreaterThan(1.5 * 1024 * 1024);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(1.1 * 1024 * 1024);
  expect(kept.index.count).toBe(2_400 * rows.length);
  const bySize = await kept.index.sorted({ column: "size", from: 0, count: 5_000, isDescending: true });
  await kept.close();
  // With next to no cache, and rows that lie in more blocks than it has.
  const { storage: own, shelf } = divided(nodeStorage(folder));
  const store = await Store.open({ make: PageStore, storage: own });
  const index = await ArchiveIndex.open(KeptIndex, shelf(3), { manifest: await store.get(KEY), cacheBytes: 0 });
  expect(await index.sorted({ column: "size", from: 0, count: 5_000, isDescending: true })).toEqual(bySize);
  expect(bySize.map(({ size }) => size)).toEqual(bySize.map(({ size }) => size).sort((a, b) => b - a));
  expect((await index.values("mime", { count: 1000 })).reduce((sum, { records }) => sum + records, 0)).toBe(index.count);
  expect(await index.rows(0, 5_000)).toHaveLength(5_000);
  await index.close();
  await store.close();
}, 20_000);

test("while segments are merged or checked what is asked for is told, as it is before and after", async () => {
  const kept = await open(nodeStorage(folder));
  const { index } = kept;
  const all = keyed_rows(table, 0, rows.length);
  for (let n = 0; n < 6; n++) {
    for (let times = 0; times < 20; times++) await index.add(all);
    await keep(kept);
  }
  const searched = async (): Promise<number> => {
    for (;;) {
      const { isDone, total, hits } = await index.search({ query: "status:200", count: 3, order: "url" });
      if (isDone) return total + hits.length;
    }
  };
  const ask = async (n: number): Promise<unknown[]> => {
    const from = (n * 7_919) % index.count;
    const told = await Promise.all([index.rows(from, 30), index.sorted({ column: "size", from, count: 5 }), index.captures(surt(rows[5]?.url ?? ""), { count: 1 }), index.values("mime", { count: 100 }), searched()]);
    return [told[0].map(({ url, status, size }) => [url, status, size]), told[1].map(({ size }) => size), told[2].total, told[3].map(({ name, records }) => [name, records]), told[4]];
  };
  const before = [];
  for (let n = 0; n < 15; n++) before.push(await ask(n));
  let isWhole = false;
  const keeping = index.keep({ isWhole: true, isLast: true }).finally(() => (isWhole = true));
  let asked = 0;
  for (; !isWhole; asked++) expect(await ask(asked % 15)).toEqual(before[asked % 15]);
  expect(asked).toBeGreaterThan(3);
  await kept.store.put(KEY, (await keeping).manifest);
  await index.tidy();
  for (let n = 0; n < 15; n++) expect(await ask(n)).toEqual(before[n]);
  let isChecked = false;
  const checking = index.verify().finally(() => (isChecked = true));
  for (asked = 0; !isChecked; asked++) expect(await ask(asked % 15)).toEqual(before[asked % 15]);
  expect(asked).toBeGreaterThan(3);
  expect(await checking).toEqual([]);
  await kept.close();
  // A read that comes when it is closed is told so.
  await expect(index.rows(0, 1)).rejects.toThrow("closed");
});
