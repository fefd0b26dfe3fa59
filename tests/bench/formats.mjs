// Benchmark `formats`: every record of an archive listed, with its HTTP head, from each format that holds records. Ours,
// natively and in WebAssembly in Node, against FastWARC, warcio, warcio.js and jwarc on the same files, one thread each;
// the best of five runs. zlib-rs and miniz_oxide are compared end to end by building the engine with either.
// Parts, to run some of them only: plain, gz, zst, arc, arcgz, inflate, write.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { jwarc, python } from "../peers/readers.mjs";
import { CACHE, makeTwice } from "./corpus.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HERE = fileURLToPath(new URL("./formats/", import.meta.url));
const FOLDER = join(CACHE, "formats4");
const REPETITIONS = 5;
const MB = 1e6;

const FILES = { plain: "plain.warc", gz: "members.warc.gz", zst: "frames.warc.zst", arc: "plain.arc", arcgz: "members.arc.gz" };

function run(program, args, options = {}) {
  const { stdout, stderr, status, error } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26, timeout: 600_000, ...options });
  if (error || status !== 0) throw new Error(`${program} ${args.at(-1)}: ${error?.message ?? stderr.trim().split("\n").at(-1)}`);
  return stdout;
}

/** The best of some runs, by processor time. */
function best(measure) {
  const runs = Array.from({ length: REPETITIONS }, measure);
  return runs.sort((a, b) => a.cpuSeconds - b.cpuSeconds)[0];
}

/** Our native reader, built with one inflater or the other. */
function native(inflater) {
  const miniz = inflater === "miniz_oxide";
  const target = join(ROOT, miniz ? "target/bench/miniz" : "target");
  run("cargo", ["build", "--profile", "native", "--locked", "-p", "stackroom", "--example", "native", ...(miniz ? ["--features", "miniz"] : [])], { env: { ...process.env, CARGO_TARGET_DIR: target } });
  const program = join(target, "native/examples/native");
  return (path, mode = "records") => JSON.parse(run(program, [path, mode]));
}

/** Our module for Node, with miniz_oxide if it is asked for. */
async function wasm(inflater) {
  let folder = join(ROOT, "web/lib/wasm");
  if (inflater === "miniz_oxide") {
    const { buildVariant } = await import("../../web/build/wasm.mjs");
    folder = join(ROOT, "target/bench/wasm-miniz");
    await buildVariant("tools", ["miniz"], folder);
  }
  return (path) => JSON.parse(run(process.execPath, [join(HERE, "wasm.mjs"), folder, path]));
}

/** Readers to compare with: name, and how each reads a file. */
function peers(say) {
  const found = [];
  const { interpreter, missing: noPython } = python();
  if (interpreter) for (const name of ["fastwarc", "warcio"]) found.push({ name, read: (path) => JSON.parse(run(interpreter, [join(HERE, "read.py"), name, path])) });
  else say(`FastWARC and warcio are left out: ${noPython}`);
  found.push({ name: "warcio.js", read: (path) => JSON.parse(run(process.execPath, [join(ROOT, "tests/bench/warcio.mjs"), path])) });
  const { jar, missing: noJava } = jwarc();
  if (jar) found.push({ name: "jwarc", read: (path) => JSON.parse(run("java", ["-cp", jar, join(HERE, "Read.java"), path])) });
  else say(`jwarc is left out: ${noJava}`);
  return found;
}

function makeFiles(say) {
  mkdirSync(FOLDER, { recursive: true });
  const paths = Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, join(FOLDER, file)]));
  if (Object.values(paths).every((path) => existsSync(path))) return paths;
  const { interpreter, missing } = python();
  if (!interpreter) throw new Error(`the files cannot be made: ${missing}`);
  say("making the files");
  run(interpreter, [join(HERE, "make.py"), makeTwice(), FOLDER]);
  return paths;
}

export async function bench(figures, { parts, say }) {
  const wants = (part) => parts.length === 0 || parts.includes(part);
  const paths = makeFiles(say);
  const inflated = { plain: statSync(paths.plain).size, arc: statSync(paths.arc).size };
  const sizeOf = (format) => (format.startsWith("arc") ? inflated.arc : inflated.plain);
  const builds = { "zlib-rs": { native: native("zlib-rs"), wasm: await wasm("zlib-rs") } };
  const others = peers(say);

  const add = (format, who, result, against = []) => {
    const name = `${format}, ${who}`;
    figures.add(name, "records", result.records, "records");
    figures.add(name, "wall", result.wallSeconds, "s");
    if (against.length === 0) figures.add(name, "cpu", result.cpuSeconds, "s");
    for (const [peer, theirs] of against) figures.add(name, "cpu", result.cpuSeconds, "s", { peer, ratio: theirs.cpuSeconds / result.cpuSeconds });
    figures.add(name, "rate", sizeOf(format) / MB / result.cpuSeconds, "MB/s of records");
  };

  for (const format of Object.keys(FILES).filter(wants)) {
    const [ours, ...more] = ["native", "wasm"].map((how) => [how, best(() => builds["zlib-rs"][how](paths[format]))]);
    const theirs = [];
    for (const { name, read } of others) {
      try {
        const result = best(() => read(paths[format]));
        // Who reads less of the file is no measure.
        if (result.records === ours[1].records) theirs.push([name, result]);
        else say(`${name} finds ${result.records} of ${ours[1].records} records in ${FILES[format]}`);
      } catch (error) {
        say(`${name} does not read ${FILES[format]}: ${error.message}`);
      }
    }
    for (const [name, result] of theirs) add(format, name, result);
    for (const [how, result] of [ours, ...more]) add(format, `ours, ${how}`, result, theirs);
  }
  if (wants("inflate")) {
    builds.miniz_oxide = { native: native("miniz_oxide"), wasm: await wasm("miniz_oxide") };
    for (const how of ["native", "wasm"]) {
      const slower = best(() => builds.miniz_oxide[how](paths.gz));
      add("gz", `ours, ${how}, miniz_oxide`, slower);
      add("gz", `ours, ${how}, zlib-rs`, best(() => builds["zlib-rs"][how](paths.gz)), [["miniz_oxide", slower]]);
    }
  }
  if (wants("write")) {
    const result = best(() => builds["zlib-rs"].native(paths.plain, "write"));
    add("plain", "ours, native, written as gz", result);
    figures.add("plain, ours, native, written as gz", "size", result.bytes / statSync(paths.gz).size, "of zlib's at level 6");
  }
}
