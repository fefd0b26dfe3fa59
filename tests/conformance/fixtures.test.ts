/** The fixtures through the built WebAssembly engine: the same answers that the native build is held to. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inspectArchive } from "stackroom";
import { faults, type Case } from "../fixtures/case.mjs";
import { allCases } from "../fixtures/cases.mjs";

const unmet = new Set<string>(JSON.parse(readFileSync(new URL("../fixtures/unmet.json", import.meta.url), "utf8")) as string[]);

/** What is wrong with what is told of a case. */
async function judged(one: Case): Promise<string[]> {
  const lines: Array<Record<string, unknown>> = [];
  try {
    for await (const line of inspectArchive(one.bytes)) lines.push({ ...line });
  } catch (error) {
    if ((error as Error).name !== "ArchiveError") throw error;
    return faults(one, lines, (error as Error & { code: string }).code);
  }
  return faults(one, lines);
}

describe("fixtures", () => {
  const cases = allCases().filter(({ name }) => !unmet.has(name));
  for (const family of new Set(cases.map(({ name }) => name.split("/")[0] ?? ""))) {
    test(`${family} is told as its makers say`, { timeout: 300_000 }, async () => {
      const wrong: Record<string, string[]> = {};
      for (const one of cases.filter(({ name }) => name.startsWith(`${family}/`))) {
        const found = await judged(one);
        if (found.length > 0) wrong[one.name] = found;
      }
      expect(wrong).toEqual({});
    });
  }
});
