/** The counts of `npm test` are only as good as the reading of each runner's report. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { shared } from "../deep/fuzz.mjs";
import { readReport as readPlaywright, settled } from "./browsers.mjs";
import { readTap } from "./nodetest.mjs";
import { withExit } from "./program.mjs";
import { readResults } from "./rust.mjs";
import { readReport as readVitest } from "./typescript.mjs";

function withFile(content, read) {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-rings-"));
  const file = join(folder, "report.json");
  if (content !== null) writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  try {
    return read(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("cargo: several binaries add up; ignored, filtered and corpus-less tests are skips", () => {
  const result = readResults([
    "test gzip::reads ... ok",
    "test gzip::breaks ... FAILED",
    "test slow ... ignored",
    "successes:",
    "",
    "---- golden::agrees stdout ----",
    "seed 7",
    "corpus not found: case not run",
    "",
    "---- gzip::reads stdout ----",
    "seed 8",
    "",
    "test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s",
  ].join("\n"));
  assert.deepEqual([result.passed, result.failed], [5, 1]);
  assert.deepEqual(result.skipped, ["2 tests, left out by name", "slow", "corpus not found: golden::agrees"]);
  assert.deepEqual(result.failures, ["gzip::breaks"]);
});

test("vitest: a file that does not load is a failure", () => {
  const suites = [
    { name: "a", status: "failed", message: "no such module", assertionResults: [] },
    { name: "b", status: "passed", assertionResults: [{ status: "passed", fullName: "x" }, { status: "pending", fullName: "y" }] },
  ];
  const result = withFile({ testResults: suites }, readVitest);
  assert.deepEqual([result.passed, result.failed, result.skipped], [1, 1, ["y"]]);
});

test("playwright: flaky is failed, projects count apart, errors outside tests count", () => {
  const spec = (title, ...statuses) => ({ title, tests: statuses.map((status, i) => ({ status, projectName: `p${i}` })) });
  const suites = [{ title: "a.spec.ts", specs: [spec("one", "expected", "flaky")], suites: [{ title: "inner", specs: [spec("two", "skipped", "unexpected")] }] }];
  const result = withFile({ suites, errors: [{ message: "server did not start" }] }, readPlaywright);
  assert.deepEqual([result.passed, result.failed], [1, 3]);
  assert.deepEqual(result.skipped, ["p0 > a.spec.ts > inner > two"]);
});

test("playwright: what fails twice has failed; what held by itself is told, and nothing is lost between the two", () => {
  const result = (passed, ...failures) => ({ passed, failed: failures.length, skipped: [], failures });
  const once = settled(result(9, "a", "b"), result(1, "b"));
  assert.deepEqual([once.passed, once.failed, once.failures, once.unsteady], [10, 1, ["b"], ["a"]]);
  const twice = settled(result(9, "a", "b"), result(0, "a", "b"));
  assert.deepEqual([twice.passed, twice.failed, twice.unsteady], [9, 2, []]);
  const unasked = result(9, "a", "an error outside any test");
  assert.equal(settled(unasked, result(1)), unasked);
  const ended = result(9, "a");
  assert.equal(settled(ended, result(0, "playwright, again: ended with exit code 1")), ended);
});

test("node: leaves are counted, skips and failures are named", () => {
  const tap = [
    "    ok 1 - fine",
    "      ---",
    "      duration_ms: 1",
    "      ...",
    "    not ok 2 - broken",
    "      ---",
    "      failureType: 'testCodeFailure'",
    "      ...",
    "    ok 3 - inner # SKIP no reason",
    "      ---",
    "      duration_ms: 1",
    "      ...",
    "not ok 1 - suite",
    "  ---",
    "  failureType: 'subtestsFailed'",
    "  ...",
    "# tests 3\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1\n",
  ].join("\n");
  const result = withFile(tap, readTap);
  assert.deepEqual([result.passed, result.failed, result.skipped, result.failures], [1, 1, ["inner"], ["broken"]]);
});

test("a runner that ends badly or runs nothing has failed", () => {
  const nothing = { passed: 0, failed: 0, skipped: [], failures: [] };
  assert.equal(withExit("x", nothing, null).failed, 1);
  assert.equal(withExit("x", { ...nothing, passed: 3 }, "ended with exit code 1").failed, 1);
  assert.equal(withExit("x", { ...nothing, passed: 3 }, null).failed, 0);
});

test("a report that was never written is a failure", () => {
  for (const read of [readVitest, readPlaywright, readTap]) assert.equal(withExit("x", withFile(null, read), "hung").failed, 1);
});

test("fuzzing: a budget goes to those first that lack least of their hour, and to none that had it", () => {
  const had = new Map([["fresh", 0], ["done", 61.5], ["half", 30.2], ["most", 50]]);
  assert.deepEqual([...shared(had, 60)], [["most", 10], ["half", 30], ["fresh", 20]]);
  assert.deepEqual([...shared(had, Infinity).values()], [10, 30, 60]);
  assert.deepEqual([...shared(had, 5)], [["most", 5]]);
});
