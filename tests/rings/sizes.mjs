/** The size budgets of what was built: counted, hence a test. */
import { reportFirstLoad } from "../../web/build/sizes.mjs";
import { asOneTest } from "./program.mjs";

export const minutes = 1;

export const run = () => asOneTest("first load", weigh());

async function weigh() {
  try {
    reportFirstLoad();
    return { problem: null };
  } catch (error) {
    return { problem: error.message };
  }
}
