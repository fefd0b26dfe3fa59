/**
 * What we write, as other readers judge it: every archive of the corpus and of the fixtures is converted to WARC, plain
 * and compressed, and `warcio check`, FastWARC and jwarc read what came out. Made records must please all of them. Copies
 * are byte for byte, so where a reader finds fault with a copy, it must have found fault with the source, too, or the
 * source is damaged and the reader did not come that far in it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { jwarc, python } from "../peers/readers.mjs";

const FOLDER = at("target/deep/writers");
const OURS = at("dist/cli/main.js");
const MINUTES = 20;

const isArchive = (path) => /\.(?:warc|arc|wacz|har|wbn|zip|tar)(?:\.gz|\.zst)?$/i.test(path) || /\.(?:warc|arc)(?:\.gz)?\.\w+$/i.test(path);
/** Files of which other readers do not judge the records. */
const isContainer = (path) => /\.(?:wacz|zip|tar)(?:\.gz)?$/i.test(path);
const isWarc = (path) => /\.warc(?:\.gz)?$/i.test(path);

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter(isArchive)
    .sort();
}

const lines = (text) => text.split("\n").filter((line) => line !== "");

function told(program, args, input) {
  const { stdout, stderr, status, error } = spawnSync(program, args, { input, encoding: "utf8", maxBuffer: 1 << 28, timeout: MINUTES * 60_000 });
  if (error || status !== 0) throw new Error(`${program} ended with ${status}: ${error?.message ?? stderr.slice(-500)}`);
  return lines(stdout);
}

/** Verdicts of every reader that can be had: file to what is wrong with it, null where nothing is. */
function judges() {
  const found = [];
  const { interpreter, missing: noPython } = python();
  if (interpreter) {
    found.push({
      names: ["warcio", "fastwarc"],
      judge: (files) => told(interpreter, [at("tests/peers/validate.py")], files.join("\n")).map((line) => JSON.parse(line)),
    });
  } else say(`warcio and FastWARC are not asked: ${noPython}`);
  const { jar, missing: noJava } = jwarc();
  if (jar) {
    found.push({
      names: ["jwarc"],
      judge: (files) =>
        told("java", ["-cp", jar, at("tests/peers/Validate.java")], files.join("\n")).map((line) => {
          const [, verdict, file, why] = /^(ok|bad) ([^\t]*)(?:\t(.*))?$/.exec(line) ?? [];
          return { file, jwarc: { error: verdict === "ok" ? null : (why ?? line) } };
        }),
    });
  } else say(`jwarc is not asked: ${noJava}`);
  return found;
}

/** Writes every archive in both forms; gives what was written of what. */
function writeAll(sources) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const written = [];
  for (const [number, source] of sources.entries()) {
    for (const end of ["warc", "warc.gz"]) {
      const out = join(FOLDER, `${number}.${end}`);
      const { status, stderr } = spawnSync(process.execPath, [OURS, "convert", source, "-o", out, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
      if (status > 2 || status === null) throw new Error(`convert of ${source} ended with ${status}: ${stderr.slice(-500)}`);
      const outcome = lines(stderr).filter((line) => line.startsWith('{"records"')).map((line) => JSON.parse(line)).at(-1);
      if (status < 2 && outcome?.written > 0) written.push({ source, out, records: outcome.written, isDamaged: status === 1 });
    }
  }
  return written;
}

export async function runWriters(corpus) {
  const sources = [...(corpus === null ? [] : filesBelow(join(corpus, "files"))), ...filesBelow(at("tests/fixtures")), ...filesBelow(at("target/fixtures"))];
  const written = writeAll(sources);
  say(`${sources.length} archives, ${written.length} files written`);
  const result = { passed: 0, failed: 0, skipped: [], failures: [] };
  const verdictsOf = (judge, files) => new Map(judge(files).map((line) => [line.file, line]));
  for (const { names, judge } of judges()) {
    const verdicts = verdictsOf(judge, written.map(({ out }) => out));
    const origins = verdictsOf(judge, [...new Set(written.map(({ source }) => source).filter(isWarc))]);
    for (const name of names) {
      let excused = 0;
      for (const { source, out, records, isDamaged } of written) {
        const verdict = verdicts.get(out)?.[name];
        const trouble = verdict === undefined ? "it was not judged" : (verdict.error ?? (verdict.records < records ? `${verdict.records} of ${records} records are read` : null));
        const origin = origins.get(source)?.[name];
        // Of a damaged source a reader may have seen nothing, or less: jwarc does not judge ARC, warcio stops early.
        const hadTrouble = origin?.error || (isDamaged && !(origin?.records >= records));
        // A digest that a record states is copied with it, be what it is of damaged or not.
        const isStated = /digest/i.test(trouble ?? "") && (isDamaged || isContainer(source));
        if (trouble !== null && (hadTrouble || isStated)) excused += 1;
        else if (trouble === null) result.passed += 1;
        else {
          result.failed += 1;
          result.failures.push(`${name}, ${relative(at("."), source)} as ${out.endsWith(".gz") ? "warc.gz" : "warc"}: ${trouble.replace(/\s+/g, " ").slice(0, 300)}`);
        }
      }
      say(`${name}: ${excused} files have faults that their sources have`);
    }
  }
  return result;
}
