// `npm run -s bench -- NAME [PART...] [--json] [--record]`: runs a benchmark and prints a table, or one JSON line a figure.
// `--record` also adds the lines, after one about the machine, to the day's file under tests/bench/record. Not part of `npm test`.

import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { Figures } from "./figures.mjs";

/** Name to module. A bench is one file with `bench(figures, { parts, say })`. */
const BENCHES = { documents: "./documents.mjs", formats: "./formats.mjs", index: "./index.mjs", linhash: "./linhash.mjs", open: "./open.mjs", reopen: "./reopen.mjs", replay: "./replay.mjs", scripts: "./scripts.mjs", seams: "./seams.mjs" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RECORDS = fileURLToPath(new URL("./record/", import.meta.url));

const say = (text) => process.stderr.write(`bench: ${text}\n`);

function machine() {
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim();
  return { date: new Date().toISOString(), commit, cpu: `${cpus().length} x ${cpus()[0]?.model}`, memoryGb: Math.round(totalmem() / 2 ** 30), system: `${platform()} ${release()}`, node: process.version, load: loadavg()[0] };
}

async function main(args) {
  const flags = new Set(args.filter((arg) => arg.startsWith("--")));
  const [name, ...parts] = args.filter((arg) => !arg.startsWith("--"));
  const unknown = [...flags].filter((flag) => !["--json", "--record"].includes(flag));
  if (!(name in BENCHES) || unknown.length > 0) {
    say(`usage: npm run -s bench -- NAME [PART...] [--json] [--record]; NAME is one of: ${Object.keys(BENCHES).join(", ")}`);
    return 2;
  }
  if (!existsSync(`${ROOT}dist/app/index.html`)) {
    say("nothing is built yet: run npm run build first");
    return 2;
  }
  const start = machine();
  if (start.load > 1) say(`this machine is busy (load ${start.load.toFixed(1)}): wall times will be too long`);
  const isJson = flags.has("--json");
  const figures = new Figures(name, (figure) => (isJson ? process.stdout.write(`${JSON.stringify(figure)}\n`) : say(`${figure.case}: ${figure.metric} ${figure.value} ${figure.unit}${figure.ratio === undefined ? "" : `, ${figure.ratio} times better than ${figure.peer}`}`)));
  const { bench } = await import(BENCHES[name]);
  await bench(figures, { parts, say });
  if (!isJson) process.stdout.write(`${figures.table()}\n`);
  if (flags.has("--record")) {
    mkdirSync(RECORDS, { recursive: true });
    const file = `${RECORDS}${start.date.slice(0, 10)}-${arch()}.jsonl`;
    appendFileSync(file, `${[JSON.stringify({ bench: name, parts, machine: start }), ...figures.lines()].join("\n")}\n`);
    say(`recorded in ${file}`);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
