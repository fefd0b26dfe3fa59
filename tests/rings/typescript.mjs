/** The type checks of every part, and the units and conformance tests in vitest. */
import { readFileSync, rmSync } from "node:fs";
import { tsc } from "../../web/build/library.mjs";
import { at } from "../../web/build/place.mjs";
import { asOneTest, runNode, sum, withExit } from "./program.mjs";

export const minutes = 15;

const projects = [".", "web/app", "tests/web", "tests/e2e"];
const report = at("test-results/vitest.json");

export async function run() {
  const checks = [];
  for (const project of projects) {
    checks.push(await asOneTest(`types of ${project}`, runNode([tsc, "-p", at(project), "--noEmit"], { minutes: 5 })));
  }
  return sum([...checks, await runVitest({})]);
}

export async function runVitest({ minutes: guard = minutes }) {
  rmSync(report, { force: true });
  const { problem } = await runNode(
    [at("node_modules/vitest/vitest.mjs"), "run", "--config", at("tests/web/vitest.config.ts"), "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { minutes: guard },
  );
  return withExit("vitest", readReport(report), problem);
}

export function readReport(file) {
  const result = { passed: 0, failed: 0, skipped: [], failures: [] };
  let suites;
  try {
    suites = JSON.parse(readFileSync(file, "utf8")).testResults;
  } catch {
    return result;
  }
  for (const suite of suites) {
    // A file that fails to load has no tests, yet it failed.
    if (suite.status === "failed" && !suite.assertionResults.some((test) => test.status === "failed")) {
      result.failed += 1;
      result.failures.push(`${suite.name}: ${suite.message}`);
    }
    for (const test of suite.assertionResults) {
      if (test.status === "passed") result.passed += 1;
      else if (test.status === "failed") {
        result.failed += 1;
        result.failures.push(test.fullName);
      } else result.skipped.push(test.fullName);
    }
  }
  return result;
}
