/**
 * Where a store is kept: the contract of every storage, tested on each.
 *
 * A store is one file of pages, written anywhere, and extents: files that are appended to and removed as a whole,
 * numbered from 0, of at most 256 MiB. Synchronous storages answer at once, so that nothing waits where nothing
 * has to; the others answer by promise.
 * S1  `write` of a batch with a superblock returns when the superblock is as durable as the platform makes it, and
 *     everything written before it, by this batch and by those without one, was durable before it.
 * S2  What is written is copied: the caller may use its bytes again.
 * S3  After a failed `write` the storage still holds the last commit.
 * S4  What is read of a place that was never written is short or empty, never an error; so is an extent that is not there.
 */

import { ArchiveError } from "../errors.js";

export const PAGE_BYTES = 4096;
/** An extent is at most this long. */
export const EXTENT_BYTES_MAX = 256 * 1024 * 1024;

/** Bytes of an extent. */
export interface Span {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** An extent that holds bytes. */
export interface ExtentFile {
  readonly file: number;
  readonly bytes: number;
}

/** Bytes for an extent, at its end; after a crash also over what no commit knows of. */
export interface Append {
  readonly file: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What to write; with a superblock it is a commit. */
export interface Batch {
  /** At most one for each extent. */
  readonly appends?: readonly Append[];
  readonly pages: Uint32Array;
  /** The pages' bytes, one after another. */
  readonly bytes: Uint8Array;
  /** Pages that follow each other, from this one on. */
  readonly superblock?: { readonly page: number; readonly bytes: Uint8Array };
}

type Now<T> = T;
type Later<T> = T | Promise<T>;

export interface PageStorage {
  /** The pages in the order of their numbers; empty where nothing was written. */
  read(pages: ArrayLike<number>): Later<Uint8Array[]>;
  /** Bytes of extents, in the order of the spans; short where an extent ends before. */
  readSpans(spans: readonly Span[]): Later<Uint8Array[]>;
  write(batch: Batch): Later<void>;
  /** Cuts the file of pages to so many: no commit refers to what comes after. */
  truncate(pages: number): Later<void>;
  /** Removes an extent that no commit and no reader refers to. */
  removeExtent(file: number): Later<void>;
  /** Pages up to the last that was written. */
  pages(): Later<number>;
  /** The extents that hold bytes, ascending. */
  extents(): Later<ExtentFile[]>;
  /**
   * Makes ready that these extents can be appended to. A store calls it for the one that it appends to and the next, when
   * it opens and whenever it begins an extent, and waits for it between its operations.
   */
  prepare(files: readonly number[]): Later<void>;
  close(): void;
}

export interface SyncPageStorage extends PageStorage {
  /** Fills `into` with a page, and gives how many bytes there were. */
  readPage(page: number, into: Uint8Array): Now<number>;
  /** The same with bytes of an extent. */
  readSpan(file: number, offset: number, into: Uint8Array): Now<number>;
  read(pages: ArrayLike<number>): Now<Uint8Array[]>;
  readSpans(spans: readonly Span[]): Now<Uint8Array[]>;
  write(batch: Batch): Now<void>;
  truncate(pages: number): Now<void>;
  pages(): Now<number>;
  extents(): Now<ExtentFile[]>;
}

export const isSync = (storage: PageStorage): storage is SyncPageStorage => "readPage" in storage;

/** A file that answers at once: a handle of the private file system, or a file of Node. */
export interface SyncFile {
  /** Bytes that were there to be read. */
  read(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  write(bytes: Uint8Array<ArrayBuffer>, options: { readonly at: number }): number;
  flush(): void;
  truncate(size: number): void;
  getSize(): number;
  close(): void;
}

export const NOTHING = new Uint8Array(0);

/** There is no room for what should be written. */
export function fullError(cause?: unknown): ArchiveError {
  return new ArchiveError("store/full", "There is no room left for this site's data: free some, or allow it more.", { cause });
}

/** Pages that follow each other, each with its number. */
export function* pagesOf(first: number, bytes: Uint8Array): Generator<[page: number, bytes: Uint8Array]> {
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) yield [first + at / PAGE_BYTES, bytes.slice(at, at + PAGE_BYTES)];
}
