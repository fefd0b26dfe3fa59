/** The store in browsers, `stackroom/store`: for a worker, since only there the private file system answers at once. */
import init, { PageStore } from "../wasm/store.js";
import { idbStorage } from "./idb.js";
import { chooseStorage, type Rung, type StorageKind } from "./ladder.js";
import { memoryStorage } from "./memory.js";
import { storeOpener } from "./opening.js";
import { opfsStorage } from "./opfs.js";
import type { PageStorage } from "./storage.js";

export const { openStore, rebuildStore } = storeOpener(async (wasmUrl) => {
  await init(wasmUrl === undefined ? undefined : { module_or_path: wasmUrl });
  return PageStore;
});

/**
 * The storage of that name, where it was kept before; a new one on the first of `kinds` that works in this browser: all
 * there are, the best first, where they are left out.
 */
export async function openStorage(name: string, kinds?: readonly StorageKind[]): Promise<Rung & { readonly storage: PageStorage }> {
  const rung = await chooseStorage(kinds, name);
  if (rung.kind === "memory") return { ...rung, storage: memoryStorage() };
  return { ...rung, storage: rung.kind === "opfs" ? await opfsStorage(name) : await idbStorage(name) };
}

export { chooseStorage };
export type { Rung, StorageKind };
export { ArchiveError } from "../errors.js";
export { httpStorage, type HttpOptions } from "./http.js";
export { memoryStorage } from "./memory.js";
export type { OpenStoreOptions } from "./opening.js";
export type { Finding } from "./packing.js";
export type { Part, PartOptions } from "./reader.js";
export type { PageStorage } from "./storage.js";
export type { Changes, Entry, Snapshot, Store } from "./store.js";
