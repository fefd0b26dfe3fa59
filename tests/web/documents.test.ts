/** What records say to a reader, told while an archive is read: in order, once, and reading does not wait for who takes it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { divided } from "../../web/lib/library/files.js";
import { openLibrary } from "../../web/lib/library/node.js";
import { openArchive, reopenArchive, type Archive } from "../../web/lib/node.js";
import { memoryStorage } from "../../web/lib/store/memory.js";
import { KeptIndex } from "../../web/lib/wasm/store.js";
import { concat, exchange, warcGz, warcInfo, warcRecord, httpResponse } from "../fixtures/warc.js";
import { documentsIn, type ReadDocument } from "./support/documents.js";

interface Told {
  readonly documents: ReadDocument[];
  readonly steps: number[];
}

/** All documents of an archive, as far as they are in order. */
async function taken(archive: Archive): Promise<Told> {
  const documents: ReadDocument[] = [];
  const steps: number[] = [];
  for await (const lot of archive.documents()) {
    for (const document of documentsIn(lot.documents)) {
      expect(document.row).toBeGreaterThan(documents.at(-1)?.row ?? -1);
      expect(document.row).toBeLessThan(lot.upTo);
      expect(document.row).toBeGreaterThanOrEqual(steps.at(-1) ?? 0);
      documents.push(document);
    }
    expect(lot.upTo).toBeGreaterThanOrEqual(steps.at(-1) ?? 0);
    steps.push(lot.upTo);
  }
  return { documents, steps };
}

const page = (n: number, filler = ""): string => `<!doctype html><html lang=en><title>Page ${n}</title><p>Text ${n}<a href="/${n + 1}">next</a>${filler}`;
const html = { "Content-Type": "text/html; charset=utf-8" };
const crawl = (pages: number, filler = ""): Uint8Array[] => [
  warcInfo({}),
  ...Array.from({ length: pages }, (_, n) => exchange({ url: `http://a.test/${n}`, headers: html, body: page(n, filler) })).flat(),
];

test("documents of every kind are told with the rows that they are of", async () => {
  const encoder = new TextEncoder();
  const records = [
    warcInfo({}),
    ...exchange({ url: "http://a.test/", headers: html, body: page(0) }),
    ...exchange({ url: "http://a.test/old", status: 301, headers: { Location: "/new" } }),
    ...exchange({ url: "http://a.test/gone", status: 404, headers: html, body: page(1) }),
    ...exchange({ url: "http://a.test/koi", headers: { "Content-Type": "text/html; charset=koi8-r" }, body: concat("<title>", new Uint8Array([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), "</title>") }),
    ...exchange({ url: "http://a.test/sjis", headers: { "Content-Type": "text/plain" }, body: new Uint8Array([0xff, 0xfe, 0xe4, 0, 0x3c, 0xd8, 0x0d, 0xdf]) }),
    ...exchange({ url: "http://a.test/json", headers: { "Content-Type": "application/json" }, body: '{"a":"b"}' }),
    ...exchange({ url: "http://a.test/feed", headers: { "Content-Type": "application/rss+xml" }, body: "<rss><channel><title>F</title></channel></rss>" }),
    ...exchange({ url: "http://a.test/png", headers: html, body: encoder.encode("\u0089PNG\r\n\u001a\n") }),
    ...exchange({ url: "http://a.test/js", headers: { "Content-Type": "text/javascript" }, body: "var a;" }),
    warcRecord({ url: "http://a.test/cut", headers: { "WARC-Truncated": "length" }, block: httpResponse({ headers: html, body: page(9) }) }),
    warcRecord({ type: "conversion", url: "http://a.test/text", headers: { "Content-Type": "text/plain" }, block: "one\ntwo" }),
  ];
  const archive = await openArchive(concat(...records), { withDocuments: true });
  const { documents, steps } = await taken(archive);
  const { records: count } = await archive.indexed;
  const rows = await archive.rows(0, count);
  const shown = documents.map(({ row, kind, title, text, redirect, isPartial }) => [rows[row]?.url.slice(14), kind, title || text || redirect, isPartial]);
  expect(shown).toEqual([
    ["", "html", "Page 0", false],
    ["old", "redirect", "/new", false],
    ["koi", "html", "\u041f\u0440\u0438\u0432\u0435\u0442", false],
    ["sjis", "text", "\u00e4\u{1f30d}", false],
    ["json", "json", "b", false],
    ["feed", "feed", "F", false],
    ["cut", "html", "Page 9", true],
    ["text", "text", "one\ntwo", false],
  ]);
  expect(rows.filter((_, row) => documents.some((document) => document.row === row)).every(({ type }) => type !== "request")).toBe(true);
  expect(documents[0]).toMatchObject({ language: "en", text: "Text 0next", links: [["anchor", "/1"]] });
  expect(steps.at(-1)).toBe(count);
  await archive.close();
});

test("reading does not wait for who takes documents: what it passed over comes later, from any row on", async () => {
  const source = concat(...crawl(40, "x".repeat(1 << 20)));
  const archive = await openArchive(source, { withDocuments: true });
  await archive.indexed;
  let lots = 0;
  for await (const { upTo } of archive.documents()) {
    expect(upTo).toBeGreaterThan(0);
    if (++lots === 3) break;
  }
  expect(await archive.indexed).toMatchObject({ records: 81, isDone: true });
  await archive.close();

  const stopped = await openArchive(source, { withDocuments: true });
  await stopped.stopDocuments();
  expect(await stopped.indexed).toMatchObject({ records: 81 });
  expect(await taken(stopped)).toEqual({ documents: [], steps: [] });
  await stopped.close();

  const all = await openArchive(source, { withDocuments: true });
  await all.indexed;
  const { documents, steps } = await taken(all);
  expect(documents.map(({ title }) => title)).toEqual(Array.from({ length: 40 }, (_, n) => `Page ${n}`));
  expect(steps.at(-1)).toBe(81);
  await all.close();

  const late = await openArchive(source, { withDocuments: true });
  const titles: string[] = [];
  for await (const lot of late.documents({ from: 61 })) titles.push(...[...documentsIn(lot.documents)].filter(({ row }) => row >= 61).map(({ title }) => title));
  expect(titles).toEqual(Array.from({ length: 10 }, (_, n) => `Page ${n + 30}`));
  await late.close();
});

test("how far it is is told of long stretches without documents", async () => {
  const files = Array.from({ length: 9_000 }, (_, n) => warcRecord({ url: `http://a.test/${n}`, block: httpResponse({ headers: { "Content-Type": "image/png" }, body: "x" }) }));
  const archive = await openArchive(concat(...files, ...crawl(1)), { withDocuments: true });
  const { documents, steps } = await taken(archive);
  expect(documents).toHaveLength(1);
  expect(steps.at(-1)).toBe(9_003);
  await archive.close();
});

test("documents end where they are left, and where the archive is closed", async () => {
  const source = concat(...crawl(40, "x".repeat(1 << 20)));
  const left = await openArchive(source, { withDocuments: true });
  const leaving = new AbortController();
  const leave = async (): Promise<void> => {
    for await (const _ of left.documents({ signal: leaving.signal })) leaving.abort();
  };
  await expect(leave()).rejects.toMatchObject({ name: "AbortError" });
  expect(await left.indexed).toMatchObject({ records: 81 });
  await left.close();

  const closed = await openArchive(source, { withDocuments: true });
  await closed.indexed;
  const close = async (): Promise<void> => {
    for await (const { upTo } of closed.documents()) if (upTo > 30) void closed.close();
  };
  await expect(close()).rejects.toThrow();
});

test("documents that were not asked for are refused", async () => {
  const archive = await openArchive(concat(...crawl(1)));
  await expect(archive.documents().next()).rejects.toMatchObject({ code: "read/no-documents" });
  await archive.close();
});

test("an archive that is gone on with tells the documents behind the place where it goes on", async () => {
  // The store's module is loaded by whoever opens a library.
  const folder = mkdtempSync(join(tmpdir(), "documents-"));
  const library = await openLibrary(join(folder, "library"));
  const rest = crawl(900);
  for (const [bytes, name] of [[concat(...rest), "a.warc"], [warcGz(...rest), "a.warc.gz"]] as const) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const whole = await openArchive(path, { isForKeeping: true, withDocuments: true });
    const all = await taken(whole);
    expect(all.documents).toHaveLength(900);
    const index = await ArchiveIndex.open(KeptIndex, divided(memoryStorage()).shelf(1));
    for await (const rows of whole.keyedRows(0, 500)) await index.add(rows);
    const rows = async function* (): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < index.count; from += 400) yield await index.storedRows(from, 400);
    };
    for (const records of [0, 1, 700, 1300, Infinity]) {
      const state = await whole.keptState({ records });
      const again = await reopenArchive(path, { state, rows }, { withDocuments: true });
      const told = await taken(again);
      await again.indexed;
      const from = told.documents[0]?.row ?? Infinity;
      expect(from).toBeGreaterThan(Math.min(records, 1801) - 600);
      expect(told.documents).toEqual(all.documents.filter(({ row }) => row >= from));
      // Without the rows from there on it would not be all.
      expect(all.documents.filter(({ row }) => row >= Math.min(records, 1801))).toEqual(told.documents.filter(({ row }) => row >= Math.min(records, 1801)));
      await again.close();
    }
    await whole.close();
  }
  await library.close();
  rmSync(folder, { recursive: true });
});
