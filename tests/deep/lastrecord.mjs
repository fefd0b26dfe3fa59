/**
 * A plain WARC file of STACKROOM_SEARCH_GB (1) of web pages, opened in the viewer: a phrase that the last record alone
 * has, of words that are on every page, is found and shown at its place, in Chromium and Firefox. It is asked for while
 * the file is still being read, when nothing may be said to be absent, and again when all is there. Times are told.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { pssBytes } from "../bench/processes.mjs";
import { launchReplay } from "../e2e/pages/replaybrowser.mjs";
import { Sink, prose, randomFrom } from "../fixtures/million.mjs";
import { httpResponse, warcInfo, warcRecord } from "../fixtures/warc.mjs";
import { failure, sum } from "../rings/program.mjs";

const PHRASE = "raven quill lantern sparrow compass harbor";
const BODIES = 64;
const BODY_WORDS = 6_000;
const FIRST = Date.UTC(2019, 0, 1);
const SAMPLE_MS = 250;
const MINUTES_MAX = 30;

/** Gives how many records it wrote. */
function makeArchive(path, bytesAtLeast) {
  const random = randomFrom(31);
  const bodies = Array.from({ length: BODIES }, () => prose(random, BODY_WORDS));
  if (bodies.some((body) => body.includes(PHRASE))) throw new Error("the phrase is in more records than the last one");
  const sink = new Sink(path);
  const put = (bytes) => {
    sink.reserve(bytes.length);
    sink.buffer.set(bytes, sink.at);
    sink.at += bytes.length;
  };
  const page = (n, text) => {
    const body = `<!doctype html><html lang="en"><title>Page ${n}</title><h1>Page ${n}</h1><p>${text}</p></html>`;
    const date = new Date(FIRST + n * 60_000).toISOString().replace(".000Z", "Z");
    put(warcRecord({ url: `https://pages.example/${n % 500}/${n}.html`, date, headers: { "Content-Type": "application/http;msgtype=response" }, block: httpResponse({ headers: { "Content-Type": "text/html; charset=utf-8" }, body }) }));
  };
  put(warcInfo({ date: new Date(FIRST).toISOString().replace(".000Z", "Z") }));
  let records = 1;
  while (sink.written + sink.at < bytesAtLeast) page(records++, bodies[random(BODIES)]);
  const last = bodies[0].length >> 1;
  page(records++, `${bodies[0].slice(0, last)} ${PHRASE} ${bodies[0].slice(last)}`);
  sink.close();
  return records;
}

async function through(name, { path, records }, url) {
  const { page, close } = await launchReplay(name);
  const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
  try {
    await page.goto(url);
    await page.getByRole("heading", { name: "Library" }).waitFor();
    await pause(2_000);
    const idle = pssBytes(process.pid);
    let peak = 0;
    const from = performance.now();
    await page.locator("#files").setInputFiles(path);
    const field = page.getByRole("combobox", { name: "Search text, fields and URLs" });
    await field.waitFor();
    await field.fill(`"${PHRASE}"`);
    const told = async (test) => (await page.getByTestId(test).count()) > 0 ? page.getByTestId(test).first().innerText() : "";
    let [early, found] = ["", undefined];
    while (found === undefined) {
      await pause(SAMPLE_MS);
      peak = Math.max(peak, pssBytes(process.pid) - idle);
      const hits = await told("hits");
      const partial = await told("partial");
      if (partial !== "") early = hits;
      if (/^[01] hits? in /.test(hits) && partial === "") {
        if (!hits.startsWith("1 ")) throw new Error(`told "${hits}" ${seconds(from)} after the file was chosen`);
        found = seconds(from);
      }
      if (performance.now() - from > MINUTES_MAX * 60_000) throw new Error(`still at "${hits}", "${partial}"`);
    }
    if (!/^0 hits so far/.test(early)) throw new Error(`while pages were read it told "${early}"`);
    await page.getByRole("button", { name: "This archive is in the library" }).waitFor();
    const again = [];
    for (const query of [`"${PHRASE}"`, `"${PHRASE}" host:pages.example mime:text/html`, `body:/sparrow\\s+compass\\s+harbor/ title:${records - 1}`]) {
      await field.fill("");
      await page.getByTestId("hits").waitFor({ state: "detached" });
      const asked = performance.now();
      await field.fill(query);
      await page.getByTestId("hits").filter({ hasText: /^1 hit in / }).waitFor({ timeout: 120_000 });
      again.push(`${Math.round(performance.now() - asked)} ms`);
    }
    await field.fill(`"${PHRASE}"`);
    await page.getByTestId("hits").filter({ hasText: /^1 hit in / }).waitFor();
    const opened = performance.now();
    const hit = page.getByRole("listbox", { name: "What was found" }).getByRole("option").filter({ hasText: `Page ${records - 1}` });
    await hit.locator("mark").filter({ hasText: PHRASE }).waitFor();
    await hit.click();
    await page.locator("stackroom-replay").filter({ hasText: "place 1 of 1" }).waitFor();
    const line = `${name}: ${Math.round(statSync(path).size / 1e6)} MB, ${records} records: found in the last one ${found} after the file was chosen, ${Math.round(peak / 1e6)} MB above the idle page at most until then; asked again, as a phrase, with columns and as an expression, ${again.join(", ")}; its page at its place after ${seconds(opened)}`;
    say(line);
    return { passed: 1, failed: 0, skipped: [], failures: [], figures: [line] };
  } catch (error) {
    return failure(`last record in ${name}`, error.message);
  } finally {
    await close();
  }
}

export async function runLastRecord() {
  const gigabytes = Number(process.env.STACKROOM_SEARCH_GB || 1);
  const folder = mkdtempSync(join(tmpdir(), "stackroom-search-"));
  const { startServer } = await import(pathToFileURL(at("dist/serve/server.js")).href);
  const server = await startServer({ root: at("dist/app"), port: 0 });
  try {
    const path = join(folder, "pages.warc");
    say(`making ${gigabytes} GB in one file`);
    const records = makeArchive(path, gigabytes * 1e9);
    const results = [];
    for (const name of ["chromium", "firefox"]) results.push(await through(name, { path, records }, server.url));
    return sum(results);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
