/** The library as Node users have it: the built package on real files, bytes and servers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectArchive, openArchive, readRecord, surt, type Archive, type Progress, type View } from "stackroom";
import { allCases } from "../fixtures/cases.mjs";
import { chunked, concat, exchange, gzipMember, httpResponse, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";

const PAGES = 300;

/** A crawl of `count` pages: a response and a request each, after a warcinfo. */
function crawl(count = PAGES): Uint8Array[] {
  const pages = Array.from({ length: count }, (_, n) =>
    exchange({ url: `http://site.test/${n % 3 === 0 ? "Special" : "page"}/${n}`, headers: { "Content-Type": "text/html; charset=utf-8" }, body: `<p>page ${n}</p>` }),
  );
  return [warcInfo({}), ...pages.flat()];
}

const plain = concat(...crawl());
const zipped = warcGz(...crawl());

let folder: string;
const file = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-lib-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const completed = (view: View): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (view.isComplete) resolve();
    };
    view.onChange(check);
    check();
  });

describe("sources", () => {
  test("a path, a file URL, a Blob, a File and bytes tell the same", async () => {
    const path = file("same.warc.gz", zipped);
    const sources = [path, pathToFileURL(path), new Blob([zipped as BlobPart]), new File([zipped as BlobPart], "same.warc.gz"), zipped, zipped.slice().buffer];
    const seen = [];
    for (const source of sources) {
      const archive = await openArchive(source);
      const { records, damageCount, isDone } = await archive.indexed;
      seen.push({ records, damageCount, isDone, rows: await archive.rows(0, 1000), format: archive.format });
      await archive.close();
    }
    for (const other of seen) expect(other).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ records: 2 * PAGES + 1, damageCount: 0, isDone: true, format: "warc.gz" });
  });

  test("what is no archive is refused in words, by code", async () => {
    const cases: [Uint8Array, string][] = [
      [new Uint8Array(0), "open/empty"],
      [new TextEncoder().encode("Dear diary, nothing happened."), "open/not-an-archive"],
      [gzipMember("Dear diary"), "open/not-an-archive"],
      [new TextEncoder().encode("Rar!\x1a\x07........"), "open/format-not-supported"],
    ];
    for (const [bytes, code] of cases) {
      await expect(openArchive(file("x.warc.gz", bytes))).rejects.toMatchObject({ name: "ArchiveError", code });
    }
    await expect(openArchive(join(folder, "missing.warc"))).rejects.toMatchObject({ code: "source/not-found" });
    mkdirSync(join(folder, "empty"));
    await expect(openArchive(join(folder, "empty"))).rejects.toMatchObject({ code: "open/empty" });
  });
});

describe("an open archive", () => {
  test("rows appear while indexing goes on, and the iterator waits for the rest", async () => {
    const archive = await openArchive(file("large.warc.gz", concat(...Array.from({ length: 40 }, () => zipped))));
    const told: Progress[] = [];
    archive.onProgress((progress) => told.push(progress));
    let count = 0;
    for await (const row of archive.records()) expect(row.row).toBe(count++);
    expect(count).toBe(40 * (2 * PAGES + 1));
    const last = await archive.indexed;
    expect(last).toMatchObject({ records: count, isDone: true });
    expect(last.bytes).toBe(last.bytesTotal);
    expect(told.map((progress) => progress.records)).toEqual(told.map((progress) => progress.records).sort((a, b) => a - b));
    await archive.close();
  });

  test("a filter sees every record, those indexed later too, and counts what it saw", async () => {
    const archive = await openArchive(concat(...Array.from({ length: 40 }, () => plain)));
    const early = archive.filter("SPECIAL");
    await archive.indexed;
    const late = archive.filter("special/");
    await Promise.all([completed(early), completed(late)]);
    const expected = 40 * 2 * (PAGES / 3);
    expect([early.count, late.count]).toEqual([expected, expected]);
    expect(early.scanned).toBe(40 * (2 * PAGES + 1));
    const rows = await early.rows(expected - 1, 10);
    expect(rows.map((row) => row.url)).toEqual(["http://site.test/Special/297"]);
    const nothing = archive.filter("no such url");
    await completed(nothing);
    expect([nothing.count, await nothing.rows(0, 5)]).toEqual([0, []]);
    early.close();
    expect(await late.rows(0, 1)).toHaveLength(1);
    await archive.close();
  });

  test("a record's headers and parts are what went in", async () => {
    const body = "<p>caf\u00e9</p>";
    const response = httpResponse({
      headers: { "Content-Type": 'text/html; charset="UTF-8"', "Transfer-Encoding": "chunked", "Content-Encoding": "gzip", "Content-Length": null },
      body: chunked(gzipMember(body), { size: 7 }),
    });
    const records = [warcInfo({}), warcRecord({ type: "response", url: "http://a.test/", block: response, headers: { "Content-Type": "application/http" } })];
    for (const bytes of [concat(...records), warcGz(...records)]) {
      const archive = await openArchive(bytes);
      await archive.indexed;
      const [, row] = await archive.rows(0, 2);
      if (!row) throw new Error("no row");
      expect(row).toMatchObject({ type: "response", status: 200, mime: "text/html", url: "http://a.test/" });
      const detail = await archive.detail(row);
      expect(detail).toMatchObject({ version: "WARC/1.1", charset: "utf-8", contentEncoding: "gzip", transferEncoding: "chunked" });
      expect(detail.http?.startLine).toBe("HTTP/1.1 200 OK");
      expect(new TextDecoder().decode(await archive.bytes(row, "body"))).toBe(body);
      expect(await archive.bytes(row, "body", { limit: 5 })).toHaveLength(5);
      expect(concat(await archive.bytes(row, "warc"), response, "\r\n\r\n")).toEqual(concat(await archive.bytes(row, "raw")));
      expect(concat(await archive.bytes(row, "http"))).toEqual(response.slice(0, (await archive.bytes(row, "http")).length));
      await archive.close();
    }
  });

  test("short records tell in one go what they tell in two, in every format and with every damage", async () => {
    const outcome = <T>(work: Promise<T>): Promise<unknown> => work.catch(({ code }: { code?: string }) => ({ code }));
    let [records, long, elsewhere] = [0, 0, 0];
    for (const { name, bytes } of await allCases()) {
      if (bytes.length > 300_000) continue;
      const archive = await openArchive(bytes).catch(() => undefined);
      await archive?.indexed.catch(() => undefined);
      for (const row of (await archive?.rows(0, 40)) ?? []) {
        if (!archive) break;
        const [detail, body, short] = await Promise.all([outcome(archive.detail(row)), outcome(archive.bytes(row, "body", { limit: 2_000 })), outcome(archive.short(row, 1_000))]);
        const told = short as { detail?: unknown; body?: Uint8Array };
        records += 1;
        expect(told.detail ?? told, `${name}, row ${row.row}`).toEqual(detail);
        if (told.body) expect(told.body, `${name}, row ${row.row}`).toEqual(body);
        else if (body instanceof Uint8Array && body.length > 1_000) long += 1;
        else elsewhere += 1;
      }
      await archive?.close();
    }
    expect(records).toBeGreaterThan(300);
    expect(long).toBeGreaterThan(0);
    // Revisits, segments that lie elsewhere, and what cannot be read.
    expect(elsewhere).toBeGreaterThan(0);
    expect(elsewhere).toBeLessThan(records / 5);
  });

  test("reading a long body can be stopped, and runs no further than it is taken", async () => {
    const large = new Uint8Array(30 << 20).fill(120);
    const archive = await openArchive(warcGz(warcRecord({ type: "resource", url: "http://a.test/large", block: large })));
    await archive.indexed;
    const [row] = await archive.rows(0, 1);
    if (!row) throw new Error("no row");
    const reader = archive.read(row, "body").getReader();
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    await reader.cancel();
    expect((await archive.bytes(row, "body")).length).toBe(large.length);
    await archive.close();
    await expect(archive.rows(0, 1)).rejects.toMatchObject({ name: "AbortError" });
  });

  test("cancelling half-way rejects, closes and leaves nothing", async () => {
    const controller = new AbortController();
    const bytes = concat(...Array.from({ length: 60 }, () => zipped));
    const archive = await openArchive(bytes, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(archive.indexed).rejects.toMatchObject({ name: "AbortError" });
    await expect(archive.rows(0, 1)).rejects.toMatchObject({ name: "AbortError" });
    await expect(openArchive(bytes, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  test("closing early frees what the archive held, time after time", async () => {
    const bytes = concat(...Array.from({ length: 60 }, () => zipped));
    const sizes: number[] = [];
    for (let n = 0; n < 12; n++) {
      const archive = await openArchive(bytes);
      if (n % 2 === 0) await archive.indexed;
      sizes.push((await archive.memory()).module);
      await archive.close();
    }
    expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[4] ?? 0) + (2 << 20));
  });

  test("a truncated file shows what it has and says where it broke", async () => {
    for (const bytes of [plain, zipped]) {
      const archive = await openArchive(bytes.slice(0, bytes.length - 40));
      const { records, damageCount } = await archive.indexed;
      expect(records).toBe(2 * PAGES + 1);
      expect(damageCount).toBe(1);
      const [damage] = await archive.damage(0, 10);
      expect(damage?.code).toMatch(/truncated$/);
      expect(damage?.offset).toBeGreaterThan(bytes.length - 1000);
      await archive.close();
    }
  });
});

describe("a server", () => {
  let server: Server;
  let base: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const requests: IncomingMessage[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  /** Answers Range as a plain web server does, `isTold` with Content-Range. */
  function serveRange(bytes: Uint8Array, request: IncomingMessage, response: ServerResponse, headers: Record<string, string> = {}, isTold = true): void {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const start = range ? Number(range[1]) : 0;
    const part = bytes.subarray(start, range?.[2] ? Number(range[2]) + 1 : undefined);
    // Browsers hide it from other sites unless the server lets them see it.
    const about = range && isTold ? { "Content-Range": `bytes ${start}-${start + part.length - 1}/${bytes.length}` } : {};
    response.writeHead(range ? 206 : 200, { "Content-Length": part.length, ...about, ...headers });
    response.end(part);
  }

  async function openedAt(name: string): Promise<Archive> {
    const archive = await openArchive(`${base}/${name}`);
    await archive.indexed;
    return archive;
  }

  test("with Range and without, gives the same rows and records", async () => {
    const seen = [];
    for (const hasRange of [true, false]) {
      answer = (request, response) => (hasRange ? serveRange(zipped, request, response) : response.end(zipped));
      const archive = await openedAt("crawl.warc.gz");
      expect(archive.name).toBe("crawl.warc.gz");
      const rows = await archive.rows(0, 1000);
      const row = rows.at(-2);
      if (!row) throw new Error("no row");
      seen.push({ rows, text: new TextDecoder().decode(await archive.bytes(row, "body")) });
      await archive.close();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]?.text).toBe(`<p>page ${PAGES - 1}</p>`);
  });

  test("is read in windows, since browsers would hold all of a fast answer in memory", async () => {
    const windowBytes = 8 << 20;
    const block = new Uint8Array(1 << 20).fill(65);
    const big = concat(...Array.from({ length: 20 }, (_, n) => warcRecord({ type: "resource", url: `http://site.test/${n}`, block })));
    const seen = [];
    for (const [hasRange, isTold] of [[true, true], [true, false], [false, true]] as const) {
      requests.length = 0;
      answer = (request, response) =>
        hasRange ? serveRange(big, request, response, {}, isTold) : response.writeHead(200, { "Content-Length": big.length }).end(big);
      const archive = await openedAt("big.warc");
      seen.push({ bytes: archive.progress.bytes, damage: archive.progress.damageCount, rows: await archive.rows(0, 100) });
      expect(archive.progress.records).toBe(20);
      const ranges = requests.flatMap((request) => request.headers.range ?? []);
      const lengths = ranges.map((range) => Number(range.split("-")[1]) + 1 - Number(range.slice("bytes=".length).split("-")[0]));
      // Once to recognise the file; then from the start to the end.
      expect(lengths).toEqual(Array.from({ length: hasRange ? 4 : 2 }, () => windowBytes));
      await archive.close();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  test("that drops the connection is asked for the rest", async () => {
    let drops = 2;
    answer = (request, response) => {
      const range = /^bytes=(\d+)-/.exec(request.headers.range ?? "");
      if (drops-- > 0 && zipped.length > 0) {
        const start = range ? Number(range[1]) : 0;
        const about = range ? { "Content-Range": `bytes ${start}-${zipped.length - 1}/${zipped.length}` } : {};
        response.writeHead(range ? 206 : 200, { "Content-Length": zipped.length - start, ...about });
        response.write(zipped.subarray(start, start + 9000), () => setTimeout(() => response.destroy(), 20));
        return;
      }
      serveRange(zipped, request, response);
    };
    // The first bytes are read once to recognise the file, and once more to index it.
    const archive = await openedAt("dropping.warc.gz");
    expect(archive.progress.records).toBe(2 * PAGES + 1);
    expect(drops).toBeLessThan(0);
    await archive.close();
  });

  test("that unpacks .warc.gz on the way is refused, one that compresses a plain WARC is not", async () => {
    const compressed = gzipSync(plain);
    answer = (_, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": compressed.length });
      response.end(compressed);
    };
    await expect(openArchive(`${base}/crawl.warc.gz`)).rejects.toMatchObject({ code: "source/encoded" });
    const archive = await openedAt("crawl.warc");
    expect(archive.progress.records).toBe(2 * PAGES + 1);
    await archive.close();
  });

  test("that says no, or changes the file, is told in words", async () => {
    answer = (_, response) => response.writeHead(404).end();
    await expect(openArchive(`${base}/none.warc`)).rejects.toMatchObject({ code: "source/http-404" });
    let version = 1;
    answer = (request, response) => serveRange(zipped, request, response, { ETag: `"${version}"` });
    const archive = await openedAt("changing.warc.gz");
    version = 2;
    const [, , third] = await archive.rows(0, 3);
    if (!third) throw new Error("no row");
    await expect(archive.bytes(third, "body")).rejects.toMatchObject({ code: "source/changed" });
    await archive.close();
    await expect(openArchive("http://127.0.0.1:9/x.warc")).rejects.toMatchObject({ code: "source/unreachable" });
  });
});

test("records are inspected and read without an index", async () => {
  const lines = [];
  for await (const line of inspectArchive(zipped)) lines.push(line);
  expect(lines).toHaveLength(2 * PAGES + 1);
  const second = lines[1];
  if (!second || "damage" in second) throw new Error("no record");
  expect(second).toMatchObject({ type: "response", status: "200", digest_ok: true });
  const pieces = [];
  for await (const piece of readRecord(zipped, { offset: second.offset }, "body")) pieces.push(piece);
  expect(new TextDecoder().decode(concat(...pieces))).toBe("<p>page 0</p>");
  await expect(readRecord(zipped, { offset: zipped.length + 5 }, "body").next()).rejects.toMatchObject({ code: "read/no-record" });
  expect(await surt(["http://www.example.com/B?b&a", ""])).toEqual(["com,example)/b?a&b", "-"]);
});

describe("digests", () => {
  const states = (url: string, digest: string, block = "abc"): Uint8Array =>
    warcRecord({ type: "resource", url, headers: { "WARC-Block-Digest": digest, "Content-Type": "text/plain" }, block });

  test("are compared with the bytes of one record when that is asked for", async () => {
    const right = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
    const wrong = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6";
    const blake3 = "blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    const digests = [right, wrong, blake3, "crc32:12345678"];
    const archive = await openArchive(warcGz(...digests.map((digest, at) => states(`http://d.test/${at}`, digest))));
    await archive.indexed;
    const verdicts = [];
    for (const row of await archive.rows(0, 4)) verdicts.push((await archive.verify(row)).block);
    expect(verdicts).toEqual([
      { stated: right, verdict: "holds", of: "block" },
      { stated: wrong, verdict: "differs", found: right },
      { stated: blake3, verdict: "holds", of: "block" },
      { stated: "crc32:12345678", verdict: "unknown-algorithm" },
    ]);
    await expect(archive.verify({ offset: 1 << 30 })).rejects.toMatchObject({ code: "read/no-record" });
    await expect(archive.verify({ part: 7, offset: 0 })).rejects.toMatchObject({ code: "read/no-record" });
    await expect(archive.verify({ offset: 0 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    await archive.close();
  });

  test("are compared in members of members too", async () => {
    const { bytes } = allCases().find(({ name }) => name === "containers/zip-in-deflated-zip.zip") ?? {};
    if (!bytes) throw new Error("no fixture");
    const archive = await openArchive(bytes);
    await archive.indexed;
    let checked = 0;
    for await (const row of archive.records()) {
      const { block, payload } = await archive.verify(row);
      for (const one of [block, payload]) {
        if (!one) continue;
        expect(one.verdict).toBe("holds");
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(0);
    await archive.close();
  });
});
