/**
 * Format, lints (native and WASM), and every Rust test.
 * libtest cannot skip while running: a test that needs the corpus and finds none prints so and returns. Where there is
 * none, the output of passing tests is asked for, and each that printed it counts as skipped.
 */
import { installToolchain } from "../../web/build/rust.mjs";
import { findCorpus } from "./corpus.mjs";
import { asOneTest, runProgram, sum, withExit } from "./program.mjs";

export const minutes = 25;

const cargo = (args, options) => runProgram("cargo", args, { minutes, ...options });
const lints = ["--", "-D", "warnings"];
const wasm = ["-p", "stackroom", "--lib", "--target", "wasm32-unknown-unknown", "--all-features"];

export async function run() {
  await installToolchain();
  return sum([
    await asOneTest("cargo fmt", cargo(["fmt", "--all", "--check"])),
    await asOneTest("cargo clippy", cargo(["clippy", "--locked", "--workspace", "--all-targets", ...lints])),
    await asOneTest("cargo clippy for WASM", cargo(["clippy", "--locked", ...wasm, ...lints])),
    await runCargoTests({}),
  ]);
}

export async function runCargoTests({ args = [], env = {}, minutes: guard = minutes }) {
  const show = findCorpus() === null ? ["--", "--show-output"] : [];
  const { output, problem } = await cargo(["test", "--locked", "--workspace", "--no-fail-fast", ...args, ...show], { env, minutes: guard });
  return withExit("cargo test", readResults(output), problem);
}

/** Adds up libtest's closing lines; its JSON is not stable yet. */
export function readResults(output) {
  const result = { passed: 0, failed: 0, skipped: [], failures: [] };
  const closing = /^test result: \w+\. (\d+) passed; (\d+) failed; \d+ ignored; \d+ measured; (\d+) filtered out/gm;
  for (const [, passed, failed, filtered] of output.matchAll(closing)) {
    result.passed += Number(passed);
    result.failed += Number(failed);
    if (filtered !== "0") result.skipped.push(`${filtered} tests, left out by name`);
  }
  for (const [, name] of output.matchAll(/^test (.+) \.\.\. ignored/gm)) result.skipped.push(name);
  for (const [, name] of output.matchAll(/^test (.+) \.\.\. FAILED$/gm)) result.failures.push(name);
  for (const [, name] of output.matchAll(/^---- (.+) stdout ----\n(?:(?!---- ).*\n)*?corpus not found/gm)) {
    result.passed -= 1;
    result.skipped.push(`corpus not found: ${name}`);
  }
  return result;
}
