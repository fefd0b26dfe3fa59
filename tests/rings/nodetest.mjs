/** Runs files of node's own test runner: people see its report, the counts are read from its TAP. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { at } from "../../web/build/place.mjs";
import { runNode, withExit } from "./program.mjs";

export async function runNodeTests(name, files, { minutes }) {
  const report = at("test-results", `${name}.tap`);
  mkdirSync(at("test-results"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["spec=stdout", `tap=${report}`].flatMap((pair) => {
    const [reporter, destination] = pair.split("=");
    return [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`];
  });
  const { problem } = await runNode(["--test", ...reporters, ...files], { minutes });
  return withExit(name, readTap(report), problem);
}

/** Counts come from the closing lines, which count leaves; names of failures and skips from the test points. */
export function readTap(file) {
  const result = { passed: 0, failed: 0, skipped: [], failures: [] };
  let output;
  try {
    output = readFileSync(file, "utf8");
  } catch {
    return result;
  }
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  result.passed = count("pass");
  result.failed = count("fail") + count("cancelled");
  const points = /^ *(ok|not ok) \d+ - (.*?)( # [A-Z]+\b.*)?$(?:\n *---\n([\s\S]*?)\n *\.\.\.$)?/gm;
  for (const [, state, name, directive, facts] of output.matchAll(points)) {
    if (directive) result.skipped.push(name);
    else if (state === "not ok" && !facts?.includes("failureType: 'subtestsFailed'")) result.failures.push(name);
  }
  return result;
}
