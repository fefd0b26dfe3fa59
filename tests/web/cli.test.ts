/** The command line as a shell sees it: stdout, stderr, exit codes. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exchange, truncate, warcGz, warcInfo } from "../fixtures/warc.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const archive = warcGz(warcInfo({}), ...exchange({ url: "http://a.test/", headers: { "Content-Type": "text/plain" }, body: "hello" }));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-cli-"));
  writeFileSync(join(folder, "good.warc.gz"), archive);
  writeFileSync(join(folder, "cut.warc.gz"), truncate(archive, archive.length - 30));
  writeFileSync(join(folder, "text.warc.gz"), "Dear diary");
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: string[], input = ""): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: folder, input, encoding: "utf8" });
  return { status, stdout, stderr };
}

const lines = (text: string): Record<string, unknown>[] => text.trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

test("records prints a line a record and exits 0, 1 or 2 by what it met", () => {
  const good = run(["records", "good.warc.gz"]);
  expect([good.status, good.stderr]).toEqual([0, ""]);
  expect(lines(good.stdout).map((line) => line["type"])).toEqual(["warcinfo", "response", "request"]);
  const cut = run(["records", "--json", "cut.warc.gz"]);
  expect(cut.status).toBe(1);
  expect(lines(cut.stdout).at(-1)).toMatchObject({ damage: "gzip/truncated", offset: archive.length - 30 });
  const text = run(["records", "text.warc.gz"]);
  expect([text.status, text.stdout]).toEqual([2, ""]);
  expect(text.stderr).toContain("not a web archive");
  const both = run(["records", "text.warc.gz", "good.warc.gz"]);
  expect([both.status, lines(both.stdout).length]).toEqual([2, 3]);
});

test("cat prints the part that was asked for", () => {
  const offset = String(lines(run(["records", "good.warc.gz"]).stdout)[1]?.["offset"]);
  expect(run(["cat", "good.warc.gz", "--offset", offset, "--part", "body"])).toEqual({ status: 0, stdout: "hello", stderr: "" });
  expect(run(["cat", "good.warc.gz", "--offset", offset]).stdout).toMatch(/^WARC\/1\.1\r\n[^]*\r\n\r\nhello\r\n\r\n$/);
  expect(run(["cat", "good.warc.gz", "--offset", "99999"])).toMatchObject({ status: 2, stdout: "" });
});

test("cat finds records in members, and in files that are packed", () => {
  const packed = fileURLToPath(new URL("../fixtures/files/zipfile-stored.wacz", import.meta.url));
  const [, told] = lines(run(["records", `${packed}!inside.warc`]).stdout);
  const found = run(["cat", `${packed}!inside.warc`, "--offset", String(told?.["offset"]), "--part", "raw"]);
  expect([found.status, found.stderr]).toEqual([0, ""]);
  expect(found.stdout).toContain(`WARC-Target-URI: ${String(told?.["uri"])}\r\n`);
  expect(run(["cat", `${packed}!no.warc`, "--offset", "0"])).toMatchObject({ status: 2, stdout: "" });
  const request = { method: "GET", url: "http://a.test/", headers: [] };
  const response = { status: 200, headers: [], content: { mimeType: "text/plain", text: "hello" } };
  const har = JSON.stringify({ log: { version: "1.2", entries: [{ startedDateTime: "2024-03-01T12:00:00Z", request, response }] } });
  writeFileSync(join(folder, "x.har.gz"), gzipSync(har));
  const row = lines(run(["records", "x.har.gz"]).stdout).find(({ type }) => type === "response");
  expect(run(["cat", "x.har.gz", "--offset", String(row?.["offset"]), "--part", "body"])).toEqual({ status: 0, stdout: "hello", stderr: "" });
});

test("surt answers line by line", () => {
  expect(run(["surt"], "http://www.example.com/\n\nhttps://A.b:443/C\n").stdout).toBe("com,example)/\n-\nb,a)/c\n");
});

test("a wrong call says what is right", () => {
  for (const args of [["nonsense"], ["records"], ["cat", "good.warc.gz"], ["cat", "good.warc.gz", "--offset", "x"], ["records", "--bogus"], []]) {
    const { status, stdout, stderr } = run(args);
    expect(status, args.join(" ")).toBe(2);
    expect(stdout + stderr).toContain(args[0] === "cat" ? "stackroom cat FILE --offset N" : "stackroom records FILE...");
  }
  expect(run(["--version"])).toMatchObject({ status: 0, stdout: "0.1.0\n" });
  const all = run(["--help"]);
  expect([all.status, all.stdout.includes("stackroom filter FILE")]).toEqual([0, true]);
  // Of one command its own alone, also where it was called wrongly; what stands behind two dashes is none of it.
  for (const args of [["filter", "--help"], ["help", "filter"]]) {
    const { status, stdout } = run(args);
    expect([status, stdout.includes("stackroom filter FILE"), stdout.includes("convert")]).toEqual([0, true, false]);
  }
  const wrong = run(["filter", "--nothing"]);
  expect([wrong.status, wrong.stderr.includes("stackroom filter FILE"), wrong.stderr.includes("convert")]).toEqual([2, true, false]);
  expect(run(["records", "--", "--help"]).status).toBe(2);
  expect(run(["constructor"]).status).toBe(2);
});
