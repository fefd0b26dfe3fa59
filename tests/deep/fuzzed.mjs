/**
 * For how long each target has been fuzzed, by the records of earlier runs: an hour may be made up of many runs, as long
 * as nothing was changed since that the target reaches. A record made with uncommitted changes does not count.
 */
import { readFileSync, readdirSync } from "node:fs";
import { ask } from "../../web/build/command.mjs";
import { at } from "../../web/build/place.mjs";

const RECORDS = "tests/deep/records";
/** What no reader of archives knows of. Whatever is not named here counts as reached. */
const BEYOND_READERS = ["byurl", "check.rs", "dictionary", "document", "examine.rs", "extract.rs", "filter.rs", "harvest", "index", "pattern", "pdf", "query", "rewrite", "script", "search", "segment", "store", "wasm", "write"];
/** Targets that read archives reach less than all of the crate; of the others all of it counts. */
const READERS = new Set(["arc", "arc_gz", "body", "cdx", "cdx_gz", "detected", "har", "manifest", "state", "tar", "tar_gz", "warc", "warc_gz", "warc_zst", "wbn", "zip"]);

/** Minutes of processor time that a line of a record tells, by their target. */
const told = (line) => /^(?<target>\w+): \d+ inputs in (?<minutes>[\d.]+) minutes/.exec(line)?.groups;

/** What the target is made of, as git is asked for it. */
function pathsOf(target) {
  const without = READERS.has(target) ? BEYOND_READERS.map((name) => `:(exclude)crate/src/${name}`) : [];
  return ["crate/src", "crate/zstd", "crate/words", "crate/utf8", "Cargo.lock", "tests/fuzz/Cargo.lock", "tests/fuzz/src", `tests/fuzz/targets/${target}.rs`, ...without];
}

const isUnchanged = (commit, target) => ask("git", ["diff", "--quiet", commit, "--", ...pathsOf(target)]) !== null;

/**
 * @param {readonly string[]} targets
 * @returns {Map<string, number>} minutes of processor time
 */
export function minutesFuzzed(targets) {
  const minutes = new Map(targets.map((target) => [target, 0]));
  for (const name of readdirSync(at(RECORDS)).filter((file) => file.endsWith("-fuzz.json"))) {
    const { commit, hasUncommittedChanges, figures = [] } = JSON.parse(readFileSync(at(RECORDS, name), "utf8"));
    if (hasUncommittedChanges) continue;
    for (const { target, minutes: more } of figures.map(told).filter((one) => one && minutes.has(one.target))) {
      if (isUnchanged(commit, target)) minutes.set(target, minutes.get(target) + Number(more));
    }
  }
  return minutes;
}
