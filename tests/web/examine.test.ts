/** Searches that ask what only records tell: the index narrows them down, the archive is read; without it that is said. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ArchiveIndex } from "../../web/lib/library/archiveindex.js";
import { openLibrary, type Library, type SearchAsked, type SearchFound } from "../../web/lib/library/node.js";
import { openArchive, reopenArchive, type Archive } from "../../web/lib/node.js";
import { exchange, truncate, warcGz, warcInfo } from "../fixtures/warc.js";

const COUNT = 600;
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

interface Page {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

const pages: Page[] = Array.from({ length: COUNT }, (_, n) => {
  const body = `<!doctype html><title>Page ${n}</title><!-- build ${n % 7} --><p>some words</p><script>var secret_${n % 50} = ${n};</script>`;
  const isCoded = n % 3 === 0;
  return {
    url: `http://${n % 2 ? "odd" : "even"}.test/page/${n}`,
    headers: { "Content-Type": "text/html", Server: n % 10 === 0 ? "nginx/1.2" : "Apache", ...(isCoded && { "Content-Encoding": "gzip" }) },
    body: isCoded ? gzipSync(body) : body,
  };
});

let home: string;
let path: string;
let library: Library;
let id: number;
let index: ArchiveIndex;
let archive: Archive;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "examine-"));
  path = join(home, "crawl.warc.gz");
  writeFileSync(path, warcGz(warcInfo({}), ...pages.flatMap(({ url, headers, body }) => exchange({ url, headers, body }))));
  library = await openLibrary(join(home, "kept"));
  archive = await openArchive(path, { isForKeeping: true, withDocuments: true });
  ({ id } = await library.add(archive, { source: path }));
  index = await library.index(id);
}, 60_000);
afterAll(async () => {
  await archive.close();
  await library.close();
  rmSync(home, { recursive: true });
});

async function whole(asked: SearchAsked, of: Archive = archive): Promise<SearchFound> {
  for (;;) {
    const found = await index.search(asked, { archive: of });
    if (found.isDone) return found;
  }
}

const numbers = async (query: string): Promise<number[]> => {
  const { hits } = await whole({ query: `${query} type:response`, order: "file", count: 1_000 });
  return hits.map(({ record }) => Number(/\d+$/.exec(record.url)?.[0]));
};
const where = (holds: (n: number) => boolean): number[] => pages.map((_, n) => n).filter(holds);

test("bodies, headers, methods and parts of digests are asked of the records", async () => {
  expect(await numbers("raw:/secret_7\\b/")).toEqual(where((n) => n % 50 === 7));
  expect(await numbers('raw:"<!-- build 3 -->"')).toEqual(where((n) => n % 7 === 3));
  expect(await numbers("-raw:/BUILD [0-5]/i")).toEqual(where((n) => n % 7 === 6));
  expect(await numbers("header.server:nginx*")).toEqual(where((n) => n % 10 === 0));
  expect(await numbers("header.Server:(NGINX/1.2 or apache) raw:/secret_49/")).toEqual(where((n) => n % 50 === 49));
  expect(await numbers("-header.content-encoding:*")).toEqual(where((n) => n % 3 !== 0));
  expect(await numbers("(header.server:nginx* or url:*/page/7)")).toEqual(where((n) => n % 10 === 0 || n === 7));
  expect((await whole({ query: "method:get" })).total).toBe((await whole({ query: "type:request" })).total);
  const [{ record }] = (await whole({ query: "url:*/page/5 type:response", count: 1 })).hits as [SearchFound["hits"][number]];
  const digest = (await archive.detail(record)).warcHeaders.find(([name]) => name === "WARC-Payload-Digest")?.[1];
  if (digest !== undefined) expect(await numbers(`digest:${digest.slice(0, 12)}*`)).toContain(5);
});

test("what the index knows narrows down what is read, and the plan says how much that was", async () => {
  const query = "host:odd.test url:/page\\/1\\d$/ raw:/secret/";
  const found = await whole({ query, withPlan: true, facets: [{ field: "host", count: 5 }], count: 20 });
  expect([found.total, found.read, found.toRead, found.unread]).toEqual([5, 5, 5, 0]);
  expect(found.facets).toEqual([{ field: "host", values: [{ value: "odd.test", count: 5 }] }]);
  const step = found.plan.find(({ what }) => what.startsWith("records:"));
  expect(step).toMatchObject({ what: "records: 5 of 5 read", at: query.indexOf("raw"), rows: 5, work: 5 });
  expect(step?.milliseconds).toBeGreaterThan(0);
  expect((await whole({ query: "words raw:/secret_9 =/", order: "url", isDescending: true, count: 1 })).hits[0]?.record.url).toContain("/page/");
});

test("hits come as they are found, and stopping stops it", async () => {
  const query = "raw:/secret_\\d+ = \\d*5;/ ";
  const first = await index.search({ query }, { archive: slow(archive) });
  expect(first.isDone).toBe(false);
  expect(first.read).toBeGreaterThan(0);
  expect(first.read).toBeLessThan(first.toRead);
  expect(first.total).toBeGreaterThan(0);
  const listed = await index.search({ query, count: 5 });
  expect(listed.hits).toHaveLength(Math.min(5, first.total));
  const stop = AbortSignal.abort();
  await expect(index.search({ query }, { archive, signal: stop })).rejects.toMatchObject({ name: "AbortError" });
  expect((await whole({ query })).total).toBe(COUNT / 10);
});

/** One that tells a record at a time, a turn of the search for each. */
function slow(fast: Archive): Pick<Archive, "examine"> {
  return {
    async *examine(query, rows, options) {
      for await (const outcomes of fast.examine(query, rows, options)) {
        for (let at = 0; at < outcomes.length; at += 2) {
          yield outcomes.slice(at, at + 2);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
  };
}

test("without its archive, or where that is damaged, it is said what was not read", async () => {
  const query = "host:odd.test type:response raw:/secret_3 / ";
  const closed = await index.search({ query });
  expect([closed.isDone, closed.total, closed.unread]).toEqual([true, 0, COUNT / 2]);
  const cut = join(home, "cut.warc.gz");
  const { readFileSync } = await import("node:fs");
  const bytes = new Uint8Array(readFileSync(path));
  writeFileSync(cut, truncate(bytes, Math.floor(bytes.length / 2)));
  const kept = await library.kept(id);
  if (!kept) throw new Error("nothing is kept");
  const half = await reopenArchive(path, kept);
  const damaged = await openArchive(cut, { isForKeeping: true });
  await damaged.indexed;
  const found = await whole({ query }, damaged);
  expect(found.isDone).toBe(true);
  expect(found.unread).toBeGreaterThan(0);
  expect(found.read).toBe(COUNT / 2);
  const again = await whole({ query: `${query} ` }, half);
  expect([again.total, again.unread]).toEqual([where((n) => n % 50 === 3).length, 0]);
  await half.close();
  await damaged.close();
});

test("what cannot be asked is refused under its column", async () => {
  await expect(index.search({ query: "words or raw:/x/" })).rejects.toMatchObject({ code: "query/value", offset: 9 });
  await expect(index.search({ query: "words raw:/(/" })).rejects.toMatchObject({ code: "query/value", offset: 6 });
  await expect(index.search({ query: "header.:x" })).rejects.toMatchObject({ code: "query/value", offset: 0 });
});

test("the command line reads from where the archive was added", () => {
  const kept = join(home, "by-hand");
  const run = (...args: string[]): { status: number | null; stdout: string } => spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  run("add", path, "--to", kept);
  const found = run("search", kept, "raw:/secret_11 / type:response", "--explain");
  expect(found.status).toBe(0);
  expect(found.stdout).toContain(`${COUNT / 50} hits`);
  expect(found.stdout).toContain(`records: ${COUNT} of ${COUNT} read`);
  const filtered = run("filter", path, "--where", "raw:/secret_11 / type:response", "-o", join(home, "some.warc.gz"));
  expect(filtered.status).toBe(0);
  expect(run("records", join(home, "some.warc.gz")).stdout.trim().split("\n").filter((line) => line.includes('"response"'))).toHaveLength(COUNT / 50);
});
