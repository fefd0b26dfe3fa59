// Benchmark `replay`: archived pages in Chromium, in the viewer as built, in ReplayWeb.page and in pywb, each in its own way
// from one archive in one run. Cold: from nothing to the page, in a fresh profile; for pywb, a server, once without and
// once with what comes before it, its index and its start, which the others have done in that time. Known: the same link in
// a new tab of that profile, once what the first left to be done is done: each has its program and its index by then. Warm:
// from it to another page of the same site. Then a thousand requests of one page, and a document of two million bytes; in
// Firefox ours alone.
// Parts, to run some of them only: stackroom, replaywebpage, pywb, firefox.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { replayLaunch } from "../e2e/pages/replaybrowser.mjs";
import { exchange, warcGz, warcInfo } from "../fixtures/warc.mjs";
import { CACHE } from "./corpus.mjs";
import { median } from "./figures.mjs";
import { hostFolder } from "./hosting.mjs";
import { PYWB, installPywb, startPywb } from "../peers/pywb.mjs";
import { REPLAYWEBPAGE, replayWebPage as fetchReplayWebPage } from "./peers.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const REPETITIONS = 5;
const PATIENCE_MS = 60_000;
const ASKED_EACH_MS = 40;
/** In which a reader looks at the first page, while the archive is kept and the viewer made fit for being offline. */
const REST_MS = 4_000;
const DATE = "2020-05-01T12:00:00Z";
const TS = "20200501120000";
const SITE = "http://www.bench.example";
const REQUESTS = 1_000;
const LONG_BYTES = 2_000_000;
const PAGES = { first: `${SITE}/`, second: `${SITE}/second`, requests: `${SITE}/requests`, long: `${SITE}/long` };

/** A page with styles, scripts of its own and of another host, and pictures. */
function pageOf(name, words) {
  const head = Array.from({ length: 4 }, (_, n) => `<link rel=stylesheet href="/style-${n}.css"><script src="/script-${n}.js"></script>`).join("");
  const pictures = Array.from({ length: 24 }, (_, n) => `<img src="https://images.bench.example/${n}.svg" alt="${n}">`).join("");
  return `<!doctype html><title>${name}</title>${head}<script src="https://scripts.bench.example/lib.js"></script><h1>${name}</h1>${pictures}<p>${words}</p><a href="${PAGES.second}">second</a>`;
}

const script = (n) => `var part${n} = [];${Array.from({ length: 800 }, (_, at) => `part${n}.push(function (a) { return a + ${at} + (window.name || "").length; });`).join("\n")}if (location.hostname !== "www.bench.example") window.wrongHost = location.hostname;`;
const asking = `(async () => { const start = performance.now(); let next = 0, sum = 0; const one = async () => { while (next < ${REQUESTS}) { const told = await (await fetch("/data/" + next++ + ".json")).json(); sum += told.n; } }; await Promise.all(Array.from({ length: 25 }, one)); document.title = sum === ${(REQUESTS * (REQUESTS - 1)) / 2} ? "asked " + (performance.now() - start) : "wrong"; })()`;

function archive() {
  const answer = (url, type, body) => exchange({ url, date: DATE, headers: { "Content-Type": type }, body });
  const html = "text/html; charset=utf-8";
  const row = (n) => `<tr><td><a href="${SITE}/item/${n}?page=${n % 7}">Item ${n}</a></td><td style="background: url(https://images.bench.example/${n % 24}.svg)">${n * 17}</td><td onclick="location.href='${SITE}/item/${n}'">open</td></tr>\n`;
  let long = "<!doctype html><title>long</title><table>";
  for (let n = 0; long.length < LONG_BYTES; n++) long += row(n);
  return warcGz(
    warcInfo({ date: DATE }),
    ...answer(PAGES.first, html, pageOf("first", "some words ".repeat(400))),
    ...answer(PAGES.second, html, pageOf("second", "other words ".repeat(400))),
    ...answer(PAGES.requests, html, `<!doctype html><title>asking</title><h1>requests</h1><script>${asking}</script>`),
    ...answer(PAGES.long, html, long),
    ...Array.from({ length: 4 }, (_, n) => [answer(`${SITE}/style-${n}.css`, "text/css", `.of-${n} { background: url("https://images.bench.example/${n}.svg") }\n`.repeat(300)), answer(`${SITE}/script-${n}.js`, "text/javascript", script(n))]).flat(2),
    ...answer("https://scripts.bench.example/lib.js", "text/javascript", script(9)),
    ...Array.from({ length: 24 }, (_, n) => answer(`https://images.bench.example/${n}.svg`, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="${n / 2 + 4}"/></svg>`)).flat(),
    ...Array.from({ length: REQUESTS }, (_, n) => answer(`${SITE}/data/${n}.json`, "application/json", `{"n":${n},"text":"${"x".repeat(200 + (n % 90))}"}`)).flat(),
  );
}

/** Waits for a frame that is the page, all of it loaded, and gives it. */
async function arrived(page, title, isIt) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    for (const frame of page.frames()) {
      if (frame === page.mainFrame() && !isIt.isTop) continue;
      if (!isIt(frame.url())) continue;
      const state = await frame.evaluate(() => [document.title, document.readyState, performance.timing?.loadEventEnd ?? 1]).catch(() => ["", ""]);
      if (state[0].startsWith(title) && state[1] === "complete" && state[2] > 0) return frame;
    }
    // Asking takes of the processor what the page needs.
    await pause(ASKED_EACH_MS);
  }
  throw new Error(`no page ${title}`);
}

/** As the browser tells, which is asked at leisure: milliseconds from its own navigation on, and `At`, since 1970. */
const timing = (frame) =>
  frame.evaluate(() => {
    const [{ responseEnd, requestStart, loadEventEnd }] = performance.getEntriesByType("navigation");
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const since = performance.timeOrigin;
    return { load: loadEventEnd, loadAt: since + loadEventEnd, paint: paint?.startTime, paintAt: since + paint?.startTime, response: responseEnd - requestStart };
  });

const addressField = (page) => page.locator("stackroom-replay").getByRole("textbox").first();

/** A folder with the archive as the collection `bench`, made by pywb's own manager. */
function pywbCollection(path) {
  const folder = join(dirname(path), "pywb");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const manager = join(installPywb(), "bin/wb-manager");
  for (const args of [["init", "bench"], ["add", "bench", path]]) {
    const made = spawnSync(manager, args, { cwd: folder, encoding: "utf8" });
    if (made.status !== 0) throw new Error(made.stderr);
  }
  return folder;
}

/** Ways to show a page: the first time, and from then on, with what a user types before. `readyMs`: what comes before all that, from the archive alone. */
const programs = {
  async stackroom(address) {
    const { startServer } = await import(pathToFileURL(join(ROOT, "dist/serve/server.js")).href);
    const server = await startServer({ root: join(ROOT, "dist/app"), port: 0 });
    const link = (url) => `archive=${encodeURIComponent(address)}&url=${encodeURIComponent(url)}&ts=${TS}`;
    return {
      isIt: (url) => /^http:\/\/www-bench-example-\w+\.localhost/.test(url),
      first: (page, url) => page.goto(`${server.url}#${link(url)}`, { waitUntil: "commit" }),
      aim: (page, url) => addressField(page).fill(url),
      next: (page) => addressField(page).press("Enter"),
      close: () => server.close(),
    };
  },
  async replaywebpage(address) {
    const folder = fetchReplayWebPage();
    if (!folder) return undefined;
    const host = await hostFolder(folder);
    const link = (url) => `view=resources&url=${encodeURIComponent(url)}&ts=${TS}`;
    return {
      isIt: (url) => /\/w\/[^/]+\/\d*mp_\/http:\/\/www\.bench/.test(url),
      first: (page, url) => page.goto(`${host.url}?source=${encodeURIComponent(address)}#${link(url)}`, { waitUntil: "commit" }),
      next: (page, url) => page.evaluate((hash) => void (location.hash = hash), link(url)),
      close: () => host.close(),
    };
  },
  async pywb(_, path) {
    if (installPywb() === null) return undefined;
    const start = performance.now();
    const served = await startPywb(pywbCollection(path));
    const readyMs = performance.now() - start;
    const at = (url) => `${served.origin}/bench/${TS}/${url}`;
    return {
      readyMs,
      isIt: (url) => url.startsWith(`${served.origin}/bench/${TS}mp_/`),
      first: (page, url) => page.goto(at(url), { waitUntil: "commit" }),
      next: (page, url) => page.goto(at(url), { waitUntil: "commit" }),
      close: served.close,
    };
  },
};

async function measure(type, name, program) {
  const context = await (await type.launch(replayLaunch(name))).newContext({ viewport: { width: 1100, height: 800 } });
  try {
    let page = await context.newPage();
    const timed = async (go, title) => {
      const start = performance.timeOrigin + performance.now();
      await go();
      const frame = await arrived(page, title, program.isIt);
      const told = await timing(frame);
      return { frame, ...told, wall: told.loadAt - start, paintWall: told.paintAt - start };
    };
    const cold = await timed(() => program.first(page, PAGES.first), "first");
    await pause(REST_MS);
    await page.close();
    page = await context.newPage();
    const known = await timed(() => program.first(page, PAGES.first), "first");
    await pause(REST_MS);
    const then = async (url, title) => {
      await program.aim?.(page, url);
      return timed(() => program.next(page, url), title);
    };
    const warm = await then(PAGES.second, "second");
    const back = await then(PAGES.first, "first");
    const isRight = await back.frame.evaluate(() => window.wrongHost === undefined);
    const long = await then(PAGES.long, "long");
    const asked = await then(PAGES.requests, "asked");
    const askedMs = Number((await asked.frame.evaluate(() => document.title)).split(" ")[1]);
    const readyMs = program.readyMs ?? 0;
    return { cold: cold.wall, coldPaint: cold.paintWall, fromArchive: cold.wall + readyMs, fromArchivePaint: cold.paintWall + readyMs, known: known.wall, knownPaint: known.paintWall, warm: warm.wall, warmLoad: warm.load, warmPaint: warm.paint, again: back.wall, long: long.wall, longResponse: long.response, perSecond: (1000 * REQUESTS) / askedMs, isRight };
  } finally {
    await context.browser().close();
  }
}

const METRICS = [
  ["cold", "nothing to loaded page, wall", "ms"],
  ["coldPaint", "nothing to first contentful paint, wall", "ms"],
  ["fromArchive", "nothing but the archive to loaded page, wall", "ms"],
  ["fromArchivePaint", "nothing but the archive to first contentful paint, wall", "ms"],
  ["known", "what is known in a new tab to loaded page, wall", "ms"],
  ["knownPaint", "what is known in a new tab to first contentful paint, wall", "ms"],
  ["warm", "to another page of the site, wall", "ms"],
  ["again", "back to the first page, wall", "ms"],
  ["warmLoad", "another page, its own load time", "ms"],
  ["warmPaint", "another page, first contentful paint", "ms"],
  ["long", "a page of 2 MB of links, wall", "ms"],
  ["longResponse", "a page of 2 MB of links, its response", "ms"],
];

export async function bench(figures, { parts, say }) {
  const wants = (part) => parts.length === 0 || parts.includes(part);
  const folder = join(CACHE, "replay");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "bench.warc.gz");
  writeFileSync(path, archive());
  const archives = await hostFolder(folder);
  const wanted = [["stackroom", "chromium", chromium], ["replaywebpage", "chromium", chromium], ["pywb", "chromium", chromium], ["firefox", "firefox", firefox]].filter(([label]) => wants(label));
  const runs = new Map();
  const started = [];
  try {
    for (const [label, name, type] of wanted) {
      const program = await programs[label === "firefox" ? "stackroom" : label](`${archives.url}bench.warc.gz`, path);
      if (program) started.push({ label, name, type, program });
      else say(`${label} cannot be had: not compared`);
    }
    // In turn, so that what else the machine does is shared by all.
    for (let n = 0; n < REPETITIONS; n++) {
      for (const { label, name, type, program } of started) {
        say(`${label}, ${n + 1} of ${REPETITIONS}`);
        runs.set(label, [...(runs.get(label) ?? []), await measure(type, name, program)]);
      }
    }
  } finally {
    for (const { program } of started) await program.close();
    await archives.close();
  }
  const results = new Map();
  for (const [label, all] of runs) {
    if (!all.every((run) => run.isRight)) say(`${label}: scripts saw another host than the archived one`);
    results.set(label, Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((run) => run[key]))])));
  }
  const mine = results.get("stackroom");
  const versions = { replaywebpage: REPLAYWEBPAGE, pywb: PYWB };
  for (const [label, all] of results) {
    const name = label === "firefox" ? "firefox, stackroom" : `chromium, ${versions[label] ?? label}`;
    for (const [field, metric, unit] of METRICS) if (all[field] !== undefined) figures.add(name, metric, all[field], unit);
    figures.add(name, `requests of one page`, all.perSecond, "a second");
  }
  for (const [label, peer] of Object.entries(versions)) {
    const theirs = results.get(label);
    if (!mine || !theirs) continue;
    for (const [field, metric, unit] of METRICS) if (mine[field] && theirs[field]) figures.add("chromium, stackroom", metric, mine[field], unit, { peer, ratio: theirs[field] / mine[field] });
    figures.add("chromium, stackroom", "requests of one page", mine.perSecond, "a second", { peer, ratio: mine.perSecond / theirs.perSecond });
  }
}
