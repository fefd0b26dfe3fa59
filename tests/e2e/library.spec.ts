/**
 * The library that tabs share: what one adds all of them have, live; an owner that goes in the middle of adding loses
 * nothing that was committed, and the rows come out as of one adding.
 */
import { expect, test, type BrowserContext, type Page } from "@playwright/test";

import type { openArchive } from "stackroom";
import type { KeptArchive, SharedLibrary } from "stackroom/library";
import { serveLibrary } from "./pages/library.mjs";
import { launchSmall, limitRoom } from "./pages/tabs.mjs";

declare global {
  // What `join` leaves in a page.
  var shared: {
    readonly library: SharedLibrary;
    readonly openArchive: typeof openArchive;
    /** The records of a WARC file; blanks in place of those before a number. */
    readonly piecesOf: (name: string, count: number, blindTo: number) => string[];
    heard: number;
    adding?: Promise<KeptArchive>;
  };
}

const QUOTA_BYTES = 12_000_000;

let server: Awaited<ReturnType<typeof serveLibrary>>;
test.beforeAll(async () => void (server = await serveLibrary()));
test.afterAll(async () => server.close());

async function join(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(server.url);
  await page.evaluate(async () => {
    const [{ openSharedLibrary }, { openArchive }] = await Promise.all([import("/lib/library/index.js" as string), import("/lib/index.js" as string)]);
    const library: SharedLibrary = await openSharedLibrary();
    const record = (name: string, n: number): string => {
      const block = `HTTP/1.1 ${n % 7 === 0 ? 404 : 200} OK\r\nContent-Type: ${n % 3 === 0 ? "text/html" : "image/png"}\r\n\r\n${"x".repeat(n % 50)}`;
      const date = new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString().slice(0, 19);
      return `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h${n % 20}.${name}.test/${n}\r\nWARC-Date: ${date}Z\r\nContent-Type: application/http\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`;
    };
    const piecesOf = (name: string, count: number, blindTo: number): string[] => {
      const pieces: string[] = [];
      for (let n = 0; n < count; n += 1) pieces.push(n < blindTo ? " ".repeat(record(name, n).length) : record(name, n));
      return pieces;
    };
    globalThis.shared = { library, openArchive, piecesOf, heard: 0 };
    library.onChange(() => void (globalThis.shared.heard += 1));
  });
  return page;
}

/** Begins to add an archive of so many records, named by a letter; how it ends is asked with `added`. */
const begin = (page: Page, letter: string, count: number, withDocuments = false): Promise<void> =>
  page.evaluate(
    async ([name, records, isTold]) => {
      const { library, openArchive: open, piecesOf } = globalThis.shared;
      const archive = await open(new File(piecesOf(name, records, 0), `${name}.warc`), { isForKeeping: true, withDocuments: isTold });
      globalThis.shared.adding = library.add(archive, { source: name }).finally(() => archive.close());
      globalThis.shared.adding.catch(() => {});
    },
    [letter, count, withDocuments] as const,
  );

const added = (page: Page): Promise<KeptArchive> => page.evaluate(() => globalThis.shared.adding as Promise<KeptArchive>);
const list = (page: Page): Promise<KeptArchive[]> => page.evaluate(() => globalThis.shared.library.list());

/** What the index says, of all records: places in the order of the file, and how many there are of what. */
const story = (page: Page, id: number): Promise<unknown> =>
  page.evaluate(async (which) => {
    const index = globalThis.shared.library.index(which);
    const urls: string[] = [];
    for (let from = 0; ; from += 5_000) {
      const rows = await index.rows(from, 5_000);
      urls.push(...rows.map(({ url }) => url));
      if (rows.length === 0) break;
    }
    const [largest] = await index.sorted({ column: "size", from: 0, count: 1, isDescending: true });
    const statuses = await index.values("status", { count: 10 });
    const hosts = await index.hosts("", { count: 10 });
    return {
      count: urls.length,
      isInOrder: urls.every((url, at) => url.endsWith(`/${at}`)),
      largest: largest?.size,
      statuses: statuses.map(({ name, records }) => [name, records]),
      hosts: hosts.map(({ name, records }) => [name, records]),
    };
  }, id);

const expected = (count: number): unknown => {
  const missing = Math.ceil(count / 7);
  return { count, isInOrder: true, largest: 49, statuses: [["200", count - missing], ["404", missing]], hosts: [["test", count]] };
};

test("what one tab adds all tabs have, and what one changes they hear of", async ({ context }) => {
  const one = await join(context);
  const other = await join(context);
  expect(await list(other)).toEqual([]);
  await begin(one, "a", 3_000);
  const kept = await added(one);
  expect(kept).toMatchObject({ name: "a.warc", state: "ready", records: 3_000, captured: { from: Date.UTC(2020, 0, 1) } });
  await expect.poll(() => other.evaluate(() => globalThis.shared.heard)).toBeGreaterThan(0);
  expect(await list(other)).toEqual([kept]);
  expect(await story(other, kept.id)).toEqual(expected(3_000));

  await other.evaluate((id) => globalThis.shared.library.describe(id, { title: "A title", tags: ["of", "two"], note: "Noted." }), kept.id);
  await expect.poll(async () => (await list(one))[0]?.title).toBe("A title");
  expect((await list(one))[0]).toMatchObject({ tags: ["of", "two"], note: "Noted.", name: "a.warc" });

  expect(await one.evaluate((id) => globalThis.shared.library.remove(id), kept.id)).toBe(true);
  expect(await list(other)).toEqual([]);
  const error = await other.evaluate((id) => globalThis.shared.library.index(id).rows(0, 1).then(() => "", ({ code }) => code as string), kept.id);
  expect(error).toBe("library/unknown");
});

test("three tabs add at once, the same archive too, and none is kept twice", async ({ context }) => {
  const [a, b, c] = [await join(context), await join(context), await join(context)];
  await Promise.all([begin(a, "a", 2_000), begin(b, "b", 2_500), begin(c, "a", 2_000)]);
  const results = await Promise.all([a, b, c].map((page) => added(page).then(({ name }) => name, (error: Error) => error.message)));
  const ends = [results[0], results[2]].map((end) => (end?.includes("added already") ? "busy" : end));
  // Whichever came second was told so, or found it ready.
  expect(ends).toContain("a.warc");
  expect(["a.warc", "busy"]).toContain(ends.find((end) => end !== "a.warc") ?? "a.warc");
  expect(results[1]).toBe("b.warc");
  const kept = await list(b);
  expect(kept.map(({ name, records }) => [name, records]).sort()).toEqual([["a.warc", 2_000], ["b.warc", 2_500]]);
  for (const { id, records } of kept) expect(await story(c, id)).toEqual(expected(records));
});

test("an owner that is closed while another tab adds loses nothing, and what a closed tab was adding is gone on with", async ({ context }) => {
  test.setTimeout(180_000);
  const count = 120_000;
  const owner = await join(context);
  const adding = await join(context);
  await begin(adding, "a", count, true);
  // Something is committed by then, and more is to come.
  await expect.poll(async () => (await list(adding))[0]?.records ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
  await owner.close();
  const kept = await added(adding);
  expect(kept).toMatchObject({ state: "ready", records: count });
  expect(kept.documentsEnd).toBeUndefined();
  expect(await story(adding, kept.id)).toEqual(expected(count));
  expect(await adding.evaluate(() => globalThis.shared.library.verify())).toEqual([]);

  // A tab that goes leaves what it was adding, for whoever adds it again. There is so much of it that it goes long before the end.
  const many = 2 * count;
  const leaving = await join(context);
  await begin(leaving, "b", many, true);
  await expect.poll(async () => (await list(adding)).find(({ name }) => name === "b.warc")?.records ?? 0, { timeout: 60_000, intervals: [50] }).toBeGreaterThan(0);
  await leaving.close();
  expect((await list(adding)).find(({ name }) => name === "b.warc")).toMatchObject({ state: "indexing" });
  const again = await join(context);
  await expect(async () => {
    await begin(again, "b", many, true);
    expect(await added(again)).toMatchObject({ name: "b.warc", state: "ready", records: many });
  }).toPass({ timeout: 60_000 });
  const [latest] = await list(adding);
  expect(latest?.name).toBe("b.warc");
  expect(await story(again, latest?.id ?? 0)).toEqual(expected(many));
  // What the records of both say is there as often as they do.
  const said = async (id: number): Promise<unknown> => again.evaluate((one) => globalThis.shared.library.index(one).documentCounts(), id);
  const fragments = (records: number): number => Array.from({ length: records }).filter((_, n) => n % 3 === 0 && n % 7 !== 0 && n % 50 !== 0).length;
  expect(await said(latest?.id ?? 0)).toMatchObject({ pages: 0, fragments: fragments(many) });
  expect(await said(kept.id)).toMatchObject({ pages: 0, fragments: fragments(count) });
});

test("what is kept opens again in another tab without its file being read, and what was broken off goes on there", async ({ context }) => {
  test.setTimeout(180_000);
  const count = 240_000;
  const [one, other] = [await join(context), await join(context)];
  await begin(one, "a", count);
  await expect.poll(async () => (await list(other))[0]?.records ?? 0, { timeout: 60_000, intervals: [50] }).toBeGreaterThan(0);
  await one.close();
  const [half] = await list(other);
  expect(half).toMatchObject({ state: "indexing" });
  /** What comes of opening an archive that has no bytes but where it goes on. */
  const reopen = (id: number, letter: string, from: number): Promise<{ records: number; urls: string[]; text: string; kept: KeptArchive }> =>
    other.evaluate(
      async ([which, name, records, blind]) => {
        const { library } = globalThis.shared;
        const file = new File(globalThis.shared.piecesOf(name, records, blind), `${name}.warc`);
        const archive = await library.reopen(which, file);
        const { records: found } = await archive.indexed;
        const rows = await archive.rows(records - 3, 3);
        const row = rows.at(-1);
        const text = row ? await new Response(archive.read(row, "body")).text() : "";
        const kept = await library.add(archive, { source: name });
        await archive.close();
        return { records: found, urls: rows.map(({ url }) => url), text, kept };
      },
      [id, letter, count, from] as const,
    );
  const expectedUrls = [3, 2, 1].map((n) => `http://h${(count - n) % 20}.a.test/${count - n}`);
  const whole = await reopen(half?.id ?? 0, "a", 0);
  expect(whole).toMatchObject({ records: count, urls: expectedUrls, kept: { state: "ready", records: count } });
  expect(await story(other, whole.kept.id)).toEqual(expected(count));
  // Of all but the last record the file holds nothing now: it is not read.
  const blind = await reopen(whole.kept.id, "a", count - 1);
  expect(blind).toMatchObject({ records: count, urls: expectedUrls, text: "x".repeat((count - 1) % 50), kept: { state: "ready" } });
});

test("a full disk ends adding with a clear error, the rest stays, and room that is made is used", async ({ browserName }) => {
  test.setTimeout(180_000);
  const small = await launchSmall(browserName as "chromium" | "firefox", QUOTA_BYTES);
  try {
    // Before anything is written: Chromium goes by what it knew of the room for half a minute.
    const first = await small.context.newPage();
    await first.goto(server.url);
    await limitRoom(first, QUOTA_BYTES);
    const page = await join(small.context);
    await begin(page, "a", 3_000);
    const kept = await added(page);
    await begin(page, "b", 300_000);
    const error = await page.evaluate(() => globalThis.shared.adding?.then(() => "", ({ code }) => code as string));
    expect(error).toBe("store/full");
    expect(await story(page, kept.id)).toEqual(expected(3_000));
    const other = (await list(page)).find(({ name }) => name === "b.warc");
    expect(other).toMatchObject({ state: "indexing" });
    expect(await page.evaluate((id) => globalThis.shared.library.remove(id), other?.id ?? 0)).toBe(true);
    expect(await page.evaluate(() => globalThis.shared.library.verify())).toEqual([]);
    if (browserName === "chromium") await limitRoom(first);
    await begin(page, "c", 3_500);
    expect(await added(page)).toMatchObject({ name: "c.warc", state: "ready", records: 3_500 });
  } finally {
    await small.close();
  }
});

test("a copy opens without its file, after a restart too, and gives its space back", async ({ context }) => {
  const page = await join(context);
  await begin(page, "a", 3_000);
  const { id } = await added(page);
  const copying = (size: number, isCancelled = false): Promise<unknown> =>
    page.evaluate(
      async ([which, bytes, cancels]) => {
        const abort = new AbortController();
        const told: number[] = [];
        const onProgress = ({ bytes: now }: { bytes: number }): void => {
          told.push(now);
          if (cancels) abort.abort();
        };
        const files = [new File([new Uint8Array(bytes).fill(7)], "one.warc"), new File(["two"], "two.warc")];
        return globalThis.shared.library.copy(which, files.map((source) => ({ source, name: source.name })), { onProgress, signal: abort.signal }).then(
          ({ copy }) => ({ copy, isGrowing: told.every((now, at) => at === 0 || now > (told[at - 1] ?? 0)), last: told.at(-1) }),
          (error: { code?: string; name: string }) => (error.name === "AbortError" ? error.name : error.code),
        );
      },
      [id, size, isCancelled] as const,
    );
  expect(await copying(30_000_000, true)).toBe("AbortError");
  expect((await list(page))[0]?.copy).toBeUndefined();
  expect(await copying(3_000_000)).toEqual({ copy: { names: ["one.warc", "two.warc"], bytes: 3_000_003 }, isGrowing: true, last: 3_000_003 });
  await page.close();

  const again = await join(context);
  const files = await again.evaluate(async (which) => {
    const copied = await globalThis.shared.library.copied(which);
    return Promise.all(copied.map(async (file) => ({ name: file.name, size: file.size, sum: new Uint8Array(await file.arrayBuffer()).reduce((sum, byte) => sum + byte, 0) })));
  }, id);
  expect(files).toEqual([{ name: "one.warc", size: 3_000_000, sum: 21_000_000 }, { name: "two.warc", size: 3, sum: "two".split("").reduce((sum, letter) => sum + letter.charCodeAt(0), 0) }]);
  await again.evaluate((which) => globalThis.shared.library.dropCopy(which), id);
  const gone = await again.evaluate((which) => globalThis.shared.library.copied(which).then(() => "", ({ code }) => code as string), id);
  expect(gone).toBe("library/no-copy");
  // Nothing is left of it.
  const left = await again.evaluate(async () => {
    const names: string[] = [];
    const copies = await (await (await navigator.storage.getDirectory()).getDirectoryHandle("stackroom-copies")).getDirectoryHandle("library-stackroom");
    for await (const name of (copies as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
    return names;
  });
  expect(left).toEqual([]);
});
