// Seam `pipe`: what replaying through a service worker, a port and a worker costs, in both browsers.
// The floor is a service worker that answers out of itself: what no pipe can beat in that browser on this machine.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launchReplay } from "../../e2e/pages/replaybrowser.mjs";
import { startReplayHost } from "../../e2e/pages/replayhost.mjs";
import { benchFiles, largeFile, manyCount, site } from "../../e2e/pages/replaysite.mjs";
import { median } from "../figures.mjs";

const BROWSERS = ["chromium", "firefox"];
const REPETITIONS = 5;
const LOADED_REPETITIONS = 3;
const AT_A_TIME = 25;
const LARGE_BYTES = 100 << 20;
const MB = 1e6;
/** Firefox stops a service worker that is idle; nothing else stops one there. */
const IDLE_MS = 1_000;

const PIPE = fileURLToPath(new URL("../../../dist/replay/sw.js", import.meta.url));
/** By the host that is replayed: how its pipe differs from the one that is shipped. */
const VARIANTS = {
  "batched.example": (pipe) => pipe,
  "unbatched.example": (pipe) => pipe.replace(/GATHER_MS=\d+/, "GATHER_MS=0"),
  "floor.example": (pipe) =>
    `addEventListener("fetch", (event) => { if (event.request.url.includes("/file/")) { event.stopImmediatePropagation(); event.respondWith(new Response("x".repeat(400))); } });${pipe}`,
};
const COLD = Array.from({ length: REPETITIONS }, (_, at) => `cold${at}.example`);
const TOGETHER = Array.from({ length: 10 }, (_, at) => `together${at}.example`);

/** Milliseconds from asking for a URL until its document says that it is there. */
const shownIn = (page, url, name = "replayed") =>
  page.evaluate(async ([wanted, frame]) => {
    const shown = new Promise((resolve) => {
      const listen = (event) => {
        if (event.data?.wa !== "idle" || event.source !== document.querySelector(`iframe[name=${frame}]`)?.contentWindow) return;
        removeEventListener("message", listen);
        resolve();
      };
      addEventListener("message", listen);
    });
    const start = performance.now();
    await viewer.show(wanted, frame);
    await shown;
    return performance.now() - start;
  }, [url, name]);

const open = async (page, host, archive) => {
  await page.goto(host.viewer(archive, "k3vq7a"));
  await page.waitForFunction(() => document.body.dataset.opened, undefined, { timeout: 120_000 });
};

const frameOf = async (page) => (await page.waitForSelector("iframe")).contentFrame();

/** Milliseconds for all the files, so many at a time. */
const fetchAll = (frame, count, atATime) =>
  frame.evaluate(async ([total, lanes]) => {
    let next = 0;
    const start = performance.now();
    const work = async () => {
      while (next < total) await (await fetch(`/file/${next++}.txt`)).text();
    };
    await Promise.all(Array.from({ length: lanes }, work));
    return performance.now() - start;
  }, [count, atATime]);

async function starts({ browser, figures, page, host }) {
  await open(page, host, "bench.warc.gz");
  const cold = [];
  const warm = [];
  for (const name of COLD) {
    cold.push(await shownIn(page, `https://${name}/`));
    warm.push(await shownIn(page, `https://${name}/second`));
  }
  figures.add(`${browser}, origin never seen`, "document shown", median(cold), "ms");
  figures.add(`${browser}, origin at work`, "document shown", median(warm), "ms");
  const again = [];
  for (const name of COLD) {
    await open(page, host, "bench.warc.gz");
    again.push(await shownIn(page, `https://${name}/`));
  }
  figures.add(`${browser}, viewer reloaded`, "document shown", median(again), "ms");
  const start = performance.now();
  await Promise.all(TOGETHER.map((name, at) => shownIn(page, `https://${name}/`, `frame${at}`)));
  figures.add(`${browser}, ten origins never seen at once`, "all shown", performance.now() - start, "ms");
}

async function loaded({ browser, figures, page, host }) {
  const of = {};
  for (const name of Object.keys(VARIANTS)) {
    await open(page, host, "bench.warc.gz");
    await shownIn(page, `https://${name}/`);
    const frame = await frameOf(page);
    const before = await page.evaluate(() => viewer.counts());
    const times = [];
    for (let at = 0; at < LOADED_REPETITIONS; at += 1) times.push((await fetchAll(frame, manyCount, AT_A_TIME)) / manyCount);
    const after = await page.evaluate(() => viewer.counts());
    of[name] = Math.min(...times);
    const label = `${browser}, ${manyCount} requests, ${AT_A_TIME} at a time, ${name.split(".")[0]}`;
    figures.add(label, "a request", of[name], "ms");
    if (name !== "floor.example") figures.add(label, "requests a message", (after.gets - before.gets) / (after.messagesIn - before.messagesIn), "requests");
    figures.add(`${browser}, one request after another, ${name.split(".")[0]}`, "a request", (await fetchAll(frame, 200, 1)) / 200, "ms");
  }
  const label = `${browser}, ${manyCount} requests, ${AT_A_TIME} at a time, batched`;
  figures.add(label, "a request", of["batched.example"], "ms", { peer: "unbatched", ratio: of["unbatched.example"] / of["batched.example"] });
  figures.add(label, "a request", of["batched.example"], "ms", { peer: "floor", ratio: of["floor.example"] / of["batched.example"] });
}

async function large({ browser, figures, page, host, url }) {
  await open(page, host, "large.warc");
  await page.evaluate((wanted) => viewer.show(wanted), `${site}/`);
  const frame = await frameOf(page);
  await frame.waitForSelector("p");
  const times = [];
  for (let at = 0; at < LOADED_REPETITIONS; at += 1) {
    times.push(await frame.evaluate(async (path) => {
      const start = performance.now();
      await (await fetch(path)).arrayBuffer();
      return performance.now() - start;
    }, new URL(url).pathname));
  }
  // The first read inflates and gathers; the others are what a second range of a video costs.
  figures.add(`${browser}, body of 100 MB`, "first read", LARGE_BYTES / MB / (times[0] / 1000), "MB/s");
  figures.add(`${browser}, body of 100 MB`, "read again", LARGE_BYTES / MB / (Math.min(...times.slice(1)) / 1000), "MB/s");
}

async function recovery({ browser, figures, page, host }) {
  await open(page, host, "bench.warc.gz");
  await shownIn(page, "https://batched.example/");
  const stop = async () => {
    if (browser === "firefox") return page.waitForTimeout(4 * IDLE_MS);
    const session = await page.context().newCDPSession(page);
    await session.send("ServiceWorker.enable");
    await session.send("ServiceWorker.stopAllWorkers");
    await session.detach();
  };
  const fetched = [];
  const left = [];
  for (let at = 0; at < LOADED_REPETITIONS; at += 1) {
    await stop();
    fetched.push(await fetchAll(await frameOf(page), 1, 1));
    await page.evaluate(() => document.querySelector("iframe").remove());
    await stop();
    left.push(await shownIn(page, "https://batched.example/"));
  }
  figures.add(`${browser}, service worker stopped, page there`, "request answered", median(fetched), "ms");
  figures.add(`${browser}, service worker stopped, no page there`, "document shown", median(left), "ms");
}

export async function bench(figures, { say }) {
  const pipe = readFileSync(PIPE, "utf8");
  const { archive, url } = largeFile(LARGE_BYTES);
  const hosts = [...COLD, ...TOGETHER, ...Object.keys(VARIANTS)];
  const archives = { "bench.warc.gz": benchFiles(hosts, Object.keys(VARIANTS)), "large.warc": archive };
  const onLabel = (request, response) => {
    const name = Object.keys(VARIANTS).find((known) => request.headers.host.startsWith(`${known.replace(".", "-")}-`));
    if (request.url !== "/.wa/sw.js" || !name) return false;
    response.writeHead(200, { "Content-Type": "text/javascript", "Service-Worker-Allowed": "/", "Cache-Control": "no-cache" }).end(VARIANTS[name](pipe));
    return true;
  };
  const host = await startReplayHost({ archives, onLabel });
  try {
    for (const browser of BROWSERS) {
      for (const [part, prefs] of [[starts], [loaded], [large], [recovery, { "dom.serviceWorkers.idle_timeout": IDLE_MS, "dom.serviceWorkers.idle_extended_timeout": IDLE_MS }]]) {
        say(`pipe, ${browser}, ${part.name}`);
        const { page, close } = await launchReplay(browser, prefs);
        try {
          await part({ browser, figures, page, host, url });
        } finally {
          await close();
        }
      }
    }
  } finally {
    await host.close();
  }
}
