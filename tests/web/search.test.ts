/** Searches of what a library keeps: words, phrases, fields, order, groups, facets; while it grows, after a crash, by the command line. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { divided } from "../../web/lib/library/files.js";
import { openLibrary, type Library, type SearchAsked, type SearchFound, type Stretch } from "../../web/lib/library/node.js";
import { openArchive } from "../../web/lib/node.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import { Store } from "../../web/lib/store/store.js";
import { PageStore } from "../../web/lib/wasm/store.js";
import { exchange, warcGz, warcInfo } from "../fixtures/warc.js";

const html = { "Content-Type": "text/html; charset=utf-8" };
const document = (title: string, text: string, language = "en"): string => `<!doctype html><html lang=${language}><title>${title}</title><p>${text}</p>`;
const forms = [
  { url: "http://forms.test/de", body: document("H\u00e4user", "Die Wohnungen lagen am Fluss.", "de-AT") },
  { url: "http://forms.test/fr", body: document("Maisons", "Deux maisons neuves, et un new.", "fr") },
  { url: "http://forms.test/ru", body: document("\u041a\u043e\u0448\u043a\u0430", "\u041a\u0440\u0430\u0441\u043d\u044b\u0439 \u0434\u043e\u043c", "ru") },
];
const filler = "water under the bridge ".repeat(400);
const LAST = 299;

const pages = [
  { url: "http://books.test/tolkien", body: document("The Silmarillion", "A book by Tolkien, published after the author had died.") },
  { url: "http://books.test/tolstoy", body: document("Anna Karenina", "A novel by Tolstoy. Trains are running late; a runner runs.") },
  { url: "http://cafe.test/menu", body: document("Caf\u00e9 cr\u00e8me", "Ein Caf\u00e9 mit Stra\u00dfenblick und \u6771\u4eac\u90fd\u306e\u5730\u56f3", "de") },
  { url: "http://cafe.test/copy", body: document("Caf\u00e9 cr\u00e8me", "Ein Caf\u00e9 mit Stra\u00dfenblick und \u6771\u4eac\u90fd\u306e\u5730\u56f3", "de") },
  ...forms,
  ...Array.from({ length: LAST + 1 }, (_, n) => ({ url: `http://many.test/page/${n}`, body: document(`Page ${n}`, `${filler} number${n} ${n === LAST ? "a quince grows here alone" : ""}`) })),
];

let home: string;
let path: string;
let library: Library;
let index: ArchiveIndex;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "search-"));
  path = join(home, "crawl.warc.gz");
  const records = pages.flatMap(({ url, body }, n) => exchange({ url, headers: html, body, date: `2014-0${1 + (n % 9)}-01T00:00:00Z` }));
  writeFileSync(path, warcGz(warcInfo({}), ...records, ...exchange({ url: "http://many.test/gone", status: 404, headers: html, body: document("Gone", "Nothing is here") }), ...exchange({ url: "http://many.test/logo.png", headers: { "Content-Type": "image/png" }, body: "no picture" })));
  library = await openLibrary(join(home, "kept"));
  const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  const { id } = await library.add(archive, { source: path });
  await archive.close();
  index = await library.index(id);
}, 60_000);
afterAll(async () => {
  await library.close();
  rmSync(home, { recursive: true });
});

async function whole(asked: SearchAsked, of = index): Promise<SearchFound> {
  for (;;) {
    const found = await of.search(asked);
    if (found.isDone) return found;
  }
}

const urls = async (query: string, asked: Partial<SearchAsked> = {}): Promise<string[]> => (await whole({ count: 1_000, ...asked, query })).hits.map(({ record }) => record.url);
const paths = async (query: string, asked: Partial<SearchAsked> = {}): Promise<string[]> => (await urls(query, asked)).map((url) => new URL(url).pathname);
const marked = (stretches: readonly Stretch[] = []): string[] => stretches.filter(({ isMarked }) => isMarked).map(({ text }) => text);

test("words, phrases, prefixes and their combinations find pages", async () => {
  expect(await paths("tolkien")).toEqual(["/tolkien"]);
  expect(await paths("silmarillion")).toEqual(["/tolkien"]);
  expect(await paths('"novel by Tolstoy"')).toEqual(["/tolstoy"]);
  expect(await paths('"by novel"')).toEqual([]);
  expect(await paths("tol*")).toHaveLength(2);
  expect(await paths("tolkien OR tolstoy")).toHaveLength(2);
  expect(await paths("book -tolstoy host:books.test")).toEqual(["/tolkien"]);
  expect(await paths("run title:anna")).toEqual(["/tolstoy"]);
  expect(await paths("run title:anna", { isStemmed: false })).toEqual([]);
  expect(await paths("cafe strassenblick", { group: "digest" })).toHaveLength(1);
  expect((await paths("caf\u00e9")).sort()).toEqual(["/copy", "/menu"]);
  expect((await paths("\u4eac\u90fd")).sort()).toEqual(["/copy", "/menu"]);
  expect(await paths("quince")).toEqual([`/page/${LAST}`]);
});

test("words find their forms in the language of each page", async () => {
  for (const [word, path] of [["Haus", "/de"], ["Wohnung", "/de"], ["maison", "/fr"], ["\u043a\u043e\u0448\u043a\u0438", "/ru"], ["\u043a\u0440\u0430\u0441\u043d\u0430\u044f", "/ru"]] as const) {
    expect(await paths(word), word).toEqual([path]);
    expect(await paths(`"${word}"`), word).toEqual([]);
    expect(await paths(word, { isStemmed: false }), word).toEqual([]);
  }
  expect(await paths("bridges lang:fr")).toEqual([]);
  const [hit] = (await whole({ query: "maison", count: 1, withPassages: true })).hits;
  expect(marked(hit?.title)).toEqual(["Maisons"]);
  expect(marked(hit?.passages?.flat())).toEqual(["maisons"]);
  expect((await whole({ query: "maison", withPlan: true })).plan?.[0]?.what).toBe("maison and 1 other form");
});

test("fields and regular expressions find records, those that say nothing too", async () => {
  expect(await paths("status:404")).toEqual(["/gone"]);
  expect(await paths("mime:image/*")).toEqual(["/logo.png"]);
  expect(await paths("url:/page\\/29[89]$/")).toEqual(["/page/298", "/page/299"]);
  expect(await paths("lang:de host:cafe.test", { order: "url" })).toEqual(["/copy", "/menu"]);
  expect(await paths("body:/qui[mn]ce gr.ws/")).toEqual([`/page/${LAST}`]);
  expect(await paths("title:/^Anna/")).toEqual(["/tolstoy"]);
  expect((await whole({ query: "date:2014-02 mime:text/html" })).total).toBe(pages.filter((_, n) => n % 9 === 1).length);
});

test("there is no end to hits but their number; every order is to be had", async () => {
  const { total } = await whole({ query: "bridge" });
  expect(total).toBe(LAST + 1);
  const first = await urls("bridge", { count: 100 });
  const rest = await urls("bridge", { from: 100, count: 1_000 });
  expect(new Set([...first, ...rest]).size).toBe(total);
  const times = (await whole({ query: "bridge", order: "time", isDescending: true, count: 1_000 })).hits.map(({ record }) => record.captured ?? 0);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect(await paths("bridge", { order: "file", from: 7, count: 2 })).toEqual(["/page/7", "/page/8"]);
});

test("one hit may stand for all of a host, or of the same content", async () => {
  const { hits } = await whole({ query: "bridge OR tolkien OR tolstoy", group: "host", count: 10 });
  expect(hits.map(({ record, count }) => [new URL(record.url).host, count]).sort()).toEqual([["books.test", 2], ["many.test", LAST + 1]]);
  expect((await whole({ query: "strassenblick", group: "digest", count: 10 })).hits.map(({ count }) => count)).toEqual([2]);
});

test("passages tell where the words are, far into a text too", async () => {
  const { hits } = await whole({ query: "quince page", count: 5, withPassages: true });
  expect(marked(hits[0]?.passages?.flat())).toContain("quince");
  expect(marked(hits[0]?.title)).toEqual(["Page"]);
  const [cafe] = (await whole({ query: "cafe", count: 1, withPassages: true })).hits;
  expect(marked(cafe?.passages?.flat())).toContain("Caf\u00e9");
});

test("facets count the hits of each value, the most first", async () => {
  const { facets } = await whole({ query: "bridge OR tolkien OR status:404", facets: [{ field: "host", count: 10 }, { field: "status", count: 1 }, { field: "host", count: 10, prefix: "bo" }] });
  expect(facets).toEqual([
    { field: "host", values: [{ value: "many.test", count: LAST + 2 }, { value: "books.test", count: 1 }] },
    { field: "status", values: [{ value: "200", count: LAST + 2 }] },
    { field: "host", values: [{ value: "books.test", count: 1 }] },
  ]);
});

test("the plan tells what was done", async () => {
  const { plan } = await whole({ query: "tolkien status:200 url:/books/", withPlan: true });
  expect(plan.length).toBeGreaterThanOrEqual(3);
  expect(plan.map(({ rows }) => rows)).toContain(1);
});

test("a query that is wrong says where, and the next one is answered", async () => {
  await expect(index.search({ query: "tolkien status:abc" })).rejects.toMatchObject({ code: "query/value", offset: 8 });
  await expect(index.search({ query: "url:/(/" })).rejects.toMatchObject({ code: "query/value" });
  await expect(index.search({ query: "body:/a{1000000}/" })).rejects.toMatchObject({ code: "query/value" });
  await expect(index.search({ query: "(a" })).rejects.toMatchObject({ code: "query/syntax" });
  await expect(whole({ query: Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(" or ") })).rejects.toMatchObject({ code: expect.stringMatching(/^query\//) as string });
  expect(await paths("tolkien")).toEqual(["/tolkien"]);
});

test("what was kept before there was any search is searched too, and kept so", async () => {
  const old = await openLibrary(join(home, "old"));
  const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  const { id } = await old.add(archive, { source: path });
  await archive.close();
  await old.close();
  const store = await Store.open({ make: PageStore, storage: divided(nodeStorage(join(home, "old"))).storage });
  expect(await store.remove(new TextEncoder().encode(`search/${id}`))).toBe(true);
  await store.close();
  const older = await openLibrary(join(home, "old"));
  expect((await whole({ query: "quince" }, await older.index(id))).total).toBe(1);
  await older.close();
  const again = await openLibrary(join(home, "old"));
  const found = await (await again.index(id)).search({ query: "quince" });
  expect(found).toMatchObject({ total: 1, isDone: true, searched: found.records });
  expect(await again.verify()).toEqual([]);
  await again.close();
});

test("while an archive is added, what is there is found", async () => {
  const growing = await openLibrary(join(home, "growing"));
  const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  const totals: number[] = [];
  let isOver = false;
  const added = growing.add(archive, { source: path }).finally(() => (isOver = true));
  while (!isOver) {
    const [kept] = await growing.list();
    if (kept) totals.push((await (await growing.index(kept.id)).search({ query: "bridge" })).total);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { id } = await added;
  await archive.close();
  expect(totals).toEqual([...totals].sort((a, b) => a - b));
  expect((await whole({ query: "bridge" }, await growing.index(id))).total).toBe(LAST + 1);
  expect(await growing.verify()).toEqual([]);
  await growing.close();
});

test("the command line finds, counts and explains", async () => {
  const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const folder = join(home, "told");
  const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: "utf8" });
  expect(run("add", path, "--to", folder).status).toBe(0);
  const found = run("search", folder, "quince", "--json", "--facets", "host", "--explain");
  expect(found.status).toBe(0);
  const [summary, hit] = found.stdout.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(summary).toMatchObject({ total: 1, facets: [{ field: "host", values: [{ value: "many.test", count: 1 }] }] });
  expect(hit).toMatchObject({ record: { url: `http://many.test/page/${LAST}` } });
  expect(run("search", folder, "quince").stdout).toContain("*quince*");
  expect(run("search", folder, "nosuchword").status).toBe(1);
  expect(run("search", folder, "status:abc").status).toBe(2);
});
