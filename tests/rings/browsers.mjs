/** The viewer in Chromium and in Firefox, served by the production server; the store in WebKitGTK, too. */
import { readFileSync, rmSync } from "node:fs";
import { at } from "../../web/build/place.mjs";
import { installBrowsers, installWebKit } from "../e2e/browser.mjs";
import { runNode, sum, withExit } from "./program.mjs";

export const minutes = 35;

/** Two tests at a time take two processors well; those that watch the thread of a page have the machine to themselves. */
const LANES = [
  { name: "together", args: ["--workers", "2", "--grep-invert", "@alone"] },
  { name: "alone", args: ["--workers", "1", "--grep", "@alone"] },
];

/** So many failures may be the machine's, which others may load; more are the product's. */
const AGAIN_MAX = 6;

/** What gets out once got out, and what is lost once is lost. */
const STRICT = /^\w+ > (?:leaks|attack|hostile|kills)\.spec\.ts > /;

export async function run({ only = [], minutes: guard = minutes } = {}) {
  await installBrowsers();
  await installWebKit();
  const lanes = only.length === 0 ? LANES : [{ name: "some", args: only }];
  const results = [];
  for (const lane of lanes) {
    const first = await play(lane.name, lane.args, lane.name, guard);
    const isAsked = only.length === 0 && first.failed > 0 && first.failed <= AGAIN_MAX && !first.failures.some((name) => STRICT.test(name));
    const again = isAsked ? await play(`${lane.name}-again`, [...lane.args, "--workers", "1", "--last-failed"], lane.name, guard) : undefined;
    results.push(again ? settled(first, again) : first);
  }
  return sum(results);
}

async function play(name, args, folder, guard) {
  const report = at(`test-results/playwright-${name}.json`);
  rmSync(report, { force: true });
  const { problem } = await runNode(
    [at("node_modules/@playwright/test/cli.js"), "test", "--config", at("tests/e2e/playwright.config.ts"), "--output", at(`test-results/browsers-${folder}`), ...args],
    { minutes: guard, env: { STACKROOM_BROWSER_REPORT: report } },
  );
  return withExit(`playwright, ${name}`, readReport(report), problem);
}

/**
 * What failed beside others and then held by itself is told by name, and fails nobody's work: these tests watch a whole
 * browser, on machines that are shared. What fails twice has failed.
 */
export function settled(first, again) {
  const failed = new Set(again.failures);
  const unsteady = first.failures.filter((name) => !failed.has(name));
  // A run that asked for less than what had failed tells nothing of the rest.
  if (again.passed + again.failed < first.failed || unsteady.length > again.passed) return first;
  return { ...first, passed: first.passed + unsteady.length, failed: first.failed - unsteady.length, failures: again.failures, unsteady };
}

export function readReport(file) {
  const result = { passed: 0, failed: 0, skipped: [], failures: [] };
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return result;
  }
  for (const error of report.errors ?? []) {
    result.failed += 1;
    result.failures.push(error.message ?? "an error outside any test");
  }
  const visit = (suite, path) => {
    for (const inner of suite.suites ?? []) visit(inner, [...path, inner.title]);
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) count([test.projectName, ...path, spec.title].join(" > "), test.status);
    }
  };
  const count = (name, status) => {
    if (status === "expected") result.passed += 1;
    else if (status === "skipped") result.skipped.push(name);
    // A flaky test has failed once, which is what a test is for.
    else {
      result.failed += 1;
      result.failures.push(`${name} (${status})`);
    }
  };
  for (const suite of report.suites ?? []) visit(suite, [suite.title]);
  return result;
}
