/** A store that many ask at once: groups, failures to write, what is acknowledged and what is not. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ArchiveError } from "../../web/lib/errors.js";
import { nodeStorage } from "../../web/lib/store/nodefile.js";
import type { PageStorage } from "../../web/lib/store/storage.js";
import { Store, type StoreOptions } from "../../web/lib/store/store.js";
import init, { PageStore } from "../../web/lib/wasm/store.js";

let folder: string;
beforeAll(() => init({ module_or_path: readFileSync(new URL("../../web/lib/wasm/store_bg.wasm", import.meta.url)) }));
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "store-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined): string | undefined => found && new TextDecoder().decode(found);

/** Counts commits; `refuse` says which write fails. */
function watched(inner: PageStorage): PageStorage & { commits: number; refuse: () => Error | undefined } {
  return {
    ...inner,
    commits: 0,
    refuse: () => undefined,
    write(batch) {
      const error = this.refuse();
      if (error) throw error;
      if (batch.superblock) this.commits += 1;
      return inner.write(batch);
    },
  };
}

const open = (storage: PageStorage, more: Partial<StoreOptions> = {}): Promise<Store> => Store.open({ make: PageStore, storage, cacheBytes: 1 << 20, ...more });

test("changes that come together are acknowledged by one commit, and each is durable then", async () => {
  const storage = watched(nodeStorage(folder));
  const store = await open(storage);
  await store.put(bytes("first"), bytes("1"));
  expect(storage.commits).toBe(1);
  const many = Array.from({ length: 500 }, (_, n) => store.put(bytes(`key ${n}`), bytes(`value ${n}`)));
  await Promise.all(many);
  expect(storage.commits).toBe(2);
  expect(await store.remove(bytes("key 7"))).toBe(true);
  expect(await store.remove(bytes("key 7"))).toBe(false);
  await store.close();
  await store.close();
  await expect(store.put(bytes("late"), bytes("0"))).rejects.toMatchObject({ code: "store/closed" });

  const again = await open(nodeStorage(folder));
  expect(await again.count()).toBe(500);
  expect(text(await again.get(bytes("key 499")))).toBe("value 499");
  expect(await again.get(bytes("key 7"))).toBeUndefined();
  await again.close();
});

test("a full disk rejects what it concerns, leaves the old state, and the store goes on", async () => {
  const storage = watched(nodeStorage(folder));
  const store = await open(storage);
  await store.put(bytes("old"), bytes("there"));
  const full = new ArchiveError("store/full", "full");
  storage.refuse = () => full;
  const refused = [store.put(bytes("old"), bytes("lost")), store.put(bytes("new"), bytes("lost"))];
  for (const put of refused) await expect(put).rejects.toBe(full);
  expect(text(await store.get(bytes("old")))).toBe("there");
  expect(await store.get(bytes("new"))).toBeUndefined();
  storage.refuse = () => undefined;
  await store.put(bytes("new"), bytes("in"));
  await store.close();
  const again = await open(nodeStorage(folder));
  expect([text(await again.get(bytes("old"))), text(await again.get(bytes("new")))]).toEqual(["there", "in"]);
  await again.close();
});

test("what the guard forbids is not acknowledged", async () => {
  const fenced = new ArchiveError("tabs/fenced", "fenced");
  let isFenced = false;
  const guard: StoreOptions["guard"] = async (write) => {
    if (isFenced) throw fenced;
    return write();
  };
  let kept = 0;
  const store = await open(nodeStorage(folder), { guard, onKept: () => (kept += 1) });
  expect(kept).toBe(0);
  await store.put(bytes("a"), bytes("1"));
  await store.put(bytes("b"), bytes("1"));
  expect(kept).toBe(1);
  isFenced = true;
  await expect(store.put(bytes("c"), bytes("1"))).rejects.toBe(fenced);
  expect(await store.count()).toBe(2);
  await store.close();
});
