/** The library in Node, `stackroom/library`: in a folder. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { nodeStorage } from "../store/nodefile.js";
import init, { KeptIndex, PageStore } from "../wasm/store.js";
import { Library } from "./library.js";

const STORE = new URL("../wasm/store_bg.wasm", import.meta.url);

/** Opens the library in a folder, which is made where there is none. One process at a time can. */
export async function openLibrary(folder: string): Promise<Library> {
  await init({ module_or_path: await readFile(fileURLToPath(STORE)) });
  return Library.open({ storage: nodeStorage(folder), makeStore: PageStore, makeIndex: KeptIndex });
}

export { ArchiveError } from "../errors.js";
export type { ArchiveIndex, Group, GroupsAsked, SortColumn, SortedRows, Tally } from "./archiveindex.js";
export type { AddOptions } from "./keeping.js";
export type { Description, KeptArchive, KeptFile, LibraryFinding } from "./kept.js";
export type { Library } from "./library.js";
