/**
 * Archives opened again in a browser from what is kept of them, and read on where that was broken off, alone and by
 * several workers: the same rows and damage as from one reading, and no byte read twice that need not be.
 */
import { expect, test, type Page } from "@playwright/test";
import type { RecordRow } from "stackroom";
import { concat, flip, gzipMember, httpResponse, warcInfo, warcRecord } from "../fixtures/warc.js";
import { serveRanged, type Ranged } from "./pages/ranged.mjs";

/** Records of noise, long enough together that reading them takes a while. */
function noisy(records: number): Uint8Array[] {
  let state = 9;
  const noise = new Uint8Array(1 << 18).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  return [
    warcInfo(),
    ...Array.from({ length: records }, (_, page) => {
      const start = (page * 104_729) % (1 << 17);
      const block = httpResponse({ headers: { "Content-Type": `image/x-${page % 5}` }, body: noise.subarray(start, start + 1000 + ((page * 7919) % 9000)) });
      return warcRecord({ url: `https://www.h${page % 9}.example/${page}`, block });
    }),
  ];
}

const members = noisy(3000).map((record) => gzipMember(record, { level: 1 }));
let packed = concat(...members, gzipMember(concat(...noisy(2))));
for (let at = 100_000; at < packed.length; at += 2_700_000) packed = flip(packed, at, 0x5a);
const archives = new Map<string, Uint8Array>([
  ["packed.warc.gz", packed],
  ["plain.warc", concat(...noisy(3000))],
]);

let server: Ranged;
test.beforeAll(async () => {
  server = await serveRanged(archives);
});
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  await page.goto(server.url);
});

interface Outcome {
  readonly first: string;
  readonly again: string;
  readonly records: number;
  readonly kept: number;
  readonly rowsAtState: number;
}

/** Opens, keeps some rows, closes, opens again; and what both a whole reading and that come to. */
function brokenOff(page: Page, name: string, as: "url" | "file", workers: number, lots: number): Promise<Outcome> {
  return page.evaluate(
    async ([url, as, workers, lots]) => {
      const load = (path: string): Promise<Record<string, never>> => import(`${location.origin}/lib/${path}`);
      const { openArchive, reopenArchive } = (await load("index.js")) as unknown as typeof import("stackroom");
      const { default: init, KeptIndex } = (await load("wasm/store.js")) as unknown as typeof import("../../web/lib/wasm/store.js");
      const { ArchiveIndex } = (await load("library/archiveindex.js")) as unknown as typeof import("../../web/lib/library/archiveindex.js");
      const { divided } = (await load("library/files.js")) as unknown as typeof import("../../web/lib/library/files.js");
      const { memoryStorage } = (await load("store/memory.js")) as unknown as typeof import("../../web/lib/store/memory.js");
      await init();
      type Opened = Awaited<ReturnType<typeof openArchive>>;
      const digestOf = async (archive: Opened): Promise<string> => {
        const { records } = await archive.indexed;
        const told: unknown[] = [await archive.damage(0, 10_000), await archive.parts()];
        for (let row = 0; row < records; row += 4096) told.push(await archive.rows(row, 4096));
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(told)));
        return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
      };
      const source = as === "file" ? await (await fetch(url)).blob() : url;
      const whole = await openArchive(source);
      const first = await digestOf(whole);
      await whole.close();

      const index = await ArchiveIndex.open(KeptIndex, divided(memoryStorage()).shelf(1));
      const archive = await openArchive(source, { workers, isForKeeping: true });
      let left = lots;
      for await (const rows of archive.keyedRows(0, 200)) {
        await index.add(rows);
        if (--left === 0) break;
      }
      const state = await archive.keptState({ records: index.count });
      await archive.close();
      const rows = async function* (): AsyncGenerator<Uint8Array> {
        for (let from = 0; from < index.count; from += 500) yield await index.storedRows(from, 500);
      };
      let rowsAtState = 0;
      const again = await reopenArchive(source, { state, rows }, { workers, onProgress: ({ records }) => (rowsAtState ||= records) });
      const digest = await digestOf(again);
      const { records } = again.progress;
      await again.close();
      return { first, again: digest, records, kept: index.count, rowsAtState };
    },
    [`${server.url}archives/${name}`, as, workers, lots] as const,
  );
}

/** Each source and each number of workers once; STACKROOM_DEEP=1 takes all pairs. */
const once = [["file", 0], ["url", 2]] as const;
const ways = process.env["STACKROOM_DEEP"] === "1" ? ([...once, ["file", 2], ["url", 0]] as const) : once;

for (const name of archives.keys()) {
  for (const [as, workers] of ways) {
    test(`${name} as ${as} with ${workers} workers goes on to the same table`, async ({ page }) => {
      for (const lots of [1, 8, 1000]) {
        const { first, again, records, kept, rowsAtState } = await brokenOff(page, name, as, workers, lots);
        expect(again).toBe(first);
        expect(records).toBeGreaterThan(2900);
        expect(kept).toBe(lots === 1000 ? records : kept);
        expect(rowsAtState).toBeGreaterThan(0);
      }
    });
  }
}

test("an archive that is kept whole is asked for when a record of it is read, and not before", async ({ page }) => {
  const url = `${server.url}archives/plain.warc`;
  await page.evaluate(async (url) => {
    const { openArchive } = (await import(`${location.origin}/lib/index.js`)) as typeof import("stackroom");
    const { default: init, KeptIndex } = (await import(`${location.origin}/lib/wasm/store.js`)) as typeof import("../../web/lib/wasm/store.js");
    await init();
    const archive = await openArchive(url, { isForKeeping: true });
    await archive.indexed;
    const index = new KeptIndex(1 << 20);
    for await (const rows of archive.keyedRows(0, 1000)) index.add(rows);
    const [row] = await archive.rows(1000, 1);
    const state = await archive.keptState();
    index.begin_stored();
    index.stored_rows(0, index.count());
    await archive.close();
    Object.assign(globalThis, { kept: { row, state, rows: [index.take_value()] } });
  }, url);
  server.asked = [];
  const again = await page.evaluate(async (url) => {
    const { reopenArchive } = (await import(`${location.origin}/lib/index.js`)) as typeof import("stackroom");
    const { state, rows, row } = (globalThis as unknown as { kept: { row: RecordRow; state: Uint8Array; rows: Uint8Array[] } }).kept;
    const archive = await reopenArchive(url, { state, rows: async function* () { yield* rows; } });
    const { records } = await archive.indexed;
    Object.assign(globalThis, { read: () => archive.bytes(row, "body").then(({ length }) => length) });
    return records;
  }, url);
  expect(again).toBe(3001);
  expect(server.asked).toEqual([]);
  expect(await page.evaluate(() => (globalThis as unknown as { read: () => Promise<number> }).read())).toBeGreaterThan(999);
  expect(server.asked).not.toEqual([]);
});
