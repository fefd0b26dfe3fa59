/** Records that are cut out of an open archive by their rows: as files, and as indexes of them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cutRecords, openArchive, type Archive, type CutProgress, type InspectedDamage, type RowRange } from "../../web/lib/node.js";
import { concat, exchange, gzipMember, warcInfo } from "../fixtures/warc.js";
import { zip } from "../fixtures/zip.mjs";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const page = (n: number): Uint8Array[] => exchange({ url: `http://a.test/${n % 7}/${n}`, headers: { "Content-Type": "text/plain" }, body: `page ${n}` });
const records = [warcInfo({}), ...Array.from({ length: 40 }, (_, n) => page(n)).flat()];
const plain = concat(...records);
const packed = concat(...records.map((record) => gzipMember(record)));
const har = JSON.stringify({
  log: {
    version: "1.2",
    entries: [0, 1, 2].map((n) => ({
      startedDateTime: `2024-05-0${n + 1}T00:00:00Z`,
      request: { method: "GET", url: `http://har.test/${n}`, httpVersion: "HTTP/1.1", headers: [] },
      response: { status: 200, statusText: "OK", httpVersion: "HTTP/1.1", headers: [{ name: "Content-Type", value: "text/html" }], content: { mimeType: "text/html", text: `<p>${n}` } },
    })),
  },
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-rows-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const blob = (bytes: Uint8Array | string): Blob => new Blob([bytes as BlobPart]);

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return concat(...all);
}

async function opened<T>(source: Parameters<typeof openArchive>[0], work: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await openArchive(source);
  try {
    await archive.indexed;
    return await work(archive);
  } finally {
    await archive.close();
  }
}

const all: RowRange[] = [{ from: 0, count: 1_000 }];
const some: RowRange[] = [{ from: 9, count: 3 }, { from: 2, count: 1 }, { from: 10, count: 4 }, { from: 80, count: 50 }];
const someRows = [2, 9, 10, 11, 12, 13, 80];

test("rows of a WARC file are its records, in its order, each once", async () => {
  for (const source of [plain, packed]) {
    await opened(blob(source), async (archive) => {
      expect(await gathered(archive.cut(all, { form: "warc" }))).toEqual(plain);
      expect(new Uint8Array(gunzipSync(await gathered(archive.cut(all))))).toEqual(plain);
      const progress: CutProgress[] = [];
      const cut = await gathered(archive.cut(some, { form: "warc", onProgress: (one) => progress.push(one) }));
      expect(cut).toEqual(concat(...someRows.map((row) => records[row] ?? new Uint8Array())));
      expect(progress.at(-1)).toMatchObject({ seen: someRows.length, written: someRows.length });
      expect(await gathered(archive.cut([]))).toEqual(new Uint8Array());
    });
  }
  await opened(blob(packed), async (archive) => expect(await gathered(archive.cut(all, { form: "warc.gz" }))).toEqual(packed));
});

test("rows of several files and of members come from each", async () => {
  const package_ = zip([{ name: "archive/a.warc.gz", content: packed, method: 0 }]);
  const sources = [{ source: blob(packed), name: "one.warc.gz" }, { source: blob(package_), name: "two.wacz" }, { source: blob(plain), name: "three.warc" }];
  await opened(sources, async (archive) => {
    expect(archive.progress.records).toBe(3 * records.length);
    expect(await gathered(archive.cut(all, { form: "warc" }))).toEqual(concat(plain, plain, plain));
    const last = { from: records.length - 1, count: 2 };
    expect(await gathered(archive.cut([last], { form: "warc" }))).toEqual(concat(records.at(-1) ?? new Uint8Array(), records[0] ?? new Uint8Array()));
  });
});

test("what is no WARC record is made one, as `convert` does", async () => {
  const expected = await gathered(cutRecords(blob(har), { name: "x.har", target: "y.warc" }));
  await opened([{ source: blob(har), name: "x.har" }], async (archive) => {
    const made = await gathered(archive.cut(all, { form: "warc", target: "y.warc" }));
    // The time at which it is made may be another second.
    const timeless = (bytes: Uint8Array): string => Buffer.from(bytes).toString().replace(/WARC\/1\.1[^]*?made from the har file[^]*?\r\n\r\n/, "").replaceAll(/WARC-Warcinfo-ID: .*/g, "");
    expect(timeless(made)).toEqual(timeless(expected));
  });
});

test("an index of rows has the lines that one of the archive has", async () => {
  writeFileSync(join(folder, "x.warc.gz"), packed);
  for (const form of ["cdxj", "cdx11"] as const) {
    const { stdout } = spawnSync(process.execPath, [main, "cdx", "x.warc.gz", "--format", form], { cwd: folder });
    await opened([{ source: blob(packed), name: "x.warc.gz" }], async (archive) => {
      expect(Buffer.from(await gathered(archive.cut(all, { form }))).toString()).toBe(stdout.toString());
      const [row] = await archive.rows(5, 1);
      const one = Buffer.from(await gathered(archive.cut([{ from: 5, count: 1 }], { form }))).toString();
      expect(stdout.toString()).toContain(one.trimEnd().split("\n").at(-1));
      expect(one).toContain(row?.url);
    });
  }
});

test("rows of an index only are left out, and this is said", async () => {
  const line = 'test,a)/ 20240501000000 {"url":"http://a.test/","mime":"text/html","status":"200","digest":"A","length":"9","offset":"0","filename":"x.warc.gz"}\n';
  await opened(blob(line), async (archive) => {
    const damage: InspectedDamage[] = [];
    expect(await gathered(archive.cut(all, { onDamage: (one) => damage.push(one) }))).toEqual(new Uint8Array());
    expect(damage.map((one) => one.damage)).toEqual(["write/only-an-index"]);
  });
});

test("cutting stops where it is told to", async () => {
  await opened(blob(plain), async (archive) => {
    const abort = new AbortController();
    abort.abort();
    await expect(gathered(archive.cut(all, { signal: abort.signal }))).rejects.toMatchObject({ name: "AbortError" });
    // It is still there.
    expect(await archive.rows(0, 1)).toHaveLength(1);
  });
});

test("keys of URLs are told, and what is open stays so", async () => {
  await opened(blob(plain), async (archive) => {
    expect(await archive.urlKeys(["http://www.a.test/x"])).toEqual(["test,a)/x"]);
    expect(await archive.rows(0, 1)).toHaveLength(1);
  });
});
