/** Runs files of node's own test runner and reads its TAP: one result a leaf test. */
import { runNode, withExit } from "./program.mjs";

export async function runNodeTests(name, files, { minutes }) {
  const { output, problem } = await runNode(["--test", "--test-reporter=tap", ...files], { minutes });
  return withExit(name, readTap(output), problem);
}

/** Counts come from the closing lines, which count leaves; names of failures and skips from the test points. */
export function readTap(output) {
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const result = { passed: count("pass"), failed: count("fail") + count("cancelled"), skipped: [], failures: [] };
  for (const [, state, name, directive] of output.matchAll(/^\s*(ok|not ok) \d+ - (.*?)( # [A-Z]+\b.*)?$/gm)) {
    if (directive) result.skipped.push(name);
    else if (state === "not ok") result.failures.push(name);
  }
  return result;
}
