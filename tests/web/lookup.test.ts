/** `cdx` and `lookup` as a shell sees them: indexes in every form, and look-ups in them and in archives. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exchange, warcGz, warcInfo } from "../fixtures/warc.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const pages = ["b", "a", "c/d"].map((path) => exchange({ url: `http://a.test/${path}`, headers: { "Content-Type": "text/plain" }, body: path }));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-cdx-"));
  writeFileSync(join(folder, "x.warc.gz"), warcGz(warcInfo({}), ...pages.flat()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

test("an index is sorted, in every form, and answers as the archive does", () => {
  const made = run("cdx", "x.warc.gz");
  expect([made.status, made.stderr, lines(made.stdout).length]).toEqual([0, "", 3]);
  expect(lines(made.stdout)).toEqual(lines(made.stdout).toSorted());
  expect(made.stdout).toMatch(/^test,a\)\/a \d{14} \{"url": "http:\/\/a\.test\/a", "mime": "text\/plain", "status": "200", "digest": "sha1:/);
  for (const [format, name] of [["cdxj", "x.cdxj"], ["cdx11", "x.cdx"], ["zipnum", "x.idx"]] as const) {
    expect(run("cdx", "x.warc.gz", "--format", format, "-o", name)).toEqual({ status: 0, stdout: "", stderr: "" });
  }
  expect(readFileSync(join(folder, "x.cdxj"), "utf8")).toBe(made.stdout);
  expect(readFileSync(join(folder, "x.cdx"), "utf8")).toMatch(/^ CDX N b a m s k r M S V g\n/);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  const expected = ["http://a.test/a", "http://a.test/b", "http://a.test/c/d"];
  for (const target of ["x.warc.gz", "x.cdxj", "x.cdx", "x.idx"]) {
    const all = run("lookup", target, "--url", "*.a.test", "--fields", "url");
    expect([target, all.status, all.stderr, lines(all.stdout)]).toEqual([target, 0, "", expected]);
    expect(lines(run("lookup", target, "--url", "http://a.test/c/*", "--fields=url,status").stdout)).toEqual(["http://a.test/c/d 200"]);
  }
});

test("the records of a cluster are the rows of its blocks", () => {
  run("cdx", "x.warc.gz", "-o", "y.idx");
  const told = run("records", "y.idx");
  const urls = lines(told.stdout).map((line) => (JSON.parse(line) as { uri: string }).uri);
  expect([told.status, told.stderr, urls]).toEqual([0, "", ["http://a.test/a", "http://a.test/b", "http://a.test/c/d"]]);
  rmSync(join(folder, "y.cdx.gz"));
  const lost = run("records", "y.idx", "x.cdxj");
  expect([lost.status, JSON.parse(lines(lost.stdout)[0] ?? "")]).toMatchObject([1, { damage: "cdx/bad-block", file: "y.idx" }]);
  expect(lines(lost.stdout)).toHaveLength(4);
});

test("a cluster is cut as its rows are", () => {
  for (const [index, name] of [["cdxj", "z.cdxj"], ["zipnum", "z.idx"]] as const) run("cdx", "x.warc.gz", "--format", index, "-o", name);
  const outcome = (name: string): unknown => {
    const { status, stderr } = run("convert", name, "-o", "-");
    return [status, stderr.replaceAll(name, "the index")];
  };
  expect(outcome("z.idx")).toEqual(outcome("z.cdxj"));
  rmSync(join(folder, "z.cdx.gz"));
  expect(run("filter", "z.idx", "--where", "status:200", "-o", "-").stderr).toContain("[cdx/bad-block]");
});

test("a member of a file is indexed and asked alone", () => {
  const packed = fileURLToPath(new URL("../fixtures/files/zipfile-stored.wacz", import.meta.url));
  const all = run("cdx", packed);
  const one = run("cdx", `${packed}!inside.warc`);
  expect([one.status, one.stderr, lines(one.stdout).length]).toEqual([0, "", 2]);
  expect(one.stdout).toContain('"filename": "inside.warc"');
  expect(lines(all.stdout)).toEqual(expect.arrayContaining(lines(one.stdout)));
  const found = run("lookup", `${packed}!inside.warc`, "--url", "http://foreign.example/page/1?q=1", "--fields", "url,filename");
  expect([found.status, found.stdout]).toEqual([0, "http://foreign.example/page/1?q=1 inside.warc\n"]);
  expect(run("cdx", `${packed}!no.warc`)).toMatchObject({ status: 2, stdout: "" });
});

test("a look-up takes what CDX servers take, and says what it expected", () => {
  expect(run("lookup", "x.warc.gz", "--url", "http://a.test/none")).toEqual({ status: 1, stdout: "", stderr: "" });
  const last = run("lookup", "x.warc.gz", "--url", "a.test", "--matchType", "host", "--reverse", "--limit", "1", "--json");
  expect(JSON.parse(last.stdout)).toMatchObject({ urlkey: "test,a)/c/d", status: "200", filename: "x.warc.gz" });
  const wrong = run("lookup", "x.warc.gz", "--url", "a.test", "--match", "odd");
  expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain('match: expected exact, prefix, host or domain, found "odd"');
  for (const args of [["lookup"], ["lookup", "x.warc.gz"], ["lookup", "x.warc.gz", "--url"], ["cdx"], ["cdx", "x.warc.gz", "--format", "odd"], ["cdx", "x.warc.gz", "--format", "zipnum"]]) {
    expect([args, run(...args).status]).toEqual([args, 2]);
  }
});

test("numbers that were posted are said in the key as other indexers say them", () => {
  const body = '{"a":1e16,"b":0.00001,"c":1.50,"d":-0.0,"e":12,"f":1e400,"g":1469.7000002488494,"h":0.1000000000000000055511151231257827}';
  const requestHeaders = { "Content-Type": "application/json", "Content-Length": String(body.length) };
  writeFileSync(join(folder, "posted.warc.gz"), warcGz(...exchange({ url: "http://a.test/form", method: "POST", requestHeaders, requestBody: body, body: "done" })));
  const { requestBody } = JSON.parse(/\{.*/.exec(run("cdx", "posted.warc.gz").stdout)?.[0] ?? "{}") as { requestBody?: string };
  expect(requestBody).toBe("a=1e%2B16&b=1e-05&c=1.5&d=-0.0&e=12&f=inf&g=1469.7000002488494&h=0.1");
});
