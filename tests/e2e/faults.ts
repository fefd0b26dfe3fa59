/** What axe-core finds wrong with what is on the page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type axe from "axe-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every fault, as rule and element. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await engine.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.flat().join(" ")}: ${node.failureSummary ?? ""}`));
  });
}
