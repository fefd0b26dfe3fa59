/**
 * Archives read in ranges by several workers: the same rows and damage as by one reader, in files and over a
 * connection; progress that only grows; cancelling; and no more read ahead than is allowed.
 */
import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { concat, flip, gzipMember, httpResponse, warcInfo, warcRecord } from "../fixtures/warc.js";
import { serveRanged, type Ranged } from "./pages/ranged.mjs";

/** Pages of noise, so that a few megabytes are quickly made and stay as long when compressed. */
function noisyArchive(bytesWanted: number, seed: number): Uint8Array {
  let state = seed;
  const noise = new Uint8Array(1 << 20).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  const members = [gzipMember(warcInfo())];
  for (let page = 0, bytes = 0; bytes < bytesWanted; page++) {
    const size = 200 + ((page * 7919) % 23_000);
    const start = (page * 104_729) % (noise.length - size);
    const block = httpResponse({ headers: { "Content-Type": `image/x-${page % 5}` }, body: noise.subarray(start, start + size) });
    const member = gzipMember(warcRecord({ url: `https://www.h${page % 9}.example/${seed}/${page}`, block }), { level: 1 });
    members.push(member);
    bytes += member.length;
  }
  return concat(...members);
}

const big = noisyArchive(20 << 20, 7);
const small = noisyArchive(3 << 20, 8);
const inside = (payload: Uint8Array): Uint8Array => warcRecord({ type: "resource", url: "https://in.example/x.warc.gz", block: payload });
let damaged = big;
for (let at = 100_000; at < big.length; at += 1_700_000) damaged = flip(damaged, at, 0x5a);

const archives = new Map<string, Uint8Array>([
  ["sample.warc.gz", readFileSync(new URL("../../dist/app/sample.warc.gz", import.meta.url))],
  ["big.warc.gz", big],
  ["damaged.warc.gz", concat(damaged.subarray(0, 9_000_000), "no member at all", damaged.subarray(9_000_000, -77))],
  // Stored, so that the members of the inner archive stand in the outer file as they are.
  ["nested.warc.gz", concat(small, gzipMember(inside(concat(small, gzipMember(inside(small), { level: 0 }))), { level: 0 }), small)],
  ["one-member.warc.gz", gzipMember(concat(...Array.from({ length: 300 }, (_, n) => inside(big.subarray(n * 9000, n * 9000 + 9000)))), { level: 1 })],
]);

interface Outcome {
  readonly records: number;
  readonly damage: number;
  readonly digest: string;
  readonly positions: number[];
  readonly isGrowing: boolean;
}

let server: Ranged;
test.beforeAll(async () => {
  server = await serveRanged(archives);
});
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  Object.assign(server, { asked: [], hold: () => undefined, knowsRange: true });
  await page.goto(server.url);
});

function index(page: Page, name: string, as: "url" | "file", workers: number): Promise<Outcome> {
  return page.evaluate(
    async ([url, as, workers]) => {
      const { openArchive } = await import(`${location.origin}/lib/index.js`);
      const source = as === "file" ? await (await fetch(url)).blob() : url;
      const positions: number[] = [];
      const archive = await openArchive(source, { workers, onProgress: ({ bytes }: { bytes: number }) => positions.push(bytes) });
      const { records, damageCount } = await archive.indexed;
      const told = [];
      for (let row = 0; row < records; row += 4096) told.push(await archive.rows(row, 4096));
      told.push(await archive.damage(0, 10_000));
      await archive.close();
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(told)));
      return {
        records,
        damage: damageCount,
        digest: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(""),
        positions,
        isGrowing: positions.every((bytes, at) => at === 0 || bytes >= (positions[at - 1] ?? 0)),
      };
    },
    [`${server.url}archives/${name}`, as, workers] as const,
  );
}

for (const name of archives.keys()) {
  test(`${name} is the same in ranges as in one`, async ({ page }) => {
    const { positions: _, ...serial } = await index(page, name, "file", 0);
    expect(serial.records).toBeGreaterThan(20);
    for (const as of ["file", "url"] as const) {
      for (const workers of [1, 2, 3]) {
        server.asked = [];
        const { positions, ...split } = await index(page, name, as, workers);
        expect(split, `${as}, ${workers} workers`).toEqual(serial);
        expect(positions.at(-1)).toBe(archives.get(name)?.length);
        if (as === "url" && workers > 1) expect(new Set(server.asked).size, "places read at").toBeGreaterThan(4);
      }
    }
  });
}

test("a server without ranges is read in one", async ({ page }) => {
  const { positions: _, ...serial } = await index(page, "big.warc.gz", "file", 0);
  server.knowsRange = false;
  server.asked = [];
  const { positions: _positions, ...split } = await index(page, "big.warc.gz", "url", 3);
  expect(split).toEqual(serial);
  expect(server.asked.length).toBeLessThan(4);
});

test("no more is read ahead of a slow start than is allowed", async ({ page }) => {
  const { positions: _, ...serial } = await index(page, "big.warc.gz", "file", 0);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let firsts = 0;
  // The first request recognises the file; the second is the first range.
  server.hold = (_name, start) => (start === 0 && ++firsts === 2 ? held : undefined);
  server.asked = [];
  const opening = index(page, "big.warc.gz", "url", 3);
  await expect.poll(() => new Set(server.asked).size).toBeGreaterThan(3);
  await page.waitForTimeout(1500);
  // Three workers: the start, and no more than six ranges after it, each with a last piece beyond its end.
  expect(new Set(server.asked).size).toBeLessThanOrEqual(1 + 2 * 6);
  const length = Math.ceil(big.length / 12);
  expect(Math.max(...server.asked)).toBeLessThan(8 * length);
  release();
  const { positions: _positions, ...split } = await opening;
  expect(split).toEqual(serial);
});

test("cancelling ends all workers", async ({ page }) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  // Ranges of an eighth each, the last three of which are held back: two workers may stand in two of them.
  server.hold = (_name, start) => (start > 12 << 20 ? held : undefined);
  const outcome = await page.evaluate(async (url) => {
    const { openArchive } = await import(`${location.origin}/lib/index.js`);
    const controller = new AbortController();
    let progress = (): void => {};
    const progressed = new Promise<void>((resolve) => (progress = resolve));
    const onProgress = ({ bytes }: { bytes: number }): void => void (bytes > 0 && progress());
    const archive = await openArchive(url, { workers: 2, signal: controller.signal, onProgress });
    await progressed;
    controller.abort();
    const error: Error = await archive.indexed.catch((error: Error) => error);
    return error.name;
  }, `${server.url}archives/big.warc.gz`);
  expect(outcome).toBe("AbortError");
  // A worker that lived would be answered now, and ask for what is left.
  release();
  await page.waitForTimeout(700);
  expect(Math.max(...server.asked)).toBeLessThan(big.length * 0.87);
});

test("a range that cannot be had ends the reading where it stands, with what went before", async ({ page }) => {
  const broken = new Map([["gone.warc.gz", big]]);
  const other = await serveRanged(broken);
  other.hold = (_name, start) => {
    if (start > 12 << 20) broken.clear();
    return undefined;
  };
  try {
    await page.goto(other.url);
    const outcome = await page.evaluate(async (url) => {
      const { openArchive } = await import(`${location.origin}/lib/index.js`);
      const archive = await openArchive(url, { workers: 2 });
      const error: { code?: string } = await archive.indexed.catch((error: unknown) => error);
      const rows = await archive.rows(0, 10);
      await archive.close();
      return { code: error.code, rows: rows.length };
    }, `${other.url}archives/gone.warc.gz`);
    expect(outcome).toEqual({ code: "source/http-404", rows: 10 });
  } finally {
    await other.close();
  }
});
