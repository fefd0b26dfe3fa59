/**
 * Every HTML document of the corpus replayed in the viewer, and the same one behind a proxy that serves the archive as if it
 * were the web: text, pictures and errors of scripts have to be the same. STACKROOM_REPLAY_ONLY names a part of the
 * files, STACKROOM_REPLAY_BROWSERS the browsers, STACKROOM_REPLAY_EACH how many documents of each archive.
 */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { replayLaunch } from "../e2e/pages/replaybrowser.mjs";
import { failure, sum } from "../rings/program.mjs";
import { startReference } from "./reference.mjs";

const PATIENCE_MS = 20_000;
/** A page is there when it has been loaded, and was the same for so long. */
const SETTLE_MS = 700;
const SIZE = { width: 1100, height: 800 };
/** Words that both have, of all that either has. */
const ALIKE_LEAST = 0.95;

/** In a page: what of it can be compared. */
const look = () => ({
  title: document.title,
  text: (document.body?.innerText ?? "").replace(/\s+/g, " ").trim(),
  pictures: [...document.images].map((one) => (one.complete ? `${one.naturalWidth}x${one.naturalHeight}` : "coming")),
  rules: [...document.styleSheets].reduce((all, sheet) => {
    try {
      return all + sheet.cssRules.length;
    } catch {
      return all;
    }
  }, 0),
});

/** What there is in a frame at last; it may be led elsewhere meanwhile. */
async function settled(frame) {
  let before = "";
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    await pause(SETTLE_MS);
    const isLoaded = await frame.evaluate(() => document.readyState === "complete").catch(() => false);
    const now = isLoaded ? await frame.evaluate(look).catch(() => undefined) : undefined;
    const told = JSON.stringify(now);
    if (now && told === before) return now;
    before = told;
  }
  return frame.evaluate(look);
}

function listen(page) {
  const errors = [];
  page.on("pageerror", ({ message }) => errors.push(message.replace(/https?:\/\/\S+/g, "URL").slice(0, 200)));
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  return errors;
}

async function asItWas(context, url) {
  const page = await context.newPage();
  const errors = listen(page);
  try {
    await page.goto(url, { waitUntil: "load", timeout: PATIENCE_MS });
    return { ...(await settled(page.mainFrame())), errors };
  } finally {
    await page.close();
  }
}

async function replayed(context, link) {
  const page = await context.newPage();
  const errors = listen(page);
  try {
    await page.goto(link);
    const view = page.locator("stackroom-replay");
    await view.getByRole("status").filter({ hasText: /^(?!.*(?:Loading|Preparing))./s }).first().waitFor({ timeout: PATIENCE_MS });
    const frame = await (await view.locator("iframe").elementHandle()).contentFrame();
    // The page that stands in until there is a service worker.
    await frame.waitForFunction(() => document.title !== "Stackroom" || document.body?.innerText.length > 200, undefined, { timeout: PATIENCE_MS });
    return { ...(await settled(frame)), errors, said: (await view.getByRole("status").first().textContent()).replace(/\s+/g, " ").trim() };
  } finally {
    await page.close();
  }
}

function likeness(a, b) {
  const [left, right] = [a, b].map((text) => new Set(text.split(" ")));
  const both = [...left].filter((word) => right.has(word)).length;
  return both / (left.size + right.size - both);
}

/** What is worse in replay than it was. */
function losses(was, is) {
  const found = [];
  const alike = likeness(was.text, is.text);
  if (alike < ALIKE_LEAST) found.push(`text is alike by ${alike.toFixed(2)} (${was.text.length} and ${is.text.length} letters)`);
  if (was.title !== is.title) found.push(`title ${JSON.stringify(is.title.slice(0, 60))} for ${JSON.stringify(was.title.slice(0, 60))}`);
  const seen = (page) => page.pictures.filter((size) => /^[1-9]/.test(size)).length;
  if (seen(is) < seen(was)) found.push(`${seen(is)} of ${seen(was)} pictures`);
  if (is.rules < was.rules) found.push(`${is.rules} of ${was.rules} style rules`);
  const left = [...was.errors];
  for (const error of is.errors) {
    const known = left.indexOf(error);
    if (known < 0) found.push(`error: ${error}`);
    else left.splice(known, 1);
  }
  return found;
}

/** Documents of an archive, each URL once, the first capture. */
async function documentsOf(archive) {
  const found = new Map();
  for await (const row of archive.records()) {
    const isPage = ["response", "resource"].includes(row.type) && (row.status ?? 200) === 200 && /html/.test(row.mime ?? "") && /^https?:/i.test(row.url);
    if (isPage && !found.has(row.url)) found.set(row.url, row.captured);
  }
  return [...found];
}

function hostFiles(folder, rangeOf) {
  const server = createServer((request, response) => {
    const path = join(folder, decodeURIComponent(new URL(request.url, "http://a").pathname));
    const { size } = statSync(path);
    const range = rangeOf(request.headers.range, size);
    const { start, end } = range === "whole" ? { start: 0, end: size } : range;
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Expose-Headers": "*, Content-Range, ETag", "Accept-Ranges": "bytes", ETag: `"${size}"`, "Content-Length": end - start };
    if (request.method === "OPTIONS") return void response.writeHead(204, headers).end();
    response.writeHead(range === "whole" ? 200 : 206, { ...headers, ...(range !== "whole" && { "Content-Range": `bytes ${start}-${end - 1}/${size}` }) });
    if (end > start) createReadStream(path, { start, end: end - 1 }).pipe(response);
    else response.end();
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({ address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}

async function through(name, type, { corpus, viewer, files, reference, openArchive }) {
  const { STACKROOM_REPLAY_ONLY: only = "", STACKROOM_REPLAY_EACH: each = "" } = process.env;
  const paths = readFileSync(join(corpus, "files/MANIFEST.tsv"), "utf8").split("\n").slice(1).map((line) => line.split("\t")[0]).filter((path) => path && path.includes(only));
  const browser = await type.launch(replayLaunch(name));
  const [count, failures] = [{ documents: 0, alike: 0 }, []];
  const lose = (what) => {
    failures.push(`${name}, ${what}`);
    say(`${name}, ${what}`);
  };
  try {
    for (const path of paths) {
      let archive;
      try {
        archive = await openArchive(join(corpus, "files", path));
        await archive.indexed;
      } catch {
        await archive?.close();
        continue;
      }
      // Records of an index are elsewhere.
      const documents = (archive.format.startsWith("cdx") ? [] : await documentsOf(archive)).slice(0, Number(each) || undefined);
      await reference.serve(archive);
      for (const [url, captured] of documents) {
        // A context each: what one page keeps, another one would find.
        const [own, web] = await Promise.all([browser.newContext({ viewport: SIZE }), browser.newContext({ viewport: SIZE, proxy: { server: reference.address }, ignoreHTTPSErrors: true, serviceWorkers: "block" })]);
        try {
          reference.at(captured ?? 0);
          const was = await asItWas(web, url);
          const ts = captured === undefined ? "" : `&ts=${new Date(captured).toISOString().replace(/\D/g, "").slice(0, 14)}`;
          const is = await replayed(own, `${viewer}#archive=${encodeURIComponent(files.address + path)}&url=${encodeURIComponent(url)}${ts}`);
          const found = losses(was, is);
          count.documents += 1;
          if (found.length === 0) count.alike += 1;
          else lose(`${path}, ${url.slice(0, 120)}: ${found.join("; ")}`);
        } catch (error) {
          count.documents += 1;
          lose(`${path}, ${url.slice(0, 120)}: ${error.message.split("\n")[0]}`);
        } finally {
          await Promise.all([own.close(), web.close()]);
        }
      }
      await archive.close();
    }
  } finally {
    await browser.close();
  }
  const line = `${name}: ${count.alike} of ${count.documents} documents are in replay what they were`;
  say(line);
  return { passed: count.alike, failed: failures.length, skipped: [], failures, figures: [line] };
}

export async function runReplayed(corpus) {
  const load = (path) => import(pathToFileURL(at(path)).href);
  const [{ startServer }, { rangeOf }, { openArchive }] = await Promise.all([load("dist/serve/server.js"), load("dist/serve/range.js"), load("dist/lib/node.js")]);
  const browsers = { chromium, firefox };
  const asked = process.env.STACKROOM_REPLAY_BROWSERS?.split(",") ?? Object.keys(browsers);
  const [viewer, files, reference] = await Promise.all([startServer({ root: at("dist/app"), port: 0 }), hostFiles(join(corpus, "files"), rangeOf), startReference()]);
  try {
    const results = [];
    for (const name of asked) results.push(await through(name, browsers[name], { corpus, viewer: viewer.url, files, reference, openArchive }));
    return [sum(results)];
  } catch (error) {
    return [failure("replay", error.message)];
  } finally {
    await Promise.all([viewer.close(), files.close(), reference.close()]);
  }
}
