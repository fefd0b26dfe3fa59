/** Several files opened as one archive: one table, parts that say where a row lies, and the files that cannot be read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectArchive, openArchive, type Archive, type View } from "stackroom";
import { concat, exchange, gzipMember, httpResponse, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";

const crawl = (host: string, pages: number): Uint8Array[] => [
  warcInfo({}),
  ...Array.from({ length: pages }, (_, n) => exchange({ url: `http://${host}/${n}`, body: `page ${n} of ${host}` })).flat(),
];
const first = concat(...crawl("first.test", 3));
const second = warcGz(...crawl("second.test", 2));
const named = [
  { source: first, name: "first.warc" },
  { source: second, name: "second.warc.gz" },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-collection-"));
  mkdirSync(join(folder, "crawl", "b"), { recursive: true });
  writeFileSync(join(folder, "crawl", "a.warc"), first);
  writeFileSync(join(folder, "crawl", "b", "10.warc.gz"), second);
  writeFileSync(join(folder, "crawl", "b", "9.warc.gz"), second);
  writeFileSync(join(folder, "crawl", "notes.txt"), "Dear diary, nothing happened.");
  writeFileSync(join(folder, "crawl", ".hidden"), "junk");
});
afterAll(() => rmSync(folder, { recursive: true }));

async function opened(...args: Parameters<typeof openArchive>): Promise<Archive> {
  const archive = await openArchive(...args);
  await archive.indexed;
  return archive;
}

const completed = (view: View): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (view.isComplete) resolve();
    };
    view.onChange(check);
    check();
  });

test("rows of all files stand in one table, and each is read from its own", async () => {
  const archive = await opened(named);
  expect([archive.format, archive.name]).toEqual(["collection", "first.warc + 1"]);
  expect(archive.progress).toMatchObject({ records: 12, parts: 2, refusedCount: 0, bytes: first.length + second.length, isDone: true });
  expect(await archive.parts()).toEqual([
    { part: 0, file: 0, name: "first.warc", format: "warc", firstRow: 0 },
    { part: 1, file: 1, name: "second.warc.gz", format: "warc.gz", firstRow: 7 },
  ]);
  const rows = await archive.rows(0, 100);
  expect(rows.map((row) => row.part)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
  for (const row of rows.filter(({ type }) => type === "response")) {
    const [host, page] = row.url.replace("http://", "").split("/");
    expect(new TextDecoder().decode(await archive.bytes(row, "body"))).toBe(`page ${page} of ${host}`);
    expect((await archive.detail(row)).warcHeaders).toContainEqual(["WARC-Target-URI", row.url]);
  }
  await archive.close();
});

test("a filter looks in all parts or in some", async () => {
  const archive = await opened(named);
  const counts = [];
  for (const parts of [undefined, { from: 0, to: 1 }, { from: 1, to: 2 }, { from: 1, to: 9 }, { from: 2, to: 9 }]) {
    const views = ["/1", ""].map((text) => archive.filter(text, { parts }));
    await Promise.all(views.map(completed));
    counts.push(views.map((view) => view.count));
  }
  expect(counts).toEqual([[4, 12], [2, 7], [2, 5], [2, 5], [0, 0]]);
  await archive.close();
});

test("a file that cannot be read is told of, and the others are read", async () => {
  const bad = { source: new TextEncoder().encode("Dear diary"), name: "diary.txt" };
  const missing = { source: join(folder, "nowhere.warc"), name: "nowhere.warc" };
  const archive = await opened([bad, ...named, missing]);
  expect(archive.progress).toMatchObject({ records: 12, parts: 2, refusedCount: 2, bytesTotal: first.length + second.length });
  expect(await archive.refused()).toMatchObject([
    { file: 3, name: "nowhere.warc", code: "source/not-found" },
    { file: 0, name: "diary.txt", code: "open/not-an-archive" },
  ]);
  expect((await archive.parts()).map(({ file }) => file)).toEqual([1, 2]);
  await archive.close();
  await expect(openArchive([bad, missing])).rejects.toMatchObject({ message: expect.stringContaining("None of these 2 files") });
});

test("a folder is opened with all that is in it, in the order of names", async () => {
  const archive = await opened(join(folder, "crawl"));
  expect(archive.name).toBe("crawl");
  expect((await archive.parts()).map(({ name }) => name)).toEqual(["crawl/a.warc", "crawl/b/9.warc.gz", "crawl/b/10.warc.gz"]);
  expect((await archive.refused()).map(({ name }) => name)).toEqual(["crawl/notes.txt"]);
  await archive.close();
});

test("lines of inspection say the file where they are asked to", async () => {
  const files = [];
  for (const isAlwaysNamed of [false, true]) {
    for await (const line of inspectArchive(named[1] ?? second, { isAlwaysNamed })) files.push(line.file);
  }
  expect(files).toEqual([...Array(5).fill(undefined), ...Array(5).fill("second.warc.gz")]);
  await expect(async () => {
    for await (const _ of inspectArchive(second, { member: "x" })) continue;
  }).rejects.toMatchObject({ code: "read/no-member" });
});

test("a revisit gives the body of the capture that it refers to, in whatever file that lies", async () => {
  const url = "http://again.test/";
  const date = "2020-05-05T10:00:00Z";
  const digest = "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH";
  const response = (at: string, headers: Record<string, string>, body: string): Uint8Array =>
    warcRecord({ url, date: at, headers, block: httpResponse({ headers: { "Content-Type": "text/plain" }, body }) });
  const revisit = (at: string, headers: Record<string, string>): Uint8Array =>
    warcRecord({ type: "revisit", url, date: at, headers, block: httpResponse({ headers: { "Content-Length": null } }) });
  const older = concat(
    response(date, { "WARC-Payload-Digest": digest }, "the first body"),
    response("2021-05-05T10:00:00Z", {}, "another body"),
  );
  const newer = concat(
    revisit("2022-01-01T00:00:00Z", { "WARC-Refers-To-Target-URI": url, "WARC-Refers-To-Date": "2021-05-05T10:00:00Z" }),
    revisit("2022-01-02T00:00:00Z", { "WARC-Payload-Digest": digest }),
    revisit("2022-01-03T00:00:00Z", { "WARC-Profile": "http://netpreserve.org/warc/1.0/revisit/server-not-modified" }),
    revisit("2022-01-04T00:00:00Z", { "WARC-Payload-Digest": "sha1:ZZZZ" }),
  );
  for (const sources of [[newer, older], [warcGz(older), warcGz(newer)], [concat(newer, older)]]) {
    const archive = await opened(sources);
    const revisits = (await archive.rows(0, 10)).filter(({ type }) => type === "revisit");
    const bodies = await Promise.all(revisits.map(async (row) => new TextDecoder().decode(await archive.bytes(row, "body"))));
    expect(bodies).toEqual(["another body", "the first body", "another body", ""]);
    const originals = await Promise.all(revisits.map((row) => archive.original(row)));
    expect(originals.map((row) => row && new Date(row.captured ?? 0).getUTCFullYear())).toEqual([2021, 2020, 2021, undefined]);
    await archive.close();
  }
});

test("a body that is kept in segments is joined, wherever they lie", async () => {
  const url = "http://long.test/";
  const id = "<urn:uuid:00000000-0000-4000-8000-000000000001>";
  const text = "The first part, the second part, the third part.";
  const block = httpResponse({ headers: { "Content-Type": "text/plain", "Content-Encoding": "gzip" }, body: gzipMember(text) });
  const cut = [0, block.length - 40, block.length - 20, block.length];
  const piece = (n: number): Uint8Array => block.slice(cut[n - 1], cut[n]);
  const first = warcRecord({ url, id, headers: { "WARC-Segment-Number": "1" }, block: piece(1) });
  const later = (n: number, more: Record<string, string> = {}): Uint8Array =>
    warcRecord({ type: "continuation", url, headers: { "WARC-Segment-Number": String(n), "WARC-Segment-Origin-ID": id, ...more }, block: piece(n) });
  const last = later(3, { "WARC-Segment-Total-Length": String(block.length) });
  const other = warcRecord({ type: "resource", url: "http://other.test/", block: "something else" });
  const second = later(2);
  for (const sources of [[concat(first, second, last)], [concat(first, other), concat(last, other, second)], [warcGz(last), warcGz(other, second), warcGz(first)]]) {
    const archive = await opened(sources);
    const row = (await archive.rows(0, 10)).find(({ type }) => type === "response");
    if (!row) throw new Error("no row");
    expect(new TextDecoder().decode(await archive.bytes(row, "body"))).toBe(text);
    await archive.close();
  }
  const lacking = await opened([concat(first, last)]);
  const [row] = await lacking.rows(0, 1);
  expect(row && (await lacking.bytes(row, "body")).length).toBeLessThan(text.length);
  await lacking.close();
});
