/** Documents that an index keeps beside its rows: as they were told, however they come, and whatever breaks them off. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { divided } from "../../web/lib/library/files.js";
import type { RecordRow } from "../../web/lib/shapes.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import { Store } from "../../web/lib/store/store.js";
import initStore, { KeptIndex, PageStore } from "../../web/lib/wasm/store.js";
import initTools, { Index, keyed_rows } from "../../web/lib/wasm/tools.js";
import { decodeRows } from "../../web/lib/wire.js";
import { encodeDocuments, type ToldDocument } from "./support/tolddocuments.js";

let folder: string;
let table: Index;
let rows: RecordRow[];
let told: ToldDocument[];

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
  told = rows.filter(({ type }) => type === "response").map(({ row }, n) => documentOf(row, n));
  expect(told.length).toBeGreaterThan(20);
});
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "documents-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const titles = ["Zebra", "apple", "\u00c4pfel", "", "<script>alert(1)</script>", "\u202eevil", "Apple"];

/** Of every kind in turn, fragments and long texts among them. */
const documentOf = (row: number, n: number): ToldDocument => ({
  row,
  kind: n % 3 === 0 ? n % 8 : 0,
  flags: n % 11 === 10 ? 1 : n % 5 === 4 ? 2 : 0,
  title: titles[n % titles.length] ?? "",
  language: ["de", "en", ""][n % 3] ?? "",
  text: `Text of ${n}\n`.repeat(n % 4 === 0 ? 5_000 : n),
  links: Array.from({ length: n % 5 }, (_, at) => ({ kind: at % 7, url: `../${at}?of=${n}#top` })),
});

const isPage = ({ kind, flags }: ToldDocument): boolean => [0, 1, 6].includes(kind) && flags !== 1;

const KEYS = ["rows", "documents"].map((key) => new TextEncoder().encode(key)) as [Uint8Array, Uint8Array];

interface Kept {
  readonly index: ArchiveIndex;
  readonly keep: (isWhole?: boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

async function open(): Promise<Kept> {
  const { storage, shelf } = divided(nodeStorage(folder));
  const store = await Store.open({ make: PageStore, storage, cacheBytes: 1 << 20 });
  const [manifest, documents] = [await store.get(KEYS[0]), await store.get(KEYS[1])];
  const index = await ArchiveIndex.open(KeptIndex, shelf(3), { manifest, documents });
  return {
    index,
    async keep(isWhole = false) {
      const made = await index.keep({ isWhole });
      await store.batch({ put: [[KEYS[0], made.manifest], ...(made.documents ? [[KEYS[1], made.documents] as const] : [])] });
      await index.tidy();
    },
    async close() {
      await index.close();
      await store.close();
    },
  };
}

const lot = (from: number, upTo: number): Parameters<ArchiveIndex["addDocuments"]> => [from, upTo, encodeDocuments(told.filter(({ row }) => row >= from && row < upTo))];

async function check(index: ArchiveIndex): Promise<void> {
  const pages = told.filter(isPage);
  const listed = async (asked: object): Promise<number[]> => (await index.documents({ from: 0, count: 1_000, ...asked })).map(({ record }) => record.row);
  expect(await listed({})).toEqual(pages.map(({ row }) => row));
  expect(await listed({ from: 3, count: 5, isDescending: true })).toEqual(pages.map(({ row }) => row).reverse().slice(3, 8));
  expect(await listed({ language: "de" })).toEqual(pages.filter(({ language }) => language === "de").map(({ row }) => row));
  expect(await listed({ language: "und" })).toEqual(pages.filter(({ language }) => language === "").map(({ row }) => row));
  expect(await listed({ language: "nowhere" })).toEqual([]);
  expect(await listed({ kind: "json" })).toEqual(told.filter(({ kind, flags }) => kind === 3 && flags !== 1).map(({ row }) => row));
  const byTime = [...pages].sort((a, b) => (rows[a.row]?.captured ?? Infinity) - (rows[b.row]?.captured ?? Infinity) || a.row - b.row);
  expect(await listed({ order: "time" })).toEqual(byTime.map(({ row }) => row));
  const byTitle = (await index.documents({ order: "title", from: 0, count: 1_000 })).map(({ document }) => document.title?.toLowerCase());
  const titled = byTitle.filter((title) => title !== undefined);
  expect(titled).toEqual([...titled].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  expect(byTitle.slice(titled.length).every((title) => title === undefined)).toBe(true);
  const counts = await index.documentCounts();
  expect(counts?.pages).toBe(pages.length);
  expect(counts?.fragments).toBe(told.filter(({ flags }) => flags === 1).length);
  expect(counts?.languages.reduce((sum, { count }) => sum + count, 0)).toBe(pages.length);
  for (const one of told) {
    const found = await index.documentOf(one.row);
    expect(found?.record).toEqual(rows[one.row]);
    expect(found?.document).toMatchObject({ textBytes: one.text.length, linkCount: one.links.length, isFragment: one.flags === 1, isCut: one.flags === 2, isTextKept: true });
    expect(found?.document.title ?? "").toBe(one.title);
    expect(await index.text(one.row)).toBe(one.text);
    expect((await index.links(one.row)).map(({ url }) => url)).toEqual(one.links.map(({ url }) => new URL(url, rows[one.row]?.url).href));
  }
  expect(await index.documentOf(rows.find(({ type }) => type === "request")?.row ?? 0)).toBeUndefined();
  expect(await index.verify()).toEqual([]);
}

test("documents that come before their rows, with them or behind them are told as they came", async () => {
  const { index, keep, close } = await open();
  expect(index.documentsEnd).toBeUndefined();
  expect(await index.addDocuments(...lot(0, 30))).toBe(true);
  await index.add(keyed_rows(table, 0, 20));
  await keep();
  expect(await index.addDocuments(...lot(30, 31))).toBe(true);
  await index.add(keyed_rows(table, 20, rows.length - 20));
  expect(await index.addDocuments(...lot(31, rows.length))).toBe(true);
  await keep();
  await check(index);
  await keep(true);
  await check(index);
  await close();
  const again = await open();
  await check(again.index);
  await again.close();
});

test("broken off at every commit and in between, nothing is missing and nothing is there twice", async () => {
  const step = 7;
  for (let at = 0; at < rows.length; at += step) {
    const { index, keep, close } = await open();
    // Where a commit was made rows and documents agree, and what came behind is gone.
    expect([index.count, index.documentsEnd ?? 0]).toEqual([at, at]);
    const upTo = Math.min(rows.length, at + step);
    expect(await index.addDocuments(...lot(Math.max(0, at - 3), upTo))).toBe(true);
    await index.add(keyed_rows(table, at, upTo - at));
    await keep(upTo === rows.length);
    // The tab is closed while these are on their way.
    if (upTo < rows.length) {
      expect(await index.addDocuments(...lot(upTo, rows.length))).toBe(true);
      await index.add(keyed_rows(table, upTo, 5));
      await index.keep();
    }
    await close();
  }
  const { index, close } = await open();
  await check(index);
  await close();
});

test("documents begin with the rows, go on where they ended, or not at all", async () => {
  const first = await open();
  await first.index.add(keyed_rows(table, 0, 20));
  await first.keep();
  expect(await first.index.addDocuments(...lot(0, 40))).toBe(false);
  expect(await first.index.documentCounts()).toBeUndefined();
  expect(await first.index.documents({ from: 0, count: 10 })).toEqual([]);
  expect(await first.index.documentOf(3)).toBeUndefined();
  await first.close();
  rmSync(folder, { recursive: true });
  const second = await open();
  expect(await second.index.addDocuments(...lot(0, 10))).toBe(true);
  expect(await second.index.addDocuments(...lot(12, 40))).toBe(false);
  await expect(second.index.addDocuments(10, 40, new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ code: "documents/malformed" });
  await second.index.add(keyed_rows(table, 0, 40));
  await second.keep();
  // They end before the rows do: that is known from now on.
  expect(second.index.documentsEnd).toBe(10);
  expect((await second.index.documents({ from: 0, count: 99 })).every(({ record }) => record.row < 10)).toBe(true);
  await second.close();
});
