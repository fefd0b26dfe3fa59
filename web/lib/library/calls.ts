/** What a tab asks of the worker that owns the library: types, no behaviour. */

import type { Capture, RecordRow } from "../shapes.js";
import type { StorageKind } from "../store/ladder.js";
import type { Finding } from "../store/packing.js";
import type { Room } from "../store/room.js";
import type { Group, GroupsAsked, NearestAsked, SortedRows, Tally } from "./archiveindex.js";
import type { DocumentCounts, DocumentLink, DocumentsAsked, KeptDocument } from "./documents.js";
import type { DocumentLot } from "./feed.js";
import type { ArchiveNow, Begun } from "./keeping.js";
import type { SearchStep, SearchStepAsked } from "./examining.js";
import type { ArchiveNamed, BeginOptions, Description, KeptArchive, KeptCopy, LibraryFinding } from "./kept.js";

type Nothing = Record<string, never>;
interface One {
  readonly id: number;
}

/** Of the index of an archive, as `ArchiveIndex` has them. */
export interface IndexCalls {
  rows(request: One & { readonly from: number; readonly count: number }): RecordRow[];
  sorted(request: One & { readonly asked: SortedRows }): RecordRow[];
  captures(request: One & { readonly urlKey: string; readonly from: number; readonly count: number }): { readonly total: number; readonly rows: RecordRow[] };
  nearest(request: One & { readonly urlKey: string; readonly asked: NearestAsked }): Capture[];
  timeline(request: One & { readonly times: readonly number[] }): Tally[];
  period(request: One): { readonly from: number; readonly to: number } | undefined;
  hosts(request: One & { readonly under: string; readonly asked: GroupsAsked }): Group[];
  values(request: One & { readonly column: "status" | "mime" | "type"; readonly asked: GroupsAsked }): Group[];
  documents(request: One & { readonly asked: DocumentsAsked }): KeptDocument[];
  documentOf(request: One & { readonly row: number }): KeptDocument | undefined;
  text(request: One & { readonly row: number }): string;
  links(request: One & { readonly row: number }): DocumentLink[];
  documentCounts(request: One): DocumentCounts | undefined;
  search(request: One & { readonly asked: SearchStepAsked }): SearchStep;
  verifyIndex(request: One): Finding[];
}

export interface LibraryCalls extends IndexCalls {
  kind(request: Nothing): StorageKind;
  room(request: Nothing): Room;
  list(request: Nothing): KeptArchive[];
  begin(request: ArchiveNamed & BeginOptions): Begun;
  keep(request: One & { readonly from: number; readonly rows: Uint8Array }): { readonly count: number; readonly isFull: boolean };
  keepDocuments(request: One & { readonly lot: DocumentLot }): null;
  commit(request: One & { readonly now: ArchiveNow }): KeptArchive;
  state(request: One): Uint8Array | undefined;
  storedRows(request: One & { readonly from: number; readonly count: number }): Uint8Array;
  leave(request: One): null;
  describe(request: One & { readonly description: Description }): KeptArchive;
  noteCopy(request: One & { readonly copy?: KeptCopy | undefined }): KeptArchive;
  touch(request: One): KeptArchive;
  remove(request: One): boolean;
  verify(request: Nothing): LibraryFinding[];
  compact(request: Nothing): null;
}

/** What says the same whichever owner is asked, and however often. */
export const REPEATABLE: ReadonlySet<string> = new Set<keyof LibraryCalls>([
  "kind", "room", "list", "state", "storedRows", "describe", "noteCopy", "touch", "verify",
  "rows", "sorted", "captures", "nearest", "timeline", "period", "hosts", "values", "verifyIndex",
  "documents", "documentOf", "text", "links", "documentCounts", "search",
]);

/** On which every tab hears that the library is not what it was. */
export const changesChannel = (name: string): string => `stackroom changes ${name}`;
