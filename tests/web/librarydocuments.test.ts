/** Documents that a library keeps of archives that are read: whole, broken off anywhere, handed over, given up. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ArchiveError } from "../../web/lib/errors.js";
import type { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { keepArchive, type Keeper } from "../../web/lib/library/keeping.js";
import { openLibrary, type KeptArchive, type Library } from "../../web/lib/library/node.js";
import { openArchive, reopenArchive } from "../../web/lib/node.js";
import { exchange, warcGz, warcInfo } from "../fixtures/warc.js";

const html = { "Content-Type": "text/html; charset=utf-8" };
const PAGES = 150;
const filler = "words of a page that has many ".repeat(5_000);

let files: string;
let path: string;
let folder: string;
let home: string;
/** What is told of the archive where nothing breaks. */
let whole: Told;

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), "librarydocuments-"));
  path = join(files, "crawl.warc.gz");
  const pages = Array.from({ length: PAGES }, (_, n) => exchange({ url: `http://${n % 3}.test/${n}`, headers: html, body: page(n) }));
  writeFileSync(path, warcGz(warcInfo({}), ...pages.flat(), ...exchange({ url: "http://a.test/old", status: 301, headers: { Location: "/new" } })));
  const library = await openLibrary(join(files, "whole"));
  const kept = await add(library);
  expect(kept).toMatchObject({ state: "ready", documents: PAGES, hosts: 4 });
  expect(kept.documentsEnd).toBeUndefined();
  whole = await told(await library.index(kept.id));
  expect(whole.texts).toHaveLength(PAGES);
  await library.close();
}, 60_000);
afterAll(() => rmSync(files, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "librarydocuments-"));
  home = join(folder, "kept");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const page = (n: number): string =>
  `<!doctype html><html lang=${n % 4 === 0 ? "de" : "en"}><title>${n % 2 === 0 ? "Even" : "odd"} ${n}</title><p>Text ${n} ${filler}<a href="/${n + 1}#part">next</a><img src="i.png">`;

interface Told {
  readonly rows: unknown[];
  readonly pages: unknown[];
  readonly texts: string[];
  readonly links: unknown[];
}

async function told(index: ArchiveIndex): Promise<Told> {
  const pages = await index.documents({ order: "title", from: 0, count: 10_000 });
  const byFile = await index.documents({ from: 0, count: 10_000 });
  const texts: string[] = [];
  const links: unknown[] = [];
  for (const { record } of byFile) {
    texts.push(await index.text(record.row));
    links.push(await index.links(record.row));
  }
  expect(await index.verify()).toEqual([]);
  return { rows: await index.rows(0, 10_000), pages: [...pages, ...byFile], texts, links };
}

async function add(library: Library, options: object = {}): Promise<KeptArchive> {
  const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  try {
    return await library.add(archive, { source: path, ...options });
  } finally {
    await archive.close();
  }
}

test("what pages say is kept, listed, and there when the library is opened again", async () => {
  const library = await openLibrary(join(files, "whole"));
  const index = await library.index(1);
  expect(await told(index)).toEqual(whole);
  const [first] = await index.documents({ order: "title", from: 0, count: 1 });
  expect(first?.document).toMatchObject({ kind: "html", title: "Even 0", language: "de", base: "http://0.test/0", linkCount: 2, isFragment: false });
  expect(await index.links(first?.record.row ?? -1)).toEqual([
    { kind: "anchor", url: "http://0.test/1#part" },
    { kind: "media", url: "http://0.test/i.png" },
  ]);
  expect((await index.documents({ order: "title", from: 0, count: 1, language: "en", isDescending: true }))[0]?.document.title).toBe("odd 99");
  expect(await index.documentCounts()).toMatchObject({ pages: PAGES, languages: [{ language: "de", count: 38 }, { language: "en", count: 112 }], kinds: { html: PAGES, redirect: 1 } });
  const redirect = (await index.rows(0, 1_000)).find(({ status }) => status === 301);
  expect((await index.documentOf(redirect?.row ?? -1))?.document).toMatchObject({ kind: "redirect", redirect: "http://a.test/new" });
  await library.close();
});

/** A keeper that commits with whatever it is given, and does something before its n-th call. */
function eager(keeper: () => Keeper, before: (call: number) => Promise<void>): Keeper {
  let calls = 0;
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    await before(calls++);
    return work();
  };
  return {
    begin: (archive, options) => keeper().begin(archive, options),
    keep: (id, from, rows) => call(async () => ({ ...(await keeper().keep(id, from, rows)), isFull: true })),
    keepDocuments: (id, lot) => call(() => keeper().keepDocuments(id, lot)),
    commit: (id, now) => call(() => keeper().commit(id, now)),
    leave: (id) => keeper().leave(id),
  };
}

test("broken off wherever, it goes on without documents twice or missing", async () => {
  let breaks = 0;
  let commits = 0;
  for (let call = 0; ; call++) {
    const library = await openLibrary(home);
    const begun = (await library.list())[0];
    const kept = begun && (await library.kept(begun.id));
    const archive = kept ? await reopenArchive(path, kept, { withDocuments: true }) : await openArchive(path, { isForKeeping: true, withDocuments: true });
    const breaking = eager(() => library, async (at) => {
      if (at === call) throw new Error("broken off");
    });
    const done = await keepArchive(breaking, archive, { source: path, onKept: ({ records }) => void (commits += records > 0 ? 1 : 0) }).catch((error: unknown) => error);
    await archive.close();
    if (done instanceof Error) {
      expect(done.message).toBe("broken off");
      breaks++;
      await library.close();
      continue;
    }
    expect(done).toMatchObject({ state: "ready", documents: PAGES });
    expect((done as KeptArchive).documentsEnd).toBeUndefined();
    expect(await told(await library.index(1))).toEqual(whole);
    await library.close();
    break;
  }
  expect(breaks).toBeGreaterThan(3);
  expect(commits).toBeGreaterThan(2);
}, 120_000);

test("whoever takes the library over gets the documents again that no commit had", async () => {
  for (const moves of [[1], [2, 5], [3, 4, 9], [7]]) {
    const place = join(folder, moves.join("-"));
    let library = await openLibrary(place);
    const moving = eager(() => library, async (at) => {
      if (!moves.includes(at)) return;
      await library.close();
      library = await openLibrary(place);
      throw new ArchiveError("tabs/owner-gone", "The tab was closed.");
    });
    const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
    const kept = await keepArchive(moving, archive, { source: path });
    await archive.close();
    expect(kept).toMatchObject({ state: "ready", documents: PAGES });
    expect(await told(await library.index(1))).toEqual(whole);
    await library.close();
  }
}, 120_000);

test("where documents cannot be kept the rows are, and it is said that some lack", async () => {
  const library = await openLibrary(home);
  let lots = 0;
  const keeper: Keeper = {
    ...eager(() => library, async () => {}),
    async keepDocuments(id, lot) {
      if (++lots > 3) throw new ArchiveError("documents/malformed", "Not these.");
      await library.keepDocuments(id, lot);
    },
  };
  const archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  const kept = await keepArchive(keeper, archive, { source: path });
  await archive.close();
  expect(kept).toMatchObject({ state: "ready", records: whole.rows.length });
  expect(kept.documentsEnd).toBeLessThan(whole.rows.length);
  expect(kept.documents).toBeGreaterThan(0);
  expect(kept.documents).toBeLessThan(PAGES);
  const index = await library.index(1);
  expect(await index.rows(0, 10_000)).toEqual(whole.rows);
  expect(await index.documents({ from: 0, count: 10_000 })).toHaveLength(kept.documents ?? 0);

  // Added again, it is gone on with, though all its rows are there.
  const records = await library.kept(1);
  const again = await reopenArchive(path, records ?? expect.fail("it is kept"), { withDocuments: true });
  const states: string[] = [];
  const done = await library.add(again, { source: path, onKept: ({ state }) => void states.push(state) });
  await again.close();
  expect(done.documentsEnd).toBeUndefined();
  expect(new Set(states)).toEqual(new Set(["ready"]));
  expect(await told(index)).toEqual(whole);
  await library.close();
}, 60_000);

test("an index without documents says so, and has them when it is made anew", async () => {
  const library = await openLibrary(home);
  const archive = await openArchive(path, { isForKeeping: true });
  const old = await library.add(archive, { source: path });
  await archive.close();
  expect(old.documents).toBeUndefined();
  const index = await library.index(old.id);
  expect(await index.documentCounts()).toBeUndefined();
  expect(await index.documents({ from: 0, count: 10 })).toEqual([]);
  expect(await index.text(1)).toBe("");
  // What is there already is not read again: nobody waits for its documents.
  expect(await add(library)).toEqual(old);
  const anew = await add(library, { isAnew: true });
  expect(anew).toMatchObject({ id: old.id, documents: PAGES });
  expect(await told(await library.index(old.id))).toEqual(whole);
  await library.remove(old.id);
  expect(await library.verify()).toEqual([]);
  await library.close();
}, 60_000);

test("the command line lists pages and prints texts and links", () => {
  const kept = join(files, "whole");
  const run = (...args: string[]): { status: number | null; lines: string[]; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url)), "dump", kept, ...args], { encoding: "utf8" });
    return { status, lines: stdout.split("\n").slice(0, -1), stderr };
  };
  const pages = run("--id", "1", "--documents", "--sort", "title", "--limit", "2");
  expect(pages.status).toBe(0);
  const [page] = pages.lines.map((line) => JSON.parse(line) as { record: { row: number }; document: { title: string } });
  expect(pages.lines).toHaveLength(2);
  expect(page?.document.title).toBe("Even 0");
  const row = String(page?.record.row);
  expect(run("--id", "1", "--text", row).lines[0]).toMatch(/^Text 0 words of a page/);
  expect(run("--id", "1", "--links", row).lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { kind: "anchor", url: "http://0.test/1#part" },
    { kind: "media", url: "http://0.test/i.png" },
  ]);
  expect(run("--id", "1", "--text", "0")).toMatchObject({ status: 1, lines: [] });
  expect(run("--documents")).toMatchObject({ status: 2, stderr: expect.stringContaining("--id") as string });
  expect(run("--id", "1", "--documents", "--sort", "size")).toMatchObject({ status: 2, stderr: expect.stringContaining("title, time") as string });
});
