/** The corpus through the built WebAssembly engine: the same golden answers that the native build is held to. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { inspectArchive, surt, type InspectedRecord } from "stackroom";

const corpus = process.env["STACKROOM_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));
const isThere = existsSync(`${corpus}/golden`);

type Golden = Record<string, string | number | boolean>;

/** A field in the form in which the corpus compares it. */
function comparable(record: Golden, field: string): string {
  const value = String(record[field] ?? "");
  if (field === "mime") return (value.split(";")[0] ?? "").trim().toLowerCase();
  if (field === "date") return value.slice(0, 19);
  if (field === "uri") return value.replaceAll("%20", " ").replace(/^<|>$/g, "");
  return value;
}

const FIELDS = ["offset", "length", "type", "uri", "date", "status", "mime", "content_length", "payload_digest", "raw_len", "raw_sha1", "te", "ce"];

function fieldsOf(record: Golden, golden: Golden): Record<string, string> {
  const isUndecoded = /br|zstd/.test(String(golden["ce"] ?? ""));
  const fields = isUndecoded ? FIELDS : [...FIELDS, "body_len", "body_sha1"];
  return Object.fromEntries(fields.map((field) => [field, comparable(record, field)]));
}

describe.skipIf(!isThere)("corpus", () => {
  const names = isThere ? readdirSync(`${corpus}/golden`).filter((name) => /__[^!]*\.w?arc(\.\w+)*\.jsonl$/.test(name)) : [];
  const cases = names.map((name) => {
    const [summary, ...records] = readFileSync(`${corpus}/golden/${name}`, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Golden);
    return { path: `${corpus}/files/${name.replace("__", "/").replace(/\.jsonl$/, "")}`, agree: summary?.["agree"] === true, records };
  });

  test("records agree where the readers agree", { timeout: 300_000 }, async () => {
    let compared = 0;
    for (const { path, records } of cases.filter(({ agree }) => agree)) {
      if (statSync(path).size === 0) {
        await expect(inspectArchive(path).next()).rejects.toMatchObject({ code: "open/empty" });
        continue;
      }
      const ours: InspectedRecord[] = [];
      for await (const line of inspectArchive(path)) if (!("damage" in line)) ours.push(line);
      expect(ours.map((record, at) => fieldsOf({ ...record }, records[at] ?? {})), path).toEqual(records.map((record) => fieldsOf(record, record)));
      compared += records.length;
    }
    expect(compared).toBeGreaterThan(1500);
  });

  test("on all others reading ends, with records or a reason", { timeout: 300_000 }, async () => {
    for (const { path } of cases.filter(({ agree }) => !agree)) {
      const lines: unknown[] = [];
      try {
        for await (const line of inspectArchive(path)) lines.push(line);
        expect(lines.length, path).toBeGreaterThan(0);
      } catch (error) {
        expect(error, path).toMatchObject({ name: "ArchiveError" });
      }
    }
  });

  test("URL keys agree with every comparable vector", async () => {
    const rows = readFileSync(`${corpus}/files/vectors-urlkeys.tsv`, "utf8").trim().split("\n").slice(1).map((line) => line.split("\t"));
    const named = ["warcio.js:getSurt", "WaybackURLKeyMaker", "urlcanon:surt:defaultIASurt"];
    const vectors = rows.filter(([name = "", input = "", , options]) => {
      const isFork = name === "WaybackURLKeyMaker" && input.startsWith("dns:");
      return ((name === "surt" && !options) || named.includes(name) || name.startsWith("cdx:")) && !isFork;
    });
    expect(await surt(vectors.map(([, input = ""]) => input))).toEqual(vectors.map(([, , expected]) => expected));
    expect(vectors.length).toBeGreaterThan(60);
  });
});
