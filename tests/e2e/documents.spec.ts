/**
 * Documents told while an archive is read, by a worker of their own: the same as in Node, in any character set; and an
 * archive whose documents nobody takes any more is read to its end.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { openArchive } from "stackroom";
import { concat, exchange, warcGz, warcInfo } from "../fixtures/warc.js";
import { serveRanged, type Ranged } from "./pages/ranged.mjs";

const koi = concat("<title>", new Uint8Array([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), "</title><p>x");
const page = (n: number): string => `<!doctype html><title>Page ${n}</title><p>${"Some words of text. ".repeat(1000)}<a href=${n}>x</a>`;
const made = [warcInfo({}), ...Array.from({ length: 1500 }, (_, n) => exchange({ url: `http://a.test/${n}`, headers: { "Content-Type": "text/html" }, body: page(n) })).flat()];
const archives = new Map<string, Uint8Array>([
  ["sample.warc.gz", readFileSync(new URL("../../dist/app/sample.warc.gz", import.meta.url))],
  ["charsets.warc", concat(...exchange({ url: "http://a.test/", headers: { "Content-Type": "text/html; charset=koi8-r" }, body: koi }))],
  ["long.warc.gz", warcGz(...made)],
]);

let server: Ranged;
test.beforeAll(async () => {
  server = await serveRanged(archives);
});
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  Object.assign(server, { asked: [], hold: () => undefined, knowsRange: true });
  await page.goto(server.url);
});

async function digestInNode(bytes: Uint8Array): Promise<string> {
  const archive = await openArchive(bytes, { withDocuments: true });
  const hash = createHash("sha256");
  for await (const { documents } of archive.documents()) hash.update(documents);
  await archive.close();
  return hash.digest("hex");
}

const readings = [...archives].flatMap(([name, bytes]) => [0, 2].map((parsers) => ({ name, bytes, parsers })));
for (const { name, bytes, parsers } of readings) {
  test(`${name} has the same documents as in Node, read by ${parsers === 0 ? "one worker" : "several"}`, async ({ page }) => {
    const told = await page.evaluate(async ([url, parsers]) => {
      const { openArchive } = await import(`${location.origin}/lib/index.js`);
      const archive = await openArchive(url, { isForKeeping: true, withDocuments: true, workers: parsers });
      const lots: Uint8Array[] = [];
      let last = 0;
      for await (const { documents, upTo } of archive.documents()) {
        lots.push(documents);
        last = upTo;
      }
      const { records } = await archive.indexed;
      await archive.close();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(lots as BlobPart[]).arrayBuffer()));
      return { records, last, digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") };
    }, [`${server.url}archives/${name}`, parsers] as const);
    expect(told.digest).toBe(await digestInNode(bytes));
    expect(told.last).toBe(told.records);
    expect(told.records).toBeGreaterThan(1);
  });
}

test("who leaves documents early has the archive read to its end", async ({ page }) => {
  const told = await page.evaluate(async (url) => {
    const { openArchive } = await import(`${location.origin}/lib/index.js`);
    const archive = await openArchive(await (await fetch(url)).blob(), { withDocuments: true });
    for await (const _ of archive.documents()) break;
    const { records, isDone } = await archive.indexed;
    await archive.close();
    return { records, isDone };
  }, `${server.url}archives/long.warc.gz`);
  expect(told).toEqual({ records: 3001, isDone: true });
});
