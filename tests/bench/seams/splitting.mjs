// Splitting: indexing one archive by the engine alone, by one worker and by two, in both browsers. Wall is the engine's
// own, from the first byte to the last row; CPU is that of all worker threads.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../../e2e/browser.mjs";
import { serveLibrary } from "../../e2e/pages/library.mjs";
import { makeCorpus } from "../corpus.mjs";
import { median } from "../figures.mjs";
import { hostFolder } from "../hosting.mjs";
import { descendants, isMeasurable } from "../processes.mjs";

const REPETITIONS = 3;
const WORKERS = [0, 1, 2];
/** How the browsers call the threads of workers. */
const THREADS = /^(DedicatedWorker|DOM Worker)/;

/** CPU nanoseconds of each worker thread below this process. */
function workerThreads(known) {
  if (!isMeasurable) return;
  for (const pid of descendants(process.pid)) {
    try {
      for (const tid of readdirSync(`/proc/${pid}/task`)) {
        const folder = `/proc/${pid}/task/${tid}`;
        if (!THREADS.test(readFileSync(`${folder}/comm`, "utf8"))) continue;
        known.set(`${pid}/${tid}`, Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]));
      }
    } catch {
      // The thread has ended; what was seen of it last counts.
    }
  }
}

/** One indexing. The workers live on until their threads were looked at. */
async function index(page, url, as, workers) {
  const before = new Map();
  workerThreads(before);
  await page.evaluate(
    ([url, as, workers]) => {
      globalThis.outcome = (async () => {
        const { connect, hire } = await import(`${location.origin}/lib/connection.js`);
        globalThis.blob ??= as === "file" ? await (await fetch(url)).blob() : undefined;
        const source = as === "file" ? { kind: "blob", blob: globalThis.blob } : { kind: "url", url };
        const [{ client, close }, helpers] = await Promise.all([connect({}), hire(workers, {})]);
        let last;
        for await (const item of client.stream("open", { source, helpers: helpers.ports })) last = item.progress ?? last;
        const wasted = await client.call("wasted", {});
        globalThis.release = () => (close(), helpers.close());
        return { ms: last.elapsedMs, records: last.records, bytes: last.bytesTotal, wasted };
      })();
    },
    [url, as, workers],
  );
  const outcome = page.evaluate(() => globalThis.outcome);
  const threads = new Map();
  const facts = await outcome;
  workerThreads(threads);
  await page.evaluate(() => globalThis.release());
  const spent = [...threads].map(([thread, now]) => (now - (before.get(thread) ?? 0)) / 1e6);
  return { ...facts, cpuMs: spent.reduce((sum, ms) => sum + ms, 0), busiestMs: Math.max(0, ...spent) };
}

export async function bench(figures, { say }) {
  const { folder, paths } = makeCorpus();
  const name = "small.warc.gz";
  const mb = Math.round(statSync(paths.small).size / 1e6);
  const [library, archives] = await Promise.all([serveLibrary(), hostFolder(folder)]);
  try {
    for (const [browserName, type] of [["chromium", chromium], ["firefox", firefox]]) {
      const { launchOptions, channel } = driverOptions(browserName);
      for (const as of ["file", "url"]) {
        say(`splitting ${mb} MB in ${browserName}, ${as}`);
        const browser = await type.launch({ ...launchOptions, ...(channel && { channel }) });
        try {
          const page = await browser.newPage();
          await page.goto(library.url);
          const runs = new Map(WORKERS.map((workers) => [workers, []]));
          // In turn, so that what else the machine does meets all alike. The first round only warms up.
          for (let round = -1; round < REPETITIONS; round++) {
            for (const workers of WORKERS) {
              const run = await index(page, `${archives.url}${name}`, as, workers);
              if (round >= 0) runs.get(workers).push(run);
            }
          }
          tell(figures, `splitting ${browserName} ${as} ${mb} MB`, runs);
        } finally {
          await browser.close();
        }
      }
    }
  } finally {
    await Promise.all([library.close(), archives.close()]);
  }
}

function tell(figures, label, runs) {
  const best = (workers, field) => Math.min(...runs.get(workers).map((run) => run[field]));
  for (const workers of WORKERS) {
    const who = workers === 0 ? "the engine alone" : workers === 1 ? "one worker" : `${workers} workers`;
    const peer = workers === 0 ? undefined : workers === 1 ? "the engine alone" : "one worker";
    const versus = (field) => (peer ? { peer, ratio: best(workers - 1, field) / best(workers, field) } : {});
    figures.add(label, `wall, ${who}`, best(workers, "ms"), "ms", versus("ms"));
    if (isMeasurable) {
      figures.add(label, `CPU, ${who}`, best(workers, "cpuMs"), "ms", versus("cpuMs"));
      // What bounds the wall where every worker has a core of its own, whatever else this machine does now.
      figures.add(label, `CPU of the busiest thread, ${who}`, best(workers, "busiestMs"), "ms", versus("busiestMs"));
    }
    if (workers > 0) figures.add(label, `read in vain, ${who}`, median(runs.get(workers).map((run) => run.wasted)), "bytes");
  }
  const pairs = runs.get(1).map((one, at) => one.ms / runs.get(2)[at].ms);
  figures.add(label, "two workers against one, wall, median of pairs", median(pairs), "ratio");
}
