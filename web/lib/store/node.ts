/** The store in Node, `stackroom/store`: the same, with folders of files. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import init, { PageStore } from "../wasm/store.js";
import { storeOpener } from "./opening.js";

const STORE = new URL("../wasm/store_bg.wasm", import.meta.url);

export const { openStore, rebuildStore } = storeOpener(async (wasmUrl) => {
  const url = wasmUrl === undefined ? STORE : new URL(wasmUrl);
  await init({ module_or_path: url.protocol === "file:" ? await readFile(fileURLToPath(url)) : await (await fetch(url)).arrayBuffer() });
  return PageStore;
});

export { nodeStorage } from "./nodefile.js";
export { ArchiveError } from "../errors.js";
export { httpStorage, type HttpOptions } from "./http.js";
export { memoryStorage } from "./memory.js";
export type { OpenStoreOptions } from "./opening.js";
export type { Finding } from "./packing.js";
export type { Part, PartOptions } from "./reader.js";
export type { PageStorage } from "./storage.js";
export type { Changes, Entry, Snapshot, Store } from "./store.js";
