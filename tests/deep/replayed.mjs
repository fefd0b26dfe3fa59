/**
 * HTML documents of the corpus, of sites of our own and pages that use libraries, replayed in the viewer, and the same ones
 * behind a proxy that serves the archive as if it were the web, or live: text, pictures, styles and errors of scripts have to be the same, at the same size. In Chromium they are
 * shown by ReplayWeb.page too, and compared with the same: what was found of what the page loads, errors, looks.
 * STACKROOM_REPLAY_ONLY names a part of the files, STACKROOM_REPLAY_BROWSERS the browsers, STACKROOM_REPLAY_EACH how many
 * documents of each archive (1; 0 for all), STACKROOM_REPLAY_SEED which.
 */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { likeness, listen, sameLooks, settled } from "../e2e/pages/likeness.mjs";
import { replayLaunch } from "../e2e/pages/replaybrowser.mjs";
import { frameOf, programs } from "../peers/shown.mjs";
import { failure, sum } from "../rings/program.mjs";
import { makeOwnArchives } from "./ownarchives.mjs";
import { startReference } from "./reference.mjs";

const PATIENCE_MS = 20_000;
const SIZE = { width: 1100, height: 800 };
/** Words that both have, of all that either has. */
const ALIKE_LEAST = 0.95;
const MISSING = "Not in the archive";
/** Less of a page than this is the noise of letters and moments. */
const LOOKS_APART = 0.02;
/** Firefox asks no proxy about addresses of this machine. */
const FIREFOX_PREFS = { "network.proxy.allow_hijacking_localhost": true };

const withoutScheme = (url) => url.replace(/^https?:\/\//, "").replace(/#.*$/s, "");

/** What a page loads, as the browser tells: addresses that were answered, without scheme. */
function followResources(page, archived) {
  const found = new Set();
  page.on("response", (response) => {
    const url = archived(response.url());
    if (url !== undefined && response.status() < 400 && !/\.ico(?:\?|$)/.test(url)) found.add(withoutScheme(url));
  });
  return found;
}

/** Icons are for whoever shows a page: browsers and viewers ask for them or not, as they please. */
const iconsOf = (page) => page.evaluate(() => Array.from(document.querySelectorAll("link[rel~=icon i]"), ({ href }) => href));

async function asItWas(context, url) {
  const page = await context.newPage();
  // Firefox waits for whoever prints; a frame in a sandbox may not.
  await page.addInitScript(() => (window.print = () => {}));
  const errors = listen(page);
  const found = followResources(page, (address) => address);
  try {
    await page.goto(url, { waitUntil: "load", timeout: PATIENCE_MS });
    const facts = await settled(page.mainFrame(), PATIENCE_MS);
    for (const icon of await iconsOf(page)) found.delete(withoutScheme(icon));
    return { ...facts, errors, found, picture: await page.screenshot() };
  } finally {
    await page.close();
  }
}

/** A page as a program shows it, and the size of its frame. */
async function shownBy(program, context, link) {
  const page = await context.newPage();
  const errors = listen(page);
  const found = followResources(page, (address) => (program.isIt(address) || program.archived(address) !== address ? program.archived(address) : undefined));
  try {
    await page.goto(link);
    const frame = await frameOf(page, program, PATIENCE_MS);
    const facts = await settled(frame, PATIENCE_MS);
    const box = await (await frame.frameElement()).boundingBox();
    return { ...facts, errors, found, box, picture: await page.screenshot({ clip: box }) };
  } finally {
    await page.close();
  }
}

/** What is worse in replay than it was. */
function losses(was, is) {
  const lost = [];
  // Where a page led to what is not there, both say so, each in its own words.
  if (was.title === MISSING && is.title === MISSING) return lost;
  const alike = likeness(was.text, is.text);
  if (alike < ALIKE_LEAST) lost.push(`text is alike by ${alike.toFixed(2)} (${was.text.length} and ${is.text.length} letters)`);
  if (was.title !== is.title) lost.push(`title ${JSON.stringify(is.title.slice(0, 60))} for ${JSON.stringify(was.title.slice(0, 60))}`);
  const seen = (page) => page.pictures.filter((size) => /^[1-9]/.test(size)).length;
  if (seen(is) < seen(was)) lost.push(`${seen(is)} of ${seen(was)} pictures`);
  if (is.rules < was.rules) lost.push(`${is.rules} of ${was.rules} style rules`);
  for (const error of ownErrors(was, is)) lost.push(`error: ${error}`);
  return lost;
}

function ownErrors(was, is) {
  const left = [...was.errors];
  return is.errors.filter((error) => !left.includes(error) || left.splice(left.indexOf(error), 1).length === 0);
}

/** In numbers, the more the better. */
async function scores(page, was, is) {
  const wanted = [...was.found];
  return {
    resources: wanted.length === 0 ? 1 : wanted.filter((url) => is.found.has(url)).length / wanted.length,
    errors: -ownErrors(was, is).length,
    looks: await sameLooks(page, was.picture, is.picture),
  };
}

/** The first, and others by lot, always the same. */
function someOf(all, count, seed) {
  if (count === 0 || all.length <= count) return all;
  let state = seed;
  const rest = all.slice(1).map((one) => [(state = (Math.imul(state, 1664525) + 1013904223) >>> 0), one]);
  return [all[0], ...rest.toSorted(([a], [b]) => a - b).slice(0, count - 1).map(([, one]) => one)];
}

/** Documents of an archive, each URL once, the first capture; where pages are named, those. */
async function documentsOf(archive, pages) {
  const found = new Map();
  for await (const row of archive.records()) {
    const isPage = ["response", "resource"].includes(row.type) && (row.status ?? 200) === 200 && /html/.test(row.mime ?? "") && /^https?:/i.test(row.url);
    if (isPage && (pages?.includes(row.url) ?? true) && !found.has(row.url)) found.set(row.url, row.captured);
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

async function through(name, type, { corpus, own, peer, files, rangeOf, reference, openArchive }) {
  const { STACKROOM_REPLAY_ONLY: only = "", STACKROOM_REPLAY_EACH: each = "1", STACKROOM_REPLAY_SEED: seed = "1" } = process.env;
  const browser = await type.launch(replayLaunch(name, FIREFOX_PREFS));
  const ours = await makeOwnArchives(browser);
  const ourFiles = await hostFiles(ours.folder, rangeOf);
  const paths = readFileSync(join(corpus, "files/MANIFEST.tsv"), "utf8").split("\n").slice(1).map((line) => line.split("\t")[0]).filter(Boolean);
  const archives = [
    ...ours.archives.map(({ name: own, live, pages }) => ({ path: `own/${own}`, file: join(ours.folder, own), address: ourFiles.address + own, isWhole: true, live, pages })),
    ...paths.map((path) => ({ path, file: join(corpus, "files", path), address: files.address + path })),
  ].filter(({ path }) => path.includes(only));
  const judge = await browser.newPage();
  const [count, failures, compared] = [{ documents: 0, alike: 0, absent: 0 }, [], []];
  const lose = (what) => {
    failures.push(`${name}, ${what}`);
    say(`${name}, ${what}`);
  };
  // What a program has around its frame.
  const extra = new Map();
  const show = async (program, link, size) => {
    const around = extra.get(program) ?? { width: 0, height: 0 };
    const viewport = { width: Math.round(size.width + around.width), height: Math.round(size.height + around.height) };
    const context = await browser.newContext({ viewport });
    try {
      const shown = await shownBy(program, context, link);
      extra.set(program, { width: viewport.width - shown.box.width, height: viewport.height - shown.box.height });
      return shown;
    } finally {
      await context.close();
    }
  };
  try {
    for (const { path, file, address, isWhole, live, pages } of archives) {
      let archive;
      try {
        archive = await openArchive(file);
        await archive.indexed;
      } catch {
        await archive?.close();
        continue;
      }
      // Records of an index are elsewhere.
      const documents = archive.format.startsWith("cdx") ? [] : someOf(await documentsOf(archive, pages), isWhole ? 0 : Number(each), Number(seed));
      await reference.serve(archive);
      for (const [url, captured] of documents) {
        const where = `${path}, ${url.slice(0, 120)}`;
        const ts = captured === undefined ? "" : new Date(captured).toISOString().replace(/\D/g, "").slice(0, 14);
        count.documents += 1;
        try {
          // A context each: what one page keeps, another one would find.
          const is = await show(own, own.link(address, url, ts), SIZE);
          const size = { width: Math.round(is.box.width), height: Math.round(is.box.height) };
          const web = await browser.newContext({ viewport: size, proxy: { server: live ?? reference.address }, ignoreHTTPSErrors: true, serviceWorkers: "block" });
          reference.at(captured ?? 0);
          const was = await asItWas(web, url).finally(() => web.close());
          const lost = losses(was, is);
          if (lost.length === 0) count.alike += 1;
          else lose(`${where}: ${lost.join("; ")}`);
          if (!peer) continue;
          const theirs = await show(peer, peer.link(address, url, ts), size).catch(() => undefined);
          if (!theirs) {
            count.absent += 1;
            continue;
          }
          const [mine, other] = [await scores(judge, was, is), await scores(judge, was, theirs)];
          compared.push([mine, other]);
          const without = [...was.found].filter((url) => !is.found.has(url) && theirs.found.has(url));
          const worse = Object.keys(mine).filter((key) => mine[key] < other[key] - (key === "looks" ? LOOKS_APART : 0));
          if (worse.length > 0) lose(`${where}: ReplayWeb.page is better in ${worse.map((key) => `${key} (${mine[key].toFixed(2)}, ${other[key].toFixed(2)})`).join(", ")}${without.length > 0 ? `: ${without.slice(0, 3).join(" ")}` : ""}`);
        } catch (error) {
          lose(`${where}: ${error.message.split("\n")[0]}`);
        }
      }
      await archive.close();
    }
  } finally {
    await Promise.all([browser.close(), ourFiles.close(), ours.close()]);
  }
  const lines = [`${name}: ${count.alike} of ${count.documents} documents are in replay what they were`, ...(compared.length > 0 ? [...tableOf(compared), `in ReplayWeb.page ${count.absent} more did not come in ${PATIENCE_MS / 1000} s`] : [])];
  for (const line of lines) say(line);
  return { passed: count.alike, failed: failures.length, skipped: [], failures, figures: lines };
}

/** Both programs over all documents, each compared with how these were. */
function tableOf(compared) {
  return ["resources", "errors", "looks"].map((key) => {
    const [mine, other] = [0, 1].map((which) => compared.map((pair) => pair[which][key]));
    const total = (all) => (key === "errors" ? -all.reduce((sum, one) => sum + one, 0) : all.reduce((sum, one) => sum + one, 0) / all.length);
    const better = mine.filter((one, n) => one > other[n] + (key === "looks" ? LOOKS_APART : 0)).length;
    const worse = mine.filter((one, n) => one < other[n] - (key === "looks" ? LOOKS_APART : 0)).length;
    return `${key}: ${total(mine).toFixed(3)} here, ${total(other).toFixed(3)} in ReplayWeb.page; better here in ${better} of ${compared.length} documents, worse in ${worse}`;
  });
}

export async function runReplayed(corpus) {
  const load = (path) => import(pathToFileURL(at(path)).href);
  const [{ rangeOf }, { openArchive }] = await Promise.all([load("dist/serve/range.js"), load("dist/lib/node.js")]);
  const browsers = { chromium, firefox };
  const asked = process.env.STACKROOM_REPLAY_BROWSERS?.split(",") ?? Object.keys(browsers);
  const [own, peer, files, reference] = await Promise.all([programs.stackroom(), programs.replaywebpage(), hostFiles(join(corpus, "files"), rangeOf), startReference()]);
  if (!peer) say("ReplayWeb.page cannot be had: not compared");
  try {
    const results = [];
    for (const name of asked) results.push(await through(name, browsers[name], { corpus, own, peer: name === "chromium" ? peer : undefined, files, rangeOf, reference, openArchive }));
    return [sum(results)];
  } catch (error) {
    return [failure("replay", error.message)];
  } finally {
    await Promise.all([own.close(), peer?.close(), files.close(), reference.close()]);
  }
}
