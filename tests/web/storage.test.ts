/** Storages of pages outside browsers: memory, files of Node, a store on a server. Those of browsers are in tests/e2e. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BLOCK_BYTES, httpStorage } from "../../web/lib/store/http.js";
import { memoryStorage } from "../../web/lib/store/memory.js";
import { keptBlocks } from "../../web/lib/store/kept.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import { PAGE_BYTES, type PageStorage } from "../../web/lib/store/storage.js";
import { Store } from "../../web/lib/store/store.js";
import init, { PageStore } from "../../web/lib/wasm/store.js";
import { reading, writing, written } from "../e2e/pages/storagecontract.mjs";

let folder: string;
beforeAll(() => init({ module_or_path: readFileSync(new URL("../../web/lib/wasm/store_bg.wasm", import.meta.url)) }));
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "storage-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("memory", () => {
  for (const [name, run] of Object.entries(writing)) {
    test(name, async () => {
      // What is in memory is there as long as the storage is.
      const storage = memoryStorage();
      await run(() => storage);
    });
  }
});

describe("a folder of Node", () => {
  const { appends: _, ...pages } = written;
  const open = (): PageStorage => nodeStorage(join(folder, "deep", "store"));
  for (const [name, run] of Object.entries(writing)) test(name, () => run(open));

  test("a second writer is refused, and one that died is not waited for", () => {
    const lock = join(folder, "lock");
    const first = nodeStorage(folder);
    expect(() => nodeStorage(folder)).toThrow(expect.objectContaining({ code: "store/locked" }) as Error);
    first.close();
    expect(existsSync(lock)).toBe(false);
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    for (const holder of [String(pid), ""]) {
      writeFileSync(lock, holder);
      const next = nodeStorage(folder);
      next.write(pages);
      next.close();
      expect(existsSync(lock)).toBe(false);
    }
  });

  test("who lost the lock commits nothing more", () => {
    const index = join(folder, "index.pages");
    const storage = nodeStorage(folder);
    storage.write(pages);
    const before = readFileSync(index);
    rmSync(join(folder, "lock"));
    const other = nodeStorage(folder);
    const superblock = { page: 0, bytes: new Uint8Array(PAGE_BYTES).fill(7) };
    const commit = { pages: new Uint32Array(0), bytes: new Uint8Array(0), superblock };
    expect(() => storage.write(commit)).toThrow(expect.objectContaining({ code: "store/locked" }) as Error);
    storage.close();
    expect(readFileSync(index)).toEqual(before);
    // Nor does it take the lock from whoever has it.
    expect(existsSync(join(folder, "lock"))).toBe(true);
    other.close();
  });
});

describe("a store on a server", () => {
  let server: Server;
  let url: string;
  /** What was asked for, and how the server answers. */
  let asked: string[];
  let answer: { tag: string; knowsRange: boolean; failures: number; encodes: boolean };
  let files: Map<string, Buffer>;
  const fileOf = (name: string): Buffer => files.get(name) ?? Buffer.alloc(0);

  beforeAll(async () => {
    server = createServer((request, response) => serve(request.url ?? "", request.headers.range ?? "", response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    url = `http://127.0.0.1:${port}/store`;
  });
  afterAll(() => void server.close());
  beforeEach(async () => {
    asked = [];
    answer = { tag: '"one"', knowsRange: true, failures: 0, encodes: false };
    const storage = nodeStorage(folder);
    await storage.prepare([0]);
    storage.write(written);
    storage.close();
    files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  });

  function serve(path: string, range: string, response: ServerResponse): void {
    asked.push(range);
    const file = files.get(path.slice("/store/".length));
    if (!file) return void response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    if (answer.failures > 0) {
      answer.failures -= 1;
      response.writeHead(503).end();
    } else if (!answer.knowsRange) {
      response.writeHead(200, { ETag: answer.tag }).end(file);
    } else if (Number(from) >= file.length) {
      response.writeHead(416).end();
    } else {
      const end = Math.min(Number(to) + 1, file.length);
      const headers = { ETag: answer.tag, "Content-Range": `bytes ${from}-${end - 1}/${file.length}`, ...(answer.encodes && { "Content-Encoding": "identity" }) };
      response.writeHead(206, headers).end(file.subarray(Number(from), end));
    }
  }

  for (const [name, run] of Object.entries(reading)) test(name, () => run(() => httpStorage(url)));

  test("what was read costs no second round trip, and neighbours come together", async () => {
    const storage = await httpStorage(url);
    expect(asked).toEqual([`bytes=0-${BLOCK_BYTES - 1}`]);
    await storage.read([0, 1, 2, 8]);
    expect(asked).toHaveLength(1);
    // Twice at once, once again later, and the blocks around them.
    await Promise.all([storage.read([300]), storage.read([300, 301])]);
    await storage.read([300]);
    expect(asked).toHaveLength(2);
    await storage.read([100, 116, 150]);
    expect(asked).toHaveLength(3);
    storage.close();
  });

  test("the cache is bounded, and what was used last stays", async () => {
    const storage = await httpStorage(url, { cacheBytes: 4 * BLOCK_BYTES });
    const perBlock = BLOCK_BYTES / PAGE_BYTES;
    const block = (number: number): number => number * perBlock;
    for (const number of [0, 4, 8, 12, 0, 16]) await storage.read([block(number)]);
    const before = asked.length;
    await storage.read([block(0)]);
    await storage.read([block(16)]);
    expect(asked).toHaveLength(before);
    await storage.read([block(4)]);
    expect(asked).toHaveLength(before + 1);
    // More than the cache holds is read all the same.
    const all = Array.from({ length: 301 }, (_, page) => page);
    const pages = await storage.read(all);
    expect(Buffer.concat(pages)).toEqual(fileOf("index.pages"));
    storage.close();
  });

  test("blocks that are kept cost no round trip another time, but for one that tells the version", async () => {
    const kept = (bytesMax: number) => async (version: string) => {
      const store = await Store.open({ make: PageStore, storage: nodeStorage(join(folder, "kept")), cacheBytes: 1 << 20 });
      return keptBlocks(store, version, bytesMax);
    };
    const pages = [2, 20, 100, 300];
    /** Requests that it takes to read them, and an extent. */
    const requests = async (bytesMax = 1 << 24): Promise<number> => {
      asked.length = 0;
      const storage = await httpStorage(url, { kept: kept(bytesMax) });
      const found = await storage.read(pages);
      pages.forEach((page, at) => expect(Buffer.from(found[at] ?? [])).toEqual(fileOf("index.pages").subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)));
      const [span] = await storage.readSpans([{ file: 0, offset: 100_000, length: 50 }]);
      expect(Buffer.from(span ?? [])).toEqual(fileOf("ext.0000").subarray(100_000, 100_050));
      await storage.close();
      return asked.length;
    };
    const first = await requests();
    expect(first).toBeGreaterThan(3);
    expect(await requests()).toBe(1);
    // Of another version nothing that is kept is of use.
    answer.tag = '"two"';
    expect(await requests()).toBe(first);
    expect(await requests()).toBe(1);
    // Some must go to make room for others; what is there is right all the same.
    expect(await requests(2 * BLOCK_BYTES)).toBe(1);
    answer.tag = '"three"';
    expect(await requests(2 * BLOCK_BYTES)).toBe(first);
    const again = await requests(2 * BLOCK_BYTES);
    expect(again).toBeLessThan(first);
    expect(again).toBeGreaterThan(1);
    // Damage here is mended from there.
    const index = join(folder, "kept", "index.pages");
    writeFileSync(index, readFileSync(index).map((byte, at) => (at > 4 * PAGE_BYTES && at % 64 === 0 ? byte ^ 255 : byte)));
    expect(await requests()).toBeGreaterThan(0);
  });

  test("a server that is overloaded for a while is asked again, and one that is gone is told of", async () => {
    const storage = await httpStorage(url);
    answer.failures = 2;
    const [page] = await storage.read([300]);
    expect(page).toHaveLength(PAGE_BYTES);
    expect(asked).toHaveLength(4);
    storage.close();
    answer.failures = 2;
    await expect(httpStorage(url)).rejects.toMatchObject({ code: "source/unreachable" });
    await expect(storage.read([200])).rejects.toMatchObject({ code: "store/closed" });
  });

  test("a store that was published without an extent has none, and one without pages is refused", async () => {
    files.delete("ext.0000");
    const storage = await httpStorage(url);
    expect((await storage.readSpans([{ file: 0, offset: 0, length: 9 }]))[0]).toHaveLength(0);
    storage.close();
    files.delete("index.pages");
    await expect(httpStorage(url)).rejects.toMatchObject({ code: "source/http-404" });
  });

  test("a file that changed, a server without ranges, and one that encodes are refused", async () => {
    const storage = await httpStorage(url);
    answer.tag = '"two"';
    await expect(storage.read([300])).rejects.toMatchObject({ code: "store/changed" });
    // What failed is not in the cache.
    await expect(storage.read([300])).rejects.toMatchObject({ code: "store/changed" });
    storage.close();
    answer.knowsRange = false;
    await expect(httpStorage(url)).rejects.toMatchObject({ code: "store/no-ranges" });
    answer = { ...answer, knowsRange: true, encodes: true };
    await expect(httpStorage(url)).rejects.toMatchObject({ code: "store/no-ranges" });
  });
});
