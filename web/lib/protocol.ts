/**
 * Every message between the library and the engine: types and the version, no behaviour.
 * Adding a call here makes `engine.ts` fail to compile until it is served.
 */

import type { ArchiveFact, ArchiveFormat, ArchivePage, ArchivePart, CutForm, CutProgress, Damage, InspectedDamage, Progress, ReadProgress, RecordPart, RefusedFile } from "./shapes.js";

/** Page, worker and engine module must all be of this version. */
export const VERSION = "0.1.0";

/** Where bytes come from, in a form that can be posted. `path` is for Node. */
export type SourceRef =
  | { readonly kind: "blob"; readonly blob: Blob }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** With the size and version that were seen of it: whoever opens it then insists on these. */
  | { readonly kind: "url"; readonly url: string; readonly size?: number; readonly version?: string }
  | { readonly kind: "path"; readonly path: string };

/** One of the files of an archive, and what it is called. */
export interface NamedRef {
  readonly source: SourceRef;
  readonly name: string;
}

/** A file that is read in ranges by several engines. */
export interface LentFile {
  readonly source: SourceRef;
  readonly file: number;
}

/** A place of a record in an archive. */
export interface Place {
  readonly part: number;
  readonly offset: number;
  readonly skip: number;
}

/** Numbers of parts, the second one not included. */
export interface PartRange {
  readonly from: number;
  readonly to: number;
}

/** What is answered once. */
export interface Calls {
  /** `withTools`: the larger module is needed, so that the smaller one need not be fetched. */
  hello(request: { version: string; wasmUrl?: string; toolsUrl?: string; withTools?: boolean }): { version: string };
  /** Serves another engine, too. */
  lend(request: { port: MessagePort }): null;
  /** Serves another reader of the open archive, who can change nothing of it. */
  share(request: { port: MessagePort }): null;
  /** Makes a source known without indexing it, or a member of it; its records lie in part 0 then. */
  attach(request: { source: SourceRef; member?: string | undefined }): { format: ArchiveFormat };
  parts(request: { start: number }): ArchivePart[];
  pages(request: { start: number; count: number }): ArchivePage[];
  facts(request: Record<string, never>): ArchiveFact[];
  /** The row of a URL that was captured nearest to a time, as the engine writes it. */
  nearest(request: { url: string; captured?: number | undefined }): Uint8Array;
  refused(request: Record<string, never>): RefusedFile[];
  /** Rows as the engine writes them; of all records, or of a filter's. */
  rows(request: { filter?: number; start: number; count: number }): Uint8Array;
  /** Rows with the keys of their URLs, for an index that is kept. Of an archive that was opened `forKeeping`. */
  keyedRows(request: { start: number; count: number }): Uint8Array;
  /** What is known of an archive besides its rows, at the last place within its first records from which reading can go on. Likewise. */
  keptState(request: { records: number }): Uint8Array;
  /** Makes an archive of its state; its rows are to follow, then it goes on. */
  restore(request: { sources: readonly NamedRef[]; state: Uint8Array; documents?: DocumentsAsked }): { format: ArchiveFormat; records: number };
  /** Takes rows as an index keeps them, and says how far that is. */
  restoreRows(request: { rows: Uint8Array }): Progress;
  /** Headers as the engine writes them. */
  heads(request: Place): Uint8Array;
  /** Headers, and the body where it is here and has no more bytes than this. */
  short(request: Place & { limit: number }): { heads: Uint8Array; body?: Uint8Array };
  /** The row of the record that holds the payload of a revisit, as the engine writes it; empty where there is none. */
  original(request: Place): Uint8Array;
  damage(request: { start: number; count: number }): Damage[];
  /** Bytes of memory: the whole module, and the record table in it. */
  memory(request: Record<string, never>): { module: number; table: number };
  /** Bytes that helpers read in vain. */
  wasted(request: Record<string, never>): number;
  /** Gathers no more documents, and forgets those that were not taken. */
  stopHarvest(request: Record<string, never>): null;
  /** Says where the module is that reads documents; the rest of an engine is not needed for it. */
  greetReader(request: { version: string; documentsUrl?: string; pdfUrl?: string }): { version: string };
  /** Documents of what `harvest` gave, as the engine writes them. */
  readDocuments(request: { found: Uint8Array }): Uint8Array;
  closeFilter(request: { filter: number }): null;
  surt(request: { urls: readonly string[] }): string[];
  /** Fails where the query cannot be asked of single records. */
  checkQuery(request: { where: string }): null;
}

/** Which records are cut out of a source, and how they are written. */
export interface CutRequest {
  readonly source: SourceRef;
  readonly where: string;
  readonly gzip: boolean;
  readonly version: "1.0" | "1.1";
  /** Names of the source and of the file that is written; empty where there are none. */
  readonly name: string;
  readonly target: string;
  /** The member of the source that is meant; empty for all of it. */
  readonly member: string;
}

/** Which rows of the open archive are cut out of it. */
export interface CutRowsRequest {
  /** Where ranges begin, and how many rows they have, in turn; in the order of the archive. */
  readonly ranges: Float64Array;
  readonly form: CutForm;
  readonly version: "1.0" | "1.1";
  readonly target: string;
}

export type CutItem =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "progress"; readonly progress: CutProgress }
  | { readonly kind: "damage"; readonly damage: InspectedDamage };

export type CheckItem =
  | { readonly kind: "lines"; readonly lines: string }
  | { readonly kind: "progress"; readonly progress: ReadProgress };

export type OpenItem =
  | { readonly kind: "opened"; readonly format: ArchiveFormat }
  | { readonly kind: "progress"; readonly progress: Progress };

export interface FilterItem {
  readonly filter: number;
  readonly count: number;
  readonly scanned: number;
  readonly isComplete: boolean;
}

/** Whether documents are gathered, and when. */
export type DocumentsAsked = "none" | "while-reading" | "afterwards";

/** What is answered piece by piece, no faster than the caller takes it. */
export interface Streams {
  /** Reads files into one index. With `helpers`, lines to other engines, these read ranges of gzip archives at once. */
  open(request: { sources: readonly NamedRef[]; helpers?: readonly MessagePort[]; isForKeeping?: boolean; documents?: DocumentsAsked }): OpenItem;
  /** Goes on with an archive that is restored: reads what is not read yet. */
  goOn(request: { helpers?: readonly MessagePort[] }): OpenItem;
  /** How far indexing is, for another reader. */
  follow(request: Record<string, never>): OpenItem;
  /** Reads a range for another engine, and tells of it in reports of the engine. */
  range(request: LentFile & { job: Float64Array }): Uint8Array;
  /** Bodies of documents of an archive that is opened with `documents`, of rows from one on, as the engine gathers them: a lot each. */
  harvest(request: { from: number }): Uint8Array;
  filter(request: { text: string; parts?: PartRange | undefined }): FilterItem;
  read(request: Place & { what: RecordPart }): Uint8Array;
  /** Rows, in their order, that are read and asked what no index knows, each with what came of it: 1 where it holds, 0 where not, 2 where that is not known. */
  examine(request: { query: string; rows: Float64Array }): Uint32Array;
  /** What came of a record's digests, as JSON; one item. */
  verify(request: Place): string;
  /** JSON lines. Those of members say the file, and so do all of them where that is asked for. */
  inspect(request: NamedRef & { isAlwaysNamed: boolean; member?: string | undefined }): string;
  cut(request: CutRequest): CutItem;
  cutRows(request: CutRowsRequest): CutItem;
  /** JSON lines, a line a problem, and one that sums up; how far it is in between. */
  check(request: NamedRef & { isAlwaysNamed: boolean; member?: string | undefined }): CheckItem;
}

/** From the library to the engine. */
export type ToEngine =
  | { readonly id: number; readonly call: string; readonly request: unknown }
  | { readonly id: number; readonly stream: string; readonly request: unknown; readonly credit: number }
  | { readonly id: number; readonly credit: number }
  | { readonly id: number; readonly cancel: true };

/** From the engine to the library. */
export type FromEngine =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly item: unknown }
  | { readonly id: number; readonly end: true }
  | { readonly id: number; readonly error: { code: string; message: string; offset?: number } };
