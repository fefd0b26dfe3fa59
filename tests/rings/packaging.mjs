/** The packed npm package, installed and used as a stranger would. */
import { at } from "../../web/build/place.mjs";
import { filesBelow } from "../../web/build/stamp.mjs";
import { installBrowsers } from "../e2e/browser.mjs";
import { runNodeTests } from "./nodetest.mjs";

export const minutes = 15;

export async function run() {
  await installBrowsers(["chromium"]);
  const files = filesBelow(["tests/package"]).filter((path) => path.endsWith(".test.mjs"));
  return runNodeTests("packaging", files.map((path) => at(path)), { minutes });
}
