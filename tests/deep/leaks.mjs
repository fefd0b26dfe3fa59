/**
 * What gets out of replay: the browser test of it at full count, both browsers at a time since it mostly waits; with what
 * it saw in each as figures. STACKROOM_LEAK_BROWSERS names one of them.
 */
import { readFileSync, rmSync } from "node:fs";
import { at } from "../../web/build/place.mjs";
import { run as runBrowsers } from "../rings/browsers.mjs";

const browsers = process.env["STACKROOM_LEAK_BROWSERS"]?.split(",") ?? ["chromium", "firefox"];
const reportOf = (name) => at(`test-results/leaks-${name}.json`);

export async function runLeaks() {
  for (const name of browsers) rmSync(reportOf(name), { force: true });
  const result = await runBrowsers({ only: ["leaks.spec.ts", "--workers", "2", ...browsers.flatMap((name) => ["--project", name])], minutes: 180 });
  return [{ ...result, figures: browsers.flatMap(figuresOf) }];
}

function figuresOf(name) {
  let report;
  try {
    report = JSON.parse(readFileSync(reportOf(name), "utf8"));
  } catch {
    return [`${name}: no report`];
  }
  // Counts of each realm are for who looks for a fault.
  return Object.entries(report).filter(([what]) => !/^open:|refused:|tried:/.test(what)).map(([what, told]) => `${name}, ${what}: ${Array.isArray(told) ? told.join(" ") || "none" : told}`);
}
