/** Archives that are opened again from what a library keeps of them: without being read, or read on from where that ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openArchive, reopenArchive, type Archive, type CollectionSource, type KeptRecords, type View } from "../../web/lib/node.js";
import { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { divided } from "../../web/lib/library/files.js";
import { memoryStorage } from "../../web/lib/store/memory.js";
import initStore, { KeptIndex } from "../../web/lib/wasm/store.js";
import { allCases } from "../fixtures/cases.mjs";
import { concat, exchange, httpResponse, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";

type Sources = CollectionSource | readonly CollectionSource[];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "reopen-"));
  await initStore({ module_or_path: readFileSync(new URL("../../web/lib/wasm/store_bg.wasm", import.meta.url)) });
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const crawl = (host: string, pages: number): Uint8Array[] => [
  warcInfo({}),
  ...Array.from({ length: pages }, (_, n) => exchange({ url: `http://${host}/${n}`, body: `page ${n} of ${host}` })).flat(),
];

/** The rows of an archive in an index, some of them in segments, as it gives them back. */
async function keptRows(archive: Archive, countAtOnce = 37): Promise<KeptRecords["rows"]> {
  const index = await ArchiveIndex.open(KeptIndex, divided(memoryStorage()).shelf(1), { cacheBytes: 1 << 16 });
  let lots = 0;
  for await (const rows of archive.keyedRows(0, 500)) {
    await index.add(rows);
    if (lots++ % 2 === 0) await index.keep();
  }
  return async function* () {
    for (let from = 0; from < index.count; from += countAtOnce) yield await index.storedRows(from, countAtOnce);
  };
}

const completed = (view: View): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (view.isComplete) resolve();
    };
    view.onChange(check);
    check();
  });

/** Everything that can be asked of an archive, of its first records also what is in them. */
async function told(archive: Archive, records = 12): Promise<Record<string, unknown>> {
  const { elapsedMs, ...progress } = await archive.indexed;
  expect(elapsedMs).toBeGreaterThan(0);
  const rows = await archive.rows(0, 100_000);
  const views = ["/1", ""].map((text) => archive.filter(text, { parts: { from: 0, to: 2 } }));
  await Promise.all(views.map(completed));
  const outcome = <T>(work: Promise<T>): Promise<unknown> => work.catch(({ code }: { code?: string }) => ({ code }));
  const read = [];
  for (const row of rows.slice(0, records)) {
    read.push([
      await outcome(archive.bytes(row, "body", { limit: 100_000 })),
      await outcome(archive.detail(row)),
      await outcome(archive.verify(row)),
      await outcome(archive.original(row)),
      await archive.nearest(row.url, row.captured),
    ]);
  }
  return {
    name: archive.name,
    format: archive.format,
    progress,
    rows,
    filtered: await Promise.all(views.map((view) => view.rows(0, 50))),
    read,
    parts: await archive.parts(),
    pages: await archive.pages(0, 1000),
    facts: await archive.facts(),
    damage: await archive.damage(0, 1000),
    refused: await archive.refused(),
  };
}

/** An archive that is opened again tells what it told at first; also with the state of its first records. */
async function sameAgain(source: Sources, records: readonly number[] = [Infinity]): Promise<void> {
  const archive = await openArchive(source, { isForKeeping: true });
  const first = await told(archive);
  const rows = await keptRows(archive);
  for (const count of records) {
    const again = await reopenArchive(source, { state: await archive.keptState({ records: count }), rows });
    expect(await told(again)).toEqual(first);
    await again.close();
  }
  await archive.close();
}

test("fixtures of every format tell what they told at first", async () => {
  let opened = 0;
  for (const { bytes, name } of allCases()) {
    try {
      await sameAgain({ source: new Uint8Array(bytes), name }, [Infinity, 1]);
      opened++;
    } catch (error) {
      if (!String((error as { code?: string }).code).startsWith("open/")) throw error;
    }
  }
  expect(opened).toBeGreaterThan(150);
});

test("collections go on with the file that was under way, and with those behind it", async () => {
  const wacz = allCases().find(({ name }) => name.endsWith(".wacz"));
  if (!wacz) throw new Error("no package");
  const files = [
    { source: warcGz(...crawl("a.test", 400)), name: "a.warc.gz" },
    { source: new TextEncoder().encode("Dear diary"), name: "diary.txt" },
    { source: concat(...crawl("b.test", 400)), name: "b.warc" },
    { source: new Uint8Array(wacz.bytes), name: "c.wacz" },
    { source: concat("garbage", ...crawl("d.test", 400)).slice(0, -9), name: "d.warc" },
    { source: new TextEncoder().encode("Dear diary"), name: "diary2.txt" },
  ];
  await sameAgain(files, [0, 1, 300, 800, 801, 802, 1200, 1601, 1602, 1603, 1606, 1700, 2200, 2402, Infinity]);
});

test("revisits and segments are found in tables that are opened again", async () => {
  const url = "http://again.test/";
  const digest = "sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH";
  const id = "<urn:uuid:00000000-0000-4000-8000-000000000001>";
  const block = httpResponse({ headers: { "Content-Type": "text/plain" }, body: "the first part and the second one" });
  const first = concat(
    warcRecord({ type: "revisit", url, headers: { "WARC-Payload-Digest": digest }, block: httpResponse({ headers: { "Content-Length": null } }) }),
    warcRecord({ url: "http://long.test/", id, headers: { "WARC-Segment-Number": "1" }, block: block.slice(0, -10) }),
  );
  const second = warcGz(
    warcRecord({ type: "continuation", url: "http://long.test/", headers: { "WARC-Segment-Number": "2", "WARC-Segment-Origin-ID": id }, block: block.slice(-10) }),
    warcRecord({ url, headers: { "WARC-Payload-Digest": digest }, block: httpResponse({ body: "unchanged" }) }),
  );
  await sameAgain([first, second]);
  const archive = await openArchive([first, second], { isForKeeping: true });
  const again = await reopenArchive([first, second], { state: (await archive.indexed, await archive.keptState()), rows: await keptRows(archive) });
  await again.indexed;
  const bodies = await Promise.all((await again.rows(0, 2)).map(async (row) => new TextDecoder().decode(await again.bytes(row, "body"))));
  expect(bodies).toEqual(["unchanged", "the first part and the second one"]);
  await Promise.all([archive.close(), again.close()]);
});

test("what is kept is not read again, neither all of it nor what lies before the place to go on from", async () => {
  const bytes = concat(...crawl("a.test", 3000));
  for (const [source, name] of [[bytes, "long.warc"], [warcGz(...crawl("a.test", 3000)), "long.warc.gz"]] as const) {
    const path = written(name, source);
    const archive = await openArchive(path, { isForKeeping: true });
    await archive.indexed;
    const rows = await keptRows(archive, 500);
    const all = await archive.rows(0, 10_000);
    const [whole, most] = [await archive.keptState(), await archive.keptState({ records: 5000 })];
    await archive.close();
    // Everything up to the 4,500th record is gone.
    const { offset } = all[4500] ?? { offset: 0 };
    writeFileSync(path, source.slice().fill(0, 0, offset));
    for (const state of [whole, most]) {
      const again = await reopenArchive(path, { state, rows });
      expect(await again.indexed).toMatchObject({ records: all.length, bytes: source.length, bytesTotal: source.length, damageCount: 0 });
      expect(await again.rows(0, 10_000)).toEqual(all);
      // It can be kept anew.
      expect(Buffer.from(await again.keptState())).toEqual(Buffer.from(whole));
      await again.close();
    }
  }
});

test("an archive that was closed while it was indexed goes on, over and over", async () => {
  const source = written("closed.warc", concat(...crawl("a.test", 20_000)));
  const archive = await openArchive(source, { isForKeeping: true });
  const index = await ArchiveIndex.open(KeptIndex, divided(memoryStorage()).shelf(1));
  const rows = async function* (): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < index.count; from += 4000) yield await index.storedRows(from, 4000);
  };
  let open = archive;
  let turns = 0;
  for (let isDone = false; !isDone; turns++) {
    let lots = 0;
    for await (const some of open.keyedRows(index.count, 2000)) {
      await index.add(some);
      if (++lots === 3) break;
    }
    const state = await open.keptState({ records: index.count });
    const { isDone: wasDone } = open.progress;
    isDone = wasDone && index.count === open.progress.records;
    await open.close();
    open = await reopenArchive(source, { state, rows });
  }
  expect(turns).toBeGreaterThan(5);
  expect(await open.indexed).toMatchObject({ records: 40_001, damageCount: 0 });
  const whole = await openArchive(source);
  await whole.indexed;
  expect(await open.rows(0, 50_000)).toEqual(await whole.rows(0, 50_000));
  expect(index.count).toBe(40_001);
  await Promise.all([open.close(), whole.close()]);
});

test("rows and progress are told while they are taken over, and filters see them", async () => {
  const source = concat(...crawl("a.test", 500));
  const archive = await openArchive(source, { isForKeeping: true });
  await archive.indexed;
  const rows = await keptRows(archive, 100);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = async function* (): AsyncGenerator<Uint8Array> {
    let lots = 0;
    for await (const some of rows()) {
      if (++lots === 4) await held;
      yield some;
    }
  };
  const steps: number[] = [];
  const again = await reopenArchive(source, { state: await archive.keptState(), rows: slow }, { onProgress: ({ records }) => steps.push(records) });
  expect(again.format).toBe("warc");
  const view = again.filter("/7");
  while (again.progress.records < 200) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(again.progress).toMatchObject({ isDone: false, bytesTotal: source.length });
  expect(again.progress.bytes).toBeLessThan(source.length / 2);
  expect(await again.rows(0, 100)).toEqual(await archive.rows(0, 100));
  await expect(again.keptState()).rejects.toMatchObject({ code: "read/not-for-keeping" });
  release();
  await Promise.all([again.indexed, completed(view)]);
  expect(steps.length).toBeGreaterThan(5);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  const first = archive.filter("/7");
  await completed(first);
  expect(view.count).toBe(first.count);
  await Promise.all([archive.close(), again.close()]);
});

test("a source that changed is refused, with words that say what to do", async () => {
  const bytes = concat(...crawl("a.test", 3));
  const path = written("changed.warc", bytes);
  const archive = await openArchive(path, { isForKeeping: true });
  await archive.indexed;
  const kept = { state: await archive.keptState(), rows: await keptRows(archive) };
  await archive.close();
  writeFileSync(path, concat(bytes, "more"));
  const refusal = { code: "source/changed", message: expect.stringContaining("add it again") as string };
  for (const source of [path, bytes.slice(1), new Blob([bytes, "more"]), [bytes, bytes]]) {
    await expect(reopenArchive(source as Sources, kept)).rejects.toMatchObject(refusal);
  }
  await expect(reopenArchive(join(folder, "nowhere.warc"), kept)).rejects.toMatchObject({ code: "source/not-found" });
  const again = await reopenArchive(bytes, kept);
  expect((await again.indexed).records).toBe(7);
  await again.close();
});

test("what is no state, or not its rows, is refused", async () => {
  const source = concat(...crawl("a.test", 30));
  const archive = await openArchive(source, { isForKeeping: true });
  await archive.indexed;
  const state = await archive.keptState();
  const rows = await keptRows(archive);
  await archive.close();
  const refusal = { code: "open/not-a-state", message: expect.stringContaining("indexed again") as string };
  for (let length = 0; length < state.length; length += length < 300 ? 1 : 97) {
    await expect(reopenArchive(source, { state: state.slice(0, length), rows })).rejects.toMatchObject(refusal);
  }
  const other = state.slice();
  other[0] = 9;
  await expect(reopenArchive(source, { state: other, rows })).rejects.toMatchObject(refusal);
  // A byte that is another one makes a refusal or an archive, and nothing else.
  for (let at = 0; at < state.length; at += 3) {
    const flipped = state.slice();
    flipped[at] = (flipped[at] ?? 0) ^ 0x11;
    const again = await reopenArchive(source, { state: flipped, rows }).catch((error: unknown) => error);
    if (again instanceof Error) expect((again as { code?: string }).code).toMatch(/^(open\/not-a-state|source\/changed)$/);
    else await (again as Archive).close();
  }
  const few = async function* (): AsyncGenerator<Uint8Array> {
    for await (const some of rows()) {
      yield some;
      return;
    }
  };
  const bad = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100).fill(0xff);
  };
  for (const wrong of [few, bad]) {
    const again = await reopenArchive(source, { state, rows: wrong });
    await expect(again.indexed).rejects.toMatchObject(refusal);
    await again.close();
  }
});

test("cancelling ends it while rows are taken over", async () => {
  const source = concat(...crawl("a.test", 30));
  const archive = await openArchive(source, { isForKeeping: true });
  await archive.indexed;
  const [state, rows] = [await archive.keptState(), await keptRows(archive, 5)];
  await archive.close();
  const abort = new AbortController();
  let lots = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const some of rows()) {
      if (++lots === 3) abort.abort();
      yield some;
    }
  };
  const again = await reopenArchive(source, { state, rows: counted }, { signal: abort.signal });
  await expect(again.indexed).rejects.toMatchObject({ name: "AbortError" });
  expect(lots).toBe(3);
});

test("a server is asked when bytes are needed, and then for the version that was indexed", async () => {
  let bytes = concat(...crawl("a.test", 50));
  let tag = '"one"';
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests++;
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
    const [from, to] = range ? [Number(range[1]), Math.min(Number(range[2]) + 1, bytes.length)] : [0, bytes.length];
    response.writeHead(range ? 206 : 200, { ETag: tag, "Content-Length": to - from, ...(range && { "Content-Range": `bytes ${from}-${to - 1}/${bytes.length}` }) });
    response.end(bytes.subarray(from, to));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    const url = `http://localhost:${(server.address() as AddressInfo).port}/crawl.warc`;
    const archive = await openArchive(url, { isForKeeping: true });
    await archive.indexed;
    const kept = { state: await archive.keptState(), rows: await keptRows(archive) };
    const row = (await archive.rows(1, 1))[0] ?? { offset: 0 };
    const body = await archive.bytes(row, "body");
    await archive.close();
    requests = 0;
    const again = await reopenArchive(url, kept);
    expect((await again.indexed).records).toBe(101);
    expect(requests).toBe(0);
    expect(await again.bytes(row, "body")).toEqual(body);
    expect(requests).toBeGreaterThan(0);
    await again.close();
    for (const change of [() => (tag = '"two"'), () => ((tag = '"one"'), (bytes = concat(bytes, "more")))]) {
      change();
      const changed = await reopenArchive(url, kept);
      expect((await changed.indexed).records).toBe(101);
      await expect(changed.bytes(row, "body")).rejects.toMatchObject({ code: "source/changed" });
      await changed.close();
    }
  } finally {
    server.close();
  }
});
