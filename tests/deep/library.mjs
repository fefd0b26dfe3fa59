/**
 * Split WARC.GZ files, STACKROOM_LIBRARY_GB of them (20) in 30, opened as one collection from local files and kept in the
 * library of a browser, with what their pages say, in Chromium and Firefox: the browser is killed twice on the way, once
 * while records are read and once while pages are, and goes on; at the end all are there. Memory, the longest silence of the page's thread, and the times to the first record and to open
 * again are told; memory above the idle page is to stay below the limit.
 */
import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { pssBytes } from "../bench/processes.mjs";
import { KillableBrowser } from "../e2e/pages/kills.mjs";
import { serveLibrary } from "../e2e/pages/library.mjs";
import { failure, sum } from "../rings/program.mjs";
import { makeSplit } from "./splitwarcs.mjs";

const FILES = 30;
const MB = 1e6;
const MEMORY_BYTES_MAX = 300 * MB;
/** When the browser is killed, in parts of all records: those that are kept, then those of which it is kept what they say. */
const KILLS = [{ what: "kept", part: 0.4 }, { what: "read", part: 0.5 }];
const SAMPLE_MS = 500;
const HOURS_MAX = 3;

/** In the page: the library, a field for files, and a clock that shows how long the thread was silent. */
async function prepare() {
  const [{ openSharedLibrary, describeFile }, { openArchive }] = await Promise.all([import("/lib/library/index.js"), import("/lib/index.js")]);
  const input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true, id: "files" });
  document.body.append(input);
  const deep = { library: await openSharedLibrary(), openArchive, describeFile, silence: 0, records: 0, kept: 0, read: 0 };
  globalThis.deep = deep;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    deep.silence = Math.max(deep.silence, now - last);
    last = now;
  }, 4);
}

/** In the page: opens the chosen files and keeps them; the page tells how far that is. */
async function keep() {
  const { deep } = globalThis;
  const chosen = [...document.querySelector("#files").files];
  deep.silence = 0;
  const start = performance.now();
  const files = await Promise.all(chosen.map((file) => deep.describeFile(file)));
  const onProgress = ({ records }) => {
    if (deep.records === 0 && records > 0) deep.firstMs = performance.now() - start;
    deep.records = records;
  };
  const [known] = await deep.library.list();
  const options = { workers: "auto", onProgress };
  // What was broken off is read on.
  deep.archive = known ? await deep.library.reopen(known.id, chosen, { ...options, withDocuments: known.state === "indexing" || known.documentsEnd !== undefined }) : await deep.openArchive(chosen, { ...options, isForKeeping: true, withDocuments: true });
  deep.adding = deep.library
    .add(deep.archive, { source: "split", files, onKept: ({ records, state, documentsEnd }) => Object.assign(deep, { kept: records, read: documentsEnd ?? (state === "ready" ? records : 0) }) })
    .then((kept) => (deep.ready = kept), (error) => (deep.error = `${error.code ?? error.name}: ${error.message}`));
}

const facts = (page) => page.evaluate(() => {
  const { records, kept, read, silence, firstMs, ready, error } = globalThis.deep;
  return { records, kept, read, silence, firstMs, ready, error };
});

async function open(browser, url) {
  const context = await browser.start();
  const page = await context.newPage();
  await page.goto(url);
  await page.evaluate(prepare);
  return page;
}

async function through(name, { paths, records, pages, bytes }, url) {
  const browser = new KillableBrowser(name);
  const told = [];
  try {
    let [peak, silence, firstMs] = [{ kept: 0, read: 0 }, 0, Infinity];
    for (let attempt = 0; ; attempt++) {
      const page = await open(browser, url);
      await pause(2_000);
      const idle = pssBytes(process.pid);
      await page.setInputFiles("#files", paths);
      await page.evaluate(keep);
      const from = performance.now();
      let now;
      for (;;) {
        await pause(SAMPLE_MS);
        now = await facts(page);
        const doing = now.kept < records ? "kept" : "read";
        peak[doing] = Math.max(peak[doing], pssBytes(process.pid) - idle);
        if (now.ready || now.error || now[KILLS[attempt]?.what] >= KILLS[attempt]?.part * records) break;
        if (performance.now() - from > HOURS_MAX * 3_600_000) throw new Error(`still at ${now.kept} of ${records} records`);
      }
      silence = Math.max(silence, now.silence);
      firstMs = Math.min(firstMs, now.firstMs ?? Infinity);
      if (now.error) throw new Error(now.error);
      told.push(`${Math.round((performance.now() - from) / 1000)} s to ${now.kept} records, ${now.read} of them read`);
      if (now.ready) {
        if (now.ready.records !== records) throw new Error(`${now.ready.records} of ${records} records are kept`);
        break;
      }
      await browser.kill();
    }
    await browser.context.close();
    const page = await open(browser, url);
    await page.setInputFiles("#files", paths);
    const again = await page.evaluate(async (files) => {
      const start = performance.now();
      const [kept] = await globalThis.deep.library.list();
      const archive = await globalThis.deep.library.reopen(kept.id, [...document.querySelector("#files").files]);
      while (archive.progress.records < 100) await new Promise((resolve) => setTimeout(resolve, 1));
      const rows = await archive.rows(0, 100);
      const ms = performance.now() - start;
      const { records } = await archive.indexed;
      const allMs = performance.now() - start;
      await archive.close();
      const index = globalThis.deep.library.index(kept.id);
      // Rows of each file in its order, each once.
      let [next, file, wrong] = [0, -1, 0];
      for (let from = 0; from < kept.records; from += 5_000) {
        for (const { url } of await index.rows(from, 5_000)) {
          if (url === "") [next, file] = [0, file + 1];
          else if (!url.includes(`.example/${file}/${next++}.`)) wrong += 1;
        }
      }
      const findings = await globalThis.deep.library.verify();
      const counts = await index.documentCounts();
      return { ms, pages: counts.pages + counts.fragments, allMs, rows: records === kept.records ? rows.length : records, wrong, files: file + 1, isAll: file + 1 === files, findings };
    }, FILES);
    if (again.pages !== pages || again.rows !== 100 || again.wrong > 0 || !again.isAll || again.findings.length > 0) throw new Error(`what is kept is not what was read: ${JSON.stringify(again)}`);
    const line = `${name}: ${Math.round(bytes / MB)} MB, ${records} records: ${told.join(", killed, ")}; first record after ${Math.round(firstMs)} ms, the page silent for ${Math.round(silence)} ms at most, ${Math.round(peak.kept / MB)} MB above the idle page at most and ${Math.round(peak.read / MB)} while pages were read, opened again after ${Math.round(again.ms)} ms, all of its records there after ${Math.round(again.allMs)}`;
    say(line);
    const most = Math.max(peak.kept, peak.read);
    if (most > MEMORY_BYTES_MAX) throw new Error(`it took ${Math.round(most / MB)} MB, the limit is ${MEMORY_BYTES_MAX / MB}`);
    return { passed: 1, failed: 0, skipped: [], failures: [], figures: [line] };
  } catch (error) {
    return failure(`library in ${name}`, `${error.message} (${told.join(", killed, ")})`);
  } finally {
    await browser.close();
  }
}

export async function runLibrary() {
  const gigabytes = Number(process.env.STACKROOM_LIBRARY_GB || 20);
  const browsers = process.env.STACKROOM_LIBRARY_BROWSERS?.split(",") ?? ["chromium", "firefox"];
  say(`making ${gigabytes} GB in ${FILES} files`);
  const split = makeSplit(at("target/deep/split"), FILES, Math.round((gigabytes * 1000 * MB) / FILES));
  const bytes = split.paths.reduce((all, path) => all + statSync(path).size, 0);
  const server = await serveLibrary();
  try {
    const results = [];
    for (const name of browsers) results.push(await through(name, { ...split, bytes }, server.url));
    return [sum(results)];
  } finally {
    await server.close();
  }
}
