/** The package in a plain Node project: the library, its types, and the command. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { after, test } from "node:test";
import { tsc } from "../../web/build/library.mjs";
import { npm, pack, project, tinyArchive, tinyUrls } from "./installed.mjs";

const packed = pack();
after(() => packed.remove());
const home = project(packed, "node");
const archive = home.write("tiny.warc.gz", tinyArchive());

test("an ES module opens an archive by its path and lists the records", () => {
  const script = home.write(
    "list.js",
    `import { openArchive } from "stackroom";
     const archive = await openArchive(process.argv[2]);
     await archive.indexed;
     for (const row of await archive.rows(0, 10)) {
       console.log(row.url, row.status, new TextDecoder().decode(await archive.bytes(row, "body")));
     }
     await archive.close();`,
  );
  const output = execFileSync(process.execPath, [script, archive], { cwd: home.folder, encoding: "utf8", timeout: 60_000 });
  assert.deepEqual(output.trim().split("\n"), tinyUrls.map((url) => `${url} 200 body of ${url}`));
});

test("a store in a folder keeps what was put, for a process that comes later", () => {
  const script = home.write(
    "store.js",
    `import { nodeStorage, openStore } from "stackroom/store";
     const store = await openStore({ storage: nodeStorage("kept"), cacheBytes: 1 << 20 });
     const key = new TextEncoder().encode("key");
     if (process.argv[2]) await store.put(key, new TextEncoder().encode(process.argv[2]));
     const found = await store.get(key);
     console.log(await store.count(), found && new TextDecoder().decode(found), (await store.verify()).length);
     await store.close();`,
  );
  const run = (...args) => execFileSync(process.execPath, [script, ...args], { cwd: home.folder, encoding: "utf8", timeout: 60_000 }).trim();
  assert.deepEqual([run(), run("value"), run()], ["0 undefined 0", "1 value 0", "1 value 0"]);
});

test("the declarations check in a strict project, with and without a bundler", () => {
  const file = home.write(
    "types.ts",
    `import { openArchive, type Archive } from "stackroom";
     import { openStore, memoryStorage, type Store } from "stackroom/store";
     export const open = (): Promise<Store> => openStore({ storage: memoryStorage(), cacheBytes: 1 << 20 });
     export async function first(file: Blob): Promise<string | undefined> {
       const archive: Archive = await openArchive(file);
       const [row] = await archive.rows(0, 1);
       return row?.url;
     }`,
  );
  const inNode = home.write(
    "nodetypes.ts",
    `import { nodeStorage, openStore, type Store } from "stackroom/store";
     import { openLibrary, type KeptArchive } from "stackroom/library";
     export const list = async (folder: string): Promise<KeptArchive[]> => (await openLibrary(folder)).list();
     export const open = (folder: string): Promise<Store> => openStore({ storage: nodeStorage(folder) });`,
  );
  for (const [module, ...files] of [["nodenext", file, inNode], ["preserve", file]]) {
    const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable,dom.asynciterable", "--types", "", "--module", module];
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, "--ignoreConfig", ...files], { cwd: home.folder, encoding: "utf8" });
    assert.equal(status, 0, `${module}: ${stdout}`);
  }
});

test("npx stackroom records lists them as JSON lines", () => {
  const lines = npm(home.folder, "exec", "--offline", "--", "stackroom", "records", archive).trim().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line).uri), tinyUrls);
});
