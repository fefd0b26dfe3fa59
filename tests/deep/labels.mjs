/** The queries of a catalogue of two million labelled records, natively and in WASM, each with what it took. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run as runCommand } from "../../web/build/command.mjs";
import { at } from "../../web/build/place.mjs";
import { failure, runProgram } from "../rings/program.mjs";
import { readResults } from "../rings/rust.mjs";

const TARGET = "wasm32-wasip1";
const TEST = ["--release", "--test", "facets"];
const LABELS = ["labels", "--", "--nocapture", "--test-threads", "1"];

/** What the test says of itself, a figure a line. */
const figuresOf = (where, output) =>
  [...output.matchAll(/\d+ records kept in .*|^opened again in .*|^ *\d+ found, first .*|^\d+ MiB of memory at most/gm)].map(([line]) => `${where}: ${line.trim()}`);

export async function runLabels(env) {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-labels-"));
  try {
    await runCommand("rustup", ["target", "add", TARGET]);
    // The flags of the module that searches: see web/build/wasm.mjs.
    const wasm = {
      CARGO_PROFILE_RELEASE_OPT_LEVEL: "3",
      CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS: "-C target-feature=+simd128",
      CARGO_TARGET_WASM32_WASIP1_RUNNER: `node --no-warnings ${at("tests/deep/wasi.mjs")}`,
      STACKROOM_TEST_FOLDER: folder,
    };
    return [
      await one("in WASM", ["--target", TARGET], { ...env, ...wasm }, LABELS),
      await one("natively", [], env, LABELS),
      await one("natively", [], env, []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function one(where, args, env, tests) {
  const { problem, output } = await runProgram("cargo", ["test", "--locked", "-p", "stackroom", ...TEST, ...args, ...tests], { env, minutes: 60 });
  const { passed, failed, failures } = readResults(output);
  if (problem && failed === 0) return failure(`labels, ${where}`, problem);
  return { passed, failed, skipped: [], failures, figures: figuresOf(where, output) };
}
