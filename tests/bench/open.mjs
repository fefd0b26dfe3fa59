// Benchmark `open`: from the calm page to every record kept in the library, ready to be replayed, and to what all pages say
// kept too, in the viewer as built, from an address and as a picked file.
// Against ReplayWeb.page on the same files in the same Chromium, and against warcio.js in Node.
// Parts, to run some of them only: time, peer, handle, memory, million.

import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { makeCorpus } from "./corpus.mjs";
import { median } from "./figures.mjs";
import { hostFolder } from "./hosting.mjs";
import { REPLAYWEBPAGE, replayWebPage as fetchReplayWebPage } from "./peers.mjs";
import { isMeasurable } from "./processes.mjs";
import { replayWebPage, stackroom } from "./programs.mjs";
import { PATIENCE_MS, run } from "./stage.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BROWSERS = ["chromium", "firefox"];
const MODES = ["url", "file"];
const REPETITIONS = 3;
const MEMORY_REPETITIONS = 3;
const SAMPLE_MS = 120;
const MB = 1e6;
/** What the record table may cost; what is left of a bigger archive's memory has to be flat. */
const CAPTURE_BYTES_MAX = 120;

async function times(count, work) {
  const results = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}

const middle = (runs, field) => median(runs.map((one) => one[field]));

export async function bench(figures, { parts, say }) {
  const wants = (part) => parts.length === 0 || parts.includes(part);
  const corpus = makeCorpus();
  const { paths } = corpus;
  const { startServer } = await import(pathToFileURL(join(ROOT, "dist/serve/server.js")).href);
  const viewer = await startServer({ root: join(ROOT, "dist/app"), port: 0 });
  const archives = await hostFolder(corpus.folder);
  const program = stackroom(viewer.url);
  const source = (mode, name) => (mode === "url" ? { url: `${archives.url}${name}.warc.gz` } : { path: paths[name], copyFrom: `${archives.url}${name}.warc.gz` });
  const mb = (name) => Math.round(statSync(paths[name]).size / MB);
  say(`corpus: ${corpus.kind}, ${mb("once")} and ${mb("twice")} MB`);
  try {
    const ours = new Map();
    if (wants("time") || wants("peer") || wants("handle")) await timeOurs({ figures, say, program, readiness: stackroom(viewer.url, { withPages: false }), source, mb, ours, browsers: wants("time") ? BROWSERS : ["chromium"] });
    if (wants("time")) await timeWarcio({ figures, say, paths, mb, ours });
    if (wants("memory")) await memoryOurs({ figures, say, program, source, mb });
    if (wants("million")) await million({ figures, say, program, source });
    if (wants("peer") || wants("handle")) await timePeer({ figures, say, wants, source, mb, ours });
  } finally {
    await Promise.all([viewer.close(), archives.close()]);
  }
}

async function timeOurs({ figures, say, program, readiness, source, mb, ours, browsers }) {
  for (const browser of browsers) {
    for (const mode of MODES) {
      say(`${browser}, ${mode}`);
      const of = {};
      for (const name of ["once", "twice"]) {
        of[name] = await times(REPETITIONS, () => run(browser, program, source(mode, name)));
        figures.add(`${browser} ${mode} ${mb(name)} MB`, "every record listed, wall", middle(of[name], "listedSeconds"), "s");
        figures.add(`${browser} ${mode} ${mb(name)} MB`, "every record kept, wall", middle(of[name], "keptSeconds"), "s");
        figures.add(`${browser} ${mode} ${mb(name)} MB`, "wall", middle(of[name], "wallSeconds"), "s");
        if (isMeasurable) figures.add(`${browser} ${mode} ${mb(name)} MB`, "cpu", middle(of[name], "cpuSeconds"), "s");
      }
      figures.add(`${browser} ${mode}`, "t(2n)/t(n) wall", middle(of.twice, "wallSeconds") / middle(of.once, "wallSeconds"), "ratio");
      if (isMeasurable) figures.add(`${browser} ${mode}`, "t(2n)/t(n) cpu", middle(of.twice, "cpuSeconds") / middle(of.once, "cpuSeconds"), "ratio");
      const ready = await times(REPETITIONS, () => run(browser, readiness, source(mode, "once")));
      ours.set(`${browser} ${mode}`, { ready, whole: of.once });
    }
  }
}

async function timeWarcio({ figures, say, paths, mb, ours }) {
  say("warcio.js in Node");
  const script = fileURLToPath(new URL("./warcio.mjs", import.meta.url));
  const runs = await times(3, async () => JSON.parse((await promisify(execFile)(process.execPath, [script, paths.once])).stdout));
  const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules/warcio/package.json"), "utf8"));
  const peer = `warcio@${version}`;
  figures.add(`node ${mb("once")} MB, ${peer}`, "wall", middle(runs, "wallSeconds"), "s");
  figures.add(`node ${mb("once")} MB, ${peer}`, "cpu", middle(runs, "cpuSeconds"), "s");
  const mine = ours.get("chromium file").ready;
  figures.add(`chromium file ${mb("once")} MB`, "wall", middle(mine, "wallSeconds"), "s", { peer, ratio: middle(runs, "wallSeconds") / middle(mine, "wallSeconds") });
  if (isMeasurable) figures.add(`chromium file ${mb("once")} MB`, "cpu", middle(mine, "cpuSeconds"), "s", { peer, ratio: middle(runs, "cpuSeconds") / middle(mine, "cpuSeconds") });
}

/** Peak memory above the idle page, for an archive and for one ten times as long. */
async function memoryOurs({ figures, say, program, source, mb }) {
  if (!isMeasurable) return void say("memory is measured on Linux only");
  for (const browser of BROWSERS) {
    for (const mode of MODES) {
      say(`memory, ${browser}, ${mode}`);
      const peaks = {};
      for (const name of ["small", "large"]) {
        const runs = await times(MEMORY_REPETITIONS, () => run(browser, program, source(mode, name), { sampleEveryMs: SAMPLE_MS }));
        const label = `${browser} ${mode} ${mb(name)} MB`;
        peaks[name] = { bytes: middle(runs, "peakBytes"), records: runs[0].records };
        figures.add(label, "records", runs[0].records, "records");
        figures.add(label, "peak PSS above idle", peaks[name].bytes / MB, "MB");
        figures.add(label, "engine memory", median(runs.map((one) => one.memory.module)) / MB, "MB");
        figures.add(label, "record table", median(runs.map((one) => one.memory.table)) / runs[0].records, "bytes/record");
        figures.add(label, "wall, watched", middle(runs, "wallSeconds"), "s");
      }
      const { small, large } = peaks;
      figures.add(`${browser} ${mode}`, "peak, 10x the bytes", large.bytes / small.bytes, "ratio");
      const allowed = (large.records - small.records) * CAPTURE_BYTES_MAX;
      figures.add(`${browser} ${mode}`, `peak, 10x the bytes, less ${CAPTURE_BYTES_MAX} bytes a record`, (large.bytes - allowed) / small.bytes, "ratio");
    }
  }
}

async function million({ figures, say, program, source }) {
  for (const browser of BROWSERS) {
    say(`a million records, ${browser}`);
    const runs = await times(browser === "chromium" ? MEMORY_REPETITIONS : 1, () => run(browser, program, source("file", "million"), { sampleEveryMs: 4 * SAMPLE_MS }));
    const [{ records, memory }] = runs;
    const label = `${browser} file, ${records} records`;
    figures.add(label, "wall, watched", middle(runs, "wallSeconds"), "s");
    figures.add(label, "record table", memory.table / records, "bytes/record");
    figures.add(label, "engine memory", memory.module / records, "bytes/record");
    if (isMeasurable) figures.add(label, "peak PSS above idle", middle(runs, "peakBytes") / MB, "MB");
  }
}

async function timePeer({ figures, say, wants, source, mb, ours }) {
  const folder = fetchReplayWebPage();
  if (folder === undefined) return void say(`${REPLAYWEBPAGE} cannot be fetched: not compared`);
  const host = await hostFolder(folder);
  const peer = REPLAYWEBPAGE;
  const cases = [
    { mode: "url", picker: "input", label: "url", part: "peer", count: 3 },
    { mode: "file", picker: "handle", label: "file by handle", part: "handle", count: 3 },
    { mode: "file", picker: "input", label: "file by input", part: "peer", count: 1 },
  ];
  try {
    for (const { mode, picker, label, part, count } of cases.filter(({ part }) => wants(part))) {
      say(`${peer}, ${label}`);
      const runs = await times(count, () => run("chromium", replayWebPage(host.url, picker), source(mode, "once"), { sampleEveryMs: 1000 }));
      const isOver = runs.some((one) => one.isTimeout);
      const name = `chromium ${label} ${mb("once")} MB`;
      for (const [metric, field] of [["wall", "wallSeconds"], ...(isMeasurable ? [["cpu", "cpuSeconds"]] : [])]) {
        const theirs = middle(runs, field);
        figures.add(`${name}, ${peer}${isOver ? `, stopped after ${PATIENCE_MS / 60_000} min` : ""}`, metric, theirs, "s");
        for (const [what, mine] of Object.entries(ours.get(`chromium ${mode}`))) {
          const value = middle(mine, field);
          figures.add(what === "ready" ? name : `${name}, pages read too`, metric, value, "s", { peer, ratio: isOver ? `>= ${Math.floor(theirs / value)}` : theirs / value });
        }
      }
      if (isMeasurable) figures.add(`${name}, ${peer}`, "peak PSS above idle", middle(runs, "peakBytes") / MB, "MB");
    }
  } finally {
    await host.close();
  }
}
