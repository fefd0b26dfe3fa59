/** The library in a folder: archives that are kept, broken off, gone on with, removed; in the package and on the command line. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describePath, openLibrary, type KeptArchive, type Library } from "../../web/lib/library/node.js";
import { openArchive, reopenArchive } from "../../web/lib/node.js";
import type { RecordRow } from "../../web/lib/shapes.js";

const SAMPLE = fileURLToPath(new URL("../../web/app/public/sample.warc.gz", import.meta.url));

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "library-"));
  home = join(folder, "kept");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function rowsOf(path: string): Promise<RecordRow[]> {
  const archive = await openArchive(path);
  await archive.indexed;
  const rows = await archive.rows(0, 100_000);
  await archive.close();
  return rows;
}

async function add(library: Library, path: string, source = path): Promise<KeptArchive> {
  const archive = await openArchive(path, { isForKeeping: true });
  try {
    return await library.add(archive, { source });
  } finally {
    await archive.close();
  }
}

test("what was added is there when the library is opened again, in any order", async () => {
  const rows = await rowsOf(SAMPLE);
  let library = await openLibrary(home);
  expect(await library.list()).toEqual([]);
  const kept = await add(library, SAMPLE);
  expect(kept).toMatchObject({ id: 1, name: "sample.warc.gz", format: "warc.gz", state: "ready", records: rows.length, damageCount: 0 });
  await library.close();

  library = await openLibrary(home);
  expect(await library.list()).toEqual([kept]);
  const index = await library.index(1);
  expect(await index.rows(0, 1000)).toEqual(rows);
  const sizes = (await index.sorted({ column: "size", from: 0, count: 1000, isDescending: true })).map(({ size }) => size);
  expect(sizes).toEqual(rows.map(({ size }) => size).sort((a, b) => b - a));
  await library.close();
});

test("the same archive is recognised, and another source of its name is another one", async () => {
  const library = await openLibrary(home);
  const first = await add(library, SAMPLE);
  expect(await add(library, SAMPLE)).toEqual(first);
  const again = await add(library, SAMPLE, "elsewhere");
  expect(again.id).toBe(2);
  expect((await library.list()).map(({ id }) => id)).toEqual([2, 1]);
  await library.close();
});

test("an archive that was broken off is gone on with, and told as such until then", async () => {
  let library = await openLibrary(home);
  const rows = await rowsOf(SAMPLE);
  const archive = await openArchive(SAMPLE, { isForKeeping: true });
  await archive.indexed;
  const abort = new AbortController();
  const adding = library.add(archive, { source: SAMPLE, signal: abort.signal, onKept: () => abort.abort() });
  await expect(adding).rejects.toMatchObject({ name: "AbortError" });
  await archive.close();
  expect(await library.list()).toMatchObject([{ state: "indexing", records: 0 }]);
  await library.close();
  library = await openLibrary(home);
  expect(await add(library, SAMPLE)).toMatchObject({ id: 1, state: "ready", records: rows.length });
  expect(await (await library.index(1)).rows(0, 1000)).toEqual(rows);
  await library.close();
});

test("what is kept opens again without being read, and what was broken off is read on", async () => {
  let library = await openLibrary(home);
  const { id, records } = await add(library, SAMPLE);
  const rows = await rowsOf(SAMPLE);
  await library.close();
  library = await openLibrary(home);
  const kept = await library.kept(id);
  if (!kept) throw new Error("nothing is kept");
  const again = await reopenArchive(SAMPLE, kept);
  expect(await again.indexed).toMatchObject({ records, isDone: true });
  expect(await again.rows(0, 1000)).toEqual(rows);
  // It can be kept once more, elsewhere.
  expect(await library.add(again, { source: "again" })).toMatchObject({ id: id + 1, records });
  await again.close();
  // Of one that nothing is kept of yet there is nothing to open.
  const archive = await openArchive(SAMPLE, { isForKeeping: true });
  const abort = new AbortController();
  await library.add(archive, { source: "third", signal: abort.signal, onKept: () => abort.abort() }).catch(() => {});
  await archive.close();
  const [third] = await library.list();
  expect(third).toMatchObject({ source: "third", state: "indexing" });
  expect(await library.kept(third?.id ?? 0)).toBeUndefined();
  await library.close();
});

test("an archive is known again elsewhere, and one that changed is refused until it is indexed anew", async () => {
  const [here, there] = [join(folder, "a.warc.gz"), join(folder, "b.warc.gz")];
  copyFileSync(SAMPLE, here);
  copyFileSync(SAMPLE, there);
  const library = await openLibrary(home);
  const put = async (path: string, isAnew = false): Promise<KeptArchive> => {
    const archive = await openArchive(path, { isForKeeping: true });
    return library.add(archive, { source: path, files: await describePath(path), isAnew }).finally(() => archive.close());
  };
  const { id, records } = await put(here);
  await library.describe(id, { title: "Mine" });
  expect(await put(there)).toMatchObject({ id, source: there, title: "Mine" });
  expect(await library.list()).toHaveLength(1);

  const half = readFileSync(SAMPLE).subarray(0, 20_000);
  writeFileSync(there, half);
  await expect(put(there)).rejects.toMatchObject({ code: "source/changed", message: expect.stringContaining("b.warc.gz") as string });
  expect((await library.get(id))?.records).toBe(records);
  const anew = await put(there, true);
  expect(anew).toMatchObject({ id, state: "ready", title: "Mine" });
  expect(anew.records).toBeLessThan(records);
  expect(await (await library.index(id)).rows(0, 1000)).toHaveLength(anew.records);
  // The first one is not in it any more.
  expect((await put(here)).id).not.toBe(id);
  expect(await library.verify()).toEqual([]);
  await library.close();
});

test("two cannot add the same at once, and none is removed while it is added", async () => {
  const library = await openLibrary(home);
  const archive = await openArchive(SAMPLE, { isForKeeping: true });
  const first = library.add(archive, { source: SAMPLE });
  await expect(library.add(archive, { source: SAMPLE })).rejects.toMatchObject({ code: "library/busy" });
  const { id } = await first;
  await archive.close();
  const files = readdirSync(home).length;
  expect(await library.remove(id)).toBe(true);
  expect(await library.remove(id)).toBe(false);
  expect(readdirSync(home).length).toBeLessThan(files);
  await expect(library.index(id)).rejects.toMatchObject({ code: "library/unknown" });
  expect(await library.list()).toEqual([]);
  await library.close();
});

test("a flipped bit is found in whichever file it is, and the rest is still read", async () => {
  let library = await openLibrary(home);
  const { id, records } = await add(library, SAMPLE);
  await add(library, SAMPLE, "again");
  expect(await library.verify()).toEqual([]);
  await library.compact();
  expect(await library.verify()).toEqual([]);
  await library.close();
  const [file] = readdirSync(home).filter((name) => /^ext\.1\d{9}$/.test(name)).sort();
  const path = join(home, file ?? "");
  const bytes = readFileSync(path);
  bytes[500] = (bytes[500] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  library = await openLibrary(home);
  expect(await library.verify()).toEqual([{ code: "store/damaged", message: expect.stringContaining("must be indexed again") as string, id }]);
  await expect((await library.index(id)).rows(0, 10)).rejects.toMatchObject({ code: "store/damaged" });
  expect(await (await library.index(2)).rows(0, 1000)).toHaveLength(records);
  await library.close();
});

test("the command line adds, dumps, verifies and compacts", () => {
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url)), ...args], { encoding: "utf8" });
  expect(run("add", SAMPLE)).toMatchObject({ status: 2 });
  expect(run("dump", home)).toMatchObject({ status: 2 });
  const added = run("add", SAMPLE, join(folder, "missing.warc"), "--to", home);
  expect(added.status).toBe(2);
  expect(JSON.parse(added.stdout)).toMatchObject({ id: 1, state: "ready", source: SAMPLE });
  expect(added.stderr).toContain("missing.warc");
  expect(JSON.parse(run("dump", home).stdout)).toMatchObject({ id: 1 });
  const rows = run("dump", home, "--id", "1", "--sort", "size", "--reverse", "--limit", "3").stdout.trim().split("\n").map((line) => JSON.parse(line) as RecordRow);
  expect(rows).toHaveLength(3);
  expect(rows[0]?.size).toBeGreaterThanOrEqual(rows[1]?.size ?? Infinity);
  expect(run("dump", home, "--id", "7")).toMatchObject({ status: 2, stderr: expect.stringContaining("library/unknown") as string });
  expect(run("dump", home, "--sort", "colour")).toMatchObject({ status: 2 });
  expect(run("compact", home)).toMatchObject({ status: 0, stdout: "" });
  expect(run("verify", home)).toMatchObject({ status: 0, stdout: "" });
  expect(run("verify", join(folder, "nowhere"))).toMatchObject({ status: 2 });
});
