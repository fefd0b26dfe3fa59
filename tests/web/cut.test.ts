/** `filter` and `convert` as a shell sees them: what they write, what they say, and how they end. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ArchiveError, checkQuery, cutRecords } from "../../web/lib/node.js";
import { concat, exchange, gzipMember, truncate, warcInfo } from "../fixtures/warc.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const page = (path: string, body: string): Uint8Array[] =>
  exchange({ url: `http://a.test/${path}`, headers: { "Content-Type": "text/plain" }, body });
const records = [warcInfo({}), ...page("one", "hello"), ...page("two", "good bye")];
const plain = concat(...records);
const members = records.map((record) => gzipMember(record));
const packed = concat(...members);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-cut-"));
  writeFileSync(join(folder, "plain.warc"), plain);
  writeFileSync(join(folder, "packed.warc.gz"), packed);
  writeFileSync(join(folder, "cut.warc.gz"), truncate(packed, packed.length - 30));
  writeFileSync(join(folder, "text.warc"), "Dear diary");
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { status: number | null; stdout: Buffer; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: folder });
  return { status, stdout, stderr: stderr.toString() };
}

const written = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));

test("records are copied byte for byte, from either form to either form", () => {
  for (const source of ["plain.warc", "packed.warc.gz"]) {
    expect(run("filter", source, "--where", "type:response", "-o", "out.warc")).toMatchObject({ status: 0, stderr: "" });
    expect(written("out.warc")).toEqual(concat(...[1, 3].map((at) => records[at] ?? new Uint8Array())));
    expect(run("filter", source, "--where", "url:*/two and not type:request", "-o", "out.warc.gz")).toMatchObject({ status: 0, stderr: "" });
    expect(new Uint8Array(gunzipSync(written("out.warc.gz")))).toEqual(records[3]);
  }
  // Members that are wanted stay as they are.
  expect(written("out.warc.gz")).toEqual(members[3]);
  expect(run("convert", "packed.warc.gz", "-o", "all.warc").status).toBe(0);
  expect(written("all.warc")).toEqual(plain);
});

test("standard output, --gzip and --append", () => {
  expect(new Uint8Array(run("filter", "plain.warc", "--where", "type:warcinfo", "-o", "-").stdout)).toEqual(records[0]);
  expect(new Uint8Array(run("filter", "packed.warc.gz", "--where", "type:warcinfo", "-o", "-", "--gzip").stdout)).toEqual(members[0]);
  expect(run("convert", "plain.warc", "-o", "grown.warc").status).toBe(0);
  expect(run("convert", "packed.warc.gz", "-o", "grown.warc", "--append").status).toBe(0);
  expect(written("grown.warc")).toEqual(concat(plain, plain));
  expect(run("convert", "plain.warc", "packed.warc.gz", "-o", "both.warc").status).toBe(0);
  expect(written("both.warc")).toEqual(concat(plain, plain));
  const mixed = run("convert", "plain.warc", "-o", "grown.warc", "--append", "--gzip");
  expect([mixed.status, mixed.stderr]).toEqual([2, expect.stringContaining("is not compressed")]);
  expect(written("grown.warc")).toEqual(concat(plain, plain));
});

test("nothing found, damage, and unusable input are told by the exit code", () => {
  const none = run("filter", "plain.warc", "--where", "status:404", "-o", "none.warc");
  expect([none.status, none.stderr]).toEqual([1, "stackroom: no record of 5 records written\n"]);
  expect(written("none.warc")).toEqual(new Uint8Array());
  const damaged = run("filter", "cut.warc.gz", "--where", "", "-o", "damaged.warc");
  expect([damaged.status, damaged.stderr]).toEqual([1, expect.stringContaining("[gzip/truncated] at byte")]);
  const unusable = run("convert", "text.warc", "-o", "unusable.warc");
  expect([unusable.status, unusable.stderr]).toEqual([2, expect.stringContaining("not a web archive")]);
  expect(existsSync(join(folder, "unusable.warc"))).toBe(false);
  expect(run("convert", "nowhere.warc", "plain.warc", "-o", "half.warc").status).toBe(2);
  expect(written("half.warc")).toEqual(plain);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("a wrong call says what is right, and writes nothing", () => {
  for (const [args, said] of [
    [["filter", "plain.warc", "-o", "x.warc"], "filter needs --where"],
    [["filter", "plain.warc", "--where", ""], "-o OUT"],
    [["filter", "--where", "", "-o", "x.warc"], "no file to read"],
    [["filter", "plain.warc", "--where", "", "-o", "plain.warc"], "cannot be written at once"],
    [["convert", "plain.warc", "-o", "x.wacz"], "WARC files are written"],
    [["convert", "plain.warc", "-o", "x.warc", "--warc-version", "2"], "--warc-version"],
    [["filter", "plain.warc", "--where", "status:abc", "-o", "x.warc"], 'status: expected a status such as 404, a class such as 4xx, or a span such as 200..299 or >=400, found "abc", at character 1 of the query [query/value]'],
    [["filter", "plain.warc", "--where", "stauts:404", "-o", "x.warc"], "there is no such column; expected one of type, status, mime, url, host, domain, date, size, digest"],
  ] as const) {
    const { status, stderr } = run(...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  }
  expect(existsSync(join(folder, "x.warc"))).toBe(false);
  expect(written("plain.warc")).toEqual(plain);
});

test("the library cuts too, from bytes", async () => {
  const pieces: Uint8Array[] = [];
  let last: { seen: number; written: number } | undefined;
  for await (const bytes of cutRecords(packed, { where: "type:response", gzip: true, onProgress: (progress) => (last = progress) })) pieces.push(bytes);
  expect(concat(...pieces)).toEqual(concat(...[1, 3].map((at) => members[at] ?? new Uint8Array())));
  expect(last).toMatchObject({ seen: 5, written: 2 });
  await expect(checkQuery("host:a.test")).resolves.toBeUndefined();
  await expect(checkQuery("host:http://a.test")).rejects.toThrow(ArchiveError);
});
