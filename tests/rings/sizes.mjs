/** The size budgets of what was built: counted, hence a test. */
import { reportEverything, reportFirstLoad, reportModules } from "../../web/build/sizes.mjs";
import { asOneTest, sum } from "./program.mjs";

export const minutes = 1;

export const run = async () =>
  sum([
    await asOneTest("first load", weigh(reportFirstLoad)),
    await asOneTest("WASM modules", weigh(reportModules)),
    await asOneTest("all that can load", weigh(reportEverything)),
  ]);

async function weigh(report) {
  try {
    report();
    return { problem: null };
  } catch (error) {
    return { problem: error.message };
  }
}
