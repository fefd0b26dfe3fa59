// Benchmark `replay`: archived pages in Chromium, in the viewer as built, in ReplayWeb.page and in pywb, each in its own way
// from one archive in one run. Cold: from nothing to the page, in a fresh profile. Warm: from it to another page of
// the same site. Then a thousand requests of one page, and a document of two million bytes; in Firefox ours alone.
// Parts, to run some of them only: stackroom, replaywebpage, pywb, firefox.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
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
const REPETITIONS = 3;
const PATIENCE_MS = 60_000;
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
    await pause(4);
  }
  throw new Error(`no page ${title}`);
}

/** From its own navigation on, as the browser tells: milliseconds. */
const timing = (frame) =>
  frame.evaluate(() => {
    const [{ responseEnd, requestStart, loadEventEnd }] = performance.getEntriesByType("navigation");
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return { load: loadEventEnd, paint: paint?.startTime, response: responseEnd - requestStart };
  });

/** Ways to show a page: the first time, and from then on. */
const programs = {
  async stackroom(address) {
    const { startServer } = await import(pathToFileURL(join(ROOT, "dist/serve/server.js")).href);
    const server = await startServer({ root: join(ROOT, "dist/app"), port: 0 });
    const link = (url) => `archive=${encodeURIComponent(address)}&url=${encodeURIComponent(url)}&ts=${TS}`;
    return {
      isIt: (url) => /^http:\/\/www-bench-example-\w+\.localhost/.test(url),
      first: (page, url) => page.goto(`${server.url}#${link(url)}`, { waitUntil: "commit" }),
      next: async (page, url) => {
        const field = page.locator("stackroom-replay").getByRole("textbox").first();
        await field.fill(url);
        await field.press("Enter");
      },
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
    const folder = dirname(path);
    const made = spawnSync(process.execPath, [join(ROOT, "dist/cli/main.js"), "cdx", path, "-o", join(folder, "bench.cdxj")], { encoding: "utf8" });
    if (made.status !== 0) throw new Error(made.stderr);
    writeFileSync(join(folder, "config.yaml"), `collections:\n  bench: {index_paths: ${join(folder, "bench.cdxj")}, archive_paths: ${folder}/}\n`);
    const served = await startPywb(folder);
    const at = (url) => `${served.origin}/bench/${TS}/${url}`;
    return {
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
    const page = await context.newPage();
    const timed = async (go, title) => {
      const start = performance.now();
      await go();
      const frame = await arrived(page, title, program.isIt);
      return { wall: performance.now() - start, frame, ...(await timing(frame)) };
    };
    const cold = await timed(() => program.first(page, PAGES.first), "first");
    await pause(500);
    const warm = await timed(() => program.next(page, PAGES.second), "second");
    const back = await timed(() => program.next(page, PAGES.first), "first");
    const isRight = await back.frame.evaluate(() => window.wrongHost === undefined);
    const long = await timed(() => program.next(page, PAGES.long), "long");
    const asked = await timed(() => program.next(page, PAGES.requests), "asked");
    const askedMs = Number((await asked.frame.evaluate(() => document.title)).split(" ")[1]);
    return { cold: cold.wall, coldPaint: cold.paint, warm: warm.wall, warmLoad: warm.load, warmPaint: warm.paint, again: back.wall, long: long.wall, longResponse: long.response, perSecond: (1000 * REQUESTS) / askedMs, isRight };
  } finally {
    await context.browser().close();
  }
}

const METRICS = [
  ["cold", "nothing to loaded page, wall", "ms"],
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
  const results = new Map();
  try {
    for (const [label, name, type] of [["stackroom", "chromium", chromium], ["replaywebpage", "chromium", chromium], ["pywb", "chromium", chromium], ["firefox", "firefox", firefox]]) {
      if (!wants(label)) continue;
      const program = await programs[label === "firefox" ? "stackroom" : label](`${archives.url}bench.warc.gz`, path);
      if (!program) {
        say(`${label} cannot be had: not compared`);
        continue;
      }
      try {
        const runs = [];
        for (let n = 0; n < REPETITIONS; n++) {
          say(`${label}, ${n + 1} of ${REPETITIONS}`);
          runs.push(await measure(type, name, program));
        }
        const middle = Object.fromEntries(Object.keys(runs[0]).map((key) => [key, key === "isRight" ? runs.every((run) => run.isRight) : median(runs.map((run) => run[key]))]));
        if (!middle.isRight) say(`${label}: scripts saw another host than the archived one`);
        results.set(label, middle);
      } finally {
        await program.close();
      }
    }
  } finally {
    await archives.close();
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
