/**
 * The library in browsers, `stackroom/library`: one for all tabs, for pages; and one of a worker's own, on the first kind
 * of storage that works there.
 */
import { openStorage, type StorageKind } from "../store/index.js";
import init, { KeptIndex, PageStore } from "../wasm/store.js";
import { Library } from "./library.js";

export interface OpenLibraryOptions {
  /** Kinds of storage to try, the best first; all there are where they are left out. */
  readonly kinds?: readonly StorageKind[] | undefined;
  /** Where `store_bg.wasm` is, if not beside the library. */
  readonly wasmUrl?: string | URL | undefined;
}

/** Opens the library of that name. One worker at a time can. */
export async function openLibrary(name: string, { kinds, wasmUrl }: OpenLibraryOptions = {}): Promise<Library> {
  await init(wasmUrl === undefined ? undefined : { module_or_path: wasmUrl });
  const { storage } = await openStorage(name, kinds);
  return Library.open({ storage, makeStore: PageStore, makeIndex: KeptIndex });
}

export { ArchiveError } from "../errors.js";
export type { ArchiveIndex, Group, GroupsAsked, NearestAsked, SortColumn, SortedRows, Tally } from "./archiveindex.js";
export { describeFile } from "./identity.js";
export type { DocumentCounts, DocumentFacts, DocumentKind, DocumentLink, DocumentOrder, DocumentsAsked, KeptDocument, LinkKind, OtherKind } from "./documents.js";
export type { AddOptions } from "./keeping.js";
export type { CopyOptions, CopySource } from "./copies.js";
export type { Description, KeptArchive, KeptCopy, KeptFile, LibraryFinding } from "./kept.js";
export type { Library } from "./library.js";
export type { FacetAsked, FacetValue, Hit, HitGroup, HitOrder, PlanStep, SearchAsked, SearchFound, SearchOptions, Stretch } from "./search.js";
export { serveLibrary, type ServeOptions } from "./serving.js";
export { openSharedLibrary, type SharedIndex, type SharedLibrary, type SharedLibraryOptions } from "./shared.js";
export type { Room } from "../store/room.js";
export type { StorageKind } from "../store/index.js";
