/** The library in Node, `stackroom/library`: in a folder. */
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import { listPath } from "../files.js";
import { nodeStorage } from "../store/nodefile.js";
import init, { KeptIndex, PageStore } from "../wasm/store.js";
import { markOf } from "./identity.js";
import type { KeptFile } from "./kept.js";
import { Library } from "./library.js";

const STORE = new URL("../wasm/store_bg.wasm", import.meta.url);

/** Opens the library in a folder, which is made where there is none. One process at a time can. */
export async function openLibrary(folder: string): Promise<Library> {
  await init({ module_or_path: await readFile(fileURLToPath(STORE)) });
  return Library.open({ storage: nodeStorage(folder), makeStore: PageStore, makeIndex: KeptIndex });
}

export { ArchiveError } from "../errors.js";
export type { ArchiveIndex, Group, GroupsAsked, NearestAsked, SortColumn, SortedRows, Tally } from "./archiveindex.js";
/** A file on disk, or all files of a folder, as a library knows them again. */
export async function describePath(path: string): Promise<KeptFile[]> {
  const listed = await listPath(path);
  const files: KeptFile[] = [];
  for (const { source, name } of listed ?? [{ source: path, name: basename(path) }]) files.push(await describeFile(String(source), name));
  return files;
}

async function describeFile(path: string, name: string): Promise<KeptFile> {
  const file = await open(path, "r");
  try {
    const { size, mtimeMs } = await file.stat();
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    };
    return { name, size, modified: Math.round(mtimeMs), mark: await markOf(size, read) };
  } finally {
    await file.close();
  }
}

export type { DocumentCounts, DocumentFacts, DocumentKind, DocumentLink, DocumentOrder, DocumentsAsked, KeptDocument, LinkKind, OtherKind } from "./documents.js";
export type { AddOptions } from "./keeping.js";
export type { Description, KeptArchive, KeptFile, LibraryFinding } from "./kept.js";
export type { Library } from "./library.js";
export type { FacetAsked, FacetValue, Hit, HitGroup, HitOrder, PlanStep, SearchAsked, SearchFound, SearchOptions, Stretch } from "./search.js";
