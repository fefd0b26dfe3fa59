// `npm run -s bench -- NAME [PART...] [--OPTION VALUE]... [--json] [--record]`: runs a benchmark and prints a table, or one
// JSON line a figure. Which options there are its module says.
// `--record` also adds the lines, after one about the machine, to the day's file under tests/bench/record. Not part of `npm test`.

import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { Figures } from "./figures.mjs";

/** Name to module. A bench is one file with `bench(figures, { parts, options, say })`, and `OPTIONS`, their names. */
const BENCHES = { dict: "./dict.mjs", documents: "./documents.mjs", formats: "./formats.mjs", index: "./index.mjs", linhash: "./linhash.mjs", open: "./open.mjs", reopen: "./reopen.mjs", replay: "./replay.mjs", scripts: "./scripts.mjs", search: "./search.mjs", seams: "./seams.mjs" };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RECORDS = fileURLToPath(new URL("./record/", import.meta.url));

const say = (text) => process.stderr.write(`bench: ${text}\n`);

function machine() {
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" }).stdout?.trim();
  return { date: new Date().toISOString(), commit, cpu: `${cpus().length} x ${cpus()[0]?.model}`, memoryGb: Math.round(totalmem() / 2 ** 30), system: `${platform()} ${release()}`, node: process.version, load: loadavg()[0] };
}

/** What was asked for: `--json` and `--record` stand alone, other options are followed by their values. */
function sorted(args) {
  const [flags, options, names] = [new Set(), {}, []];
  for (let at = 0; at < args.length; at++) {
    if (["--json", "--record"].includes(args[at])) flags.add(args[at]);
    else if (args[at].startsWith("--")) options[args[at].slice(2)] = args[++at];
    else names.push(args[at]);
  }
  return { flags, options, names };
}

async function main(args) {
  const { flags, options, names: [name, ...parts] } = sorted(args);
  const usage = (more) => {
    say(`usage: npm run -s bench -- NAME [PART...] [--OPTION VALUE]... [--json] [--record]; ${more}`);
    return 2;
  };
  if (!(name in BENCHES)) return usage(`NAME is one of: ${Object.keys(BENCHES).join(", ")}`);
  if (!existsSync(`${ROOT}dist/app/index.html`)) {
    say("nothing is built yet: run npm run build first");
    return 2;
  }
  const { bench, OPTIONS = [] } = await import(BENCHES[name]);
  if (Object.entries(options).some(([option, value]) => !OPTIONS.includes(option) || value === undefined)) return usage(`an OPTION of ${name} is one of: ${OPTIONS.join(", ") || "none"}`);
  const start = machine();
  if (start.load > 1) say(`this machine is busy (load ${start.load.toFixed(1)}): wall times will be too long`);
  const isJson = flags.has("--json");
  const figures = new Figures(name, (figure) => (isJson ? process.stdout.write(`${JSON.stringify(figure)}\n`) : say(`${figure.case}: ${figure.metric} ${figure.value} ${figure.unit}${figure.ratio === undefined ? "" : `, ${figure.ratio} times better than ${figure.peer}`}`)));
  await bench(figures, { parts, options, say });
  if (!isJson) process.stdout.write(`${figures.table()}\n`);
  if (flags.has("--record")) {
    mkdirSync(RECORDS, { recursive: true });
    const file = `${RECORDS}${start.date.slice(0, 10)}-${arch()}.jsonl`;
    appendFileSync(file, `${[JSON.stringify({ bench: name, parts, ...(Object.keys(options).length > 0 && { options }), machine: start }), ...figures.lines()].join("\n")}\n`);
    say(`recorded in ${file}`);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
