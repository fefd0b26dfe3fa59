/**
 * Where the pages of a store are kept: memory, OPFS, IndexedDB. One contract, tested on each.
 *
 * A storage reads pages and carries out batches. Synchronous ones answer at once, so that nothing waits
 * where nothing has to; the others answer by promise.
 * S1  `write` of a batch with a superblock returns when the superblock is as durable as the browser makes it,
 *     and everything it refers to was durable before it.
 */

import { ArchiveError } from "../errors.js";

export const PAGE_BYTES = 4096;

/** Pages to write; with a superblock it is a commit. */
export interface Batch {
  readonly pages: Uint32Array;
  /** The pages' bytes, one after another. */
  readonly bytes: Uint8Array;
  readonly superblock?: { readonly page: number; readonly bytes: Uint8Array };
}

type Now<T> = T;
type Later<T> = T | Promise<T>;

export interface PageStorage {
  /** The pages in the order of their numbers; empty where nothing was written. */
  read(pages: ArrayLike<number>): Later<Uint8Array[]>;
  write(batch: Batch): Later<void>;
  close(): void;
}

export interface SyncPageStorage extends PageStorage {
  read(pages: ArrayLike<number>): Now<Uint8Array[]>;
  write(batch: Batch): Now<void>;
}

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

const NOTHING = new Uint8Array(0);

export function memoryStorage(): SyncPageStorage {
  const kept = new Map<number, Uint8Array>();
  return {
    read: (pages) => Array.from(pages, (page) => kept.get(page) ?? NOTHING),
    write({ pages, bytes, superblock }) {
      pages.forEach((page, at) => kept.set(page, bytes.slice(at * PAGE_BYTES, (at + 1) * PAGE_BYTES)));
      if (superblock) kept.set(superblock.page, superblock.bytes.slice());
    },
    close() {},
  };
}

/** Pages in a file, by a handle that was opened ahead of need. */
export function fileStorage(handle: SyncFile): SyncPageStorage {
  const readPage = (page: number): Uint8Array => {
    const bytes = new Uint8Array(PAGE_BYTES);
    const length = handle.read(bytes, { at: page * PAGE_BYTES });
    return length === PAGE_BYTES ? bytes : bytes.subarray(0, length);
  };
  return {
    read: (pages) => Array.from(pages, readPage),
    write({ pages, bytes, superblock }) {
      for (const run of runs(pages)) {
        const part = bytes.subarray(run.from * PAGE_BYTES, run.to * PAGE_BYTES);
        writeAll(handle, part, run.page * PAGE_BYTES);
      }
      if (!superblock) return;
      handle.flush();
      writeAll(handle, superblock.bytes, superblock.page * PAGE_BYTES);
      handle.flush();
    },
    close: () => handle.close(),
  };
}

function writeAll(handle: SyncFile, bytes: Uint8Array, at: number): void {
  if (handle.write(bytes as Uint8Array<ArrayBuffer>, { at }) !== bytes.length) {
    throw new ArchiveError("store/full", "There is no room left for this site's data: free some, or allow it more.");
  }
}

interface Run {
  readonly page: number;
  readonly from: number;
  to: number;
}

/** Neighbours in the file go out in one write: a call costs more than its bytes. */
function runs(pages: Uint32Array): Run[] {
  const found: Run[] = [];
  pages.forEach((page, at) => {
    const last = found.at(-1);
    if (last && page === last.page + (last.to - last.from)) last.to = at + 1;
    else found.push({ page, from: at, to: at + 1 });
  });
  return found;
}

/** Pages as values of an IndexedDB database, for browsers without the private file system. */
export async function idbStorage(name: string): Promise<PageStorage> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = (): void => {
      request.result.createObjectStore("pages");
    };
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(failure(request.error));
    request.onblocked = (): void => reject(new ArchiveError("store/locked", "Another tab keeps this store open."));
  });

  function transaction<T>(mode: IDBTransactionMode, durability: IDBTransactionDurability, use: (store: IDBObjectStore) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const running = database.transaction("pages", mode, { durability });
      const value = use(running.objectStore("pages"));
      running.oncomplete = (): void => resolve(value);
      running.onabort = (): void => reject(failure(running.error));
      if (mode === "readwrite") running.commit();
    });
  }

  return {
    async read(pages) {
      const found = await transaction("readonly", "relaxed", (store) => Array.from(pages, (page) => store.get(page)));
      return found.map((request) => (request.result as Uint8Array | undefined) ?? NOTHING);
    },
    // One transaction is atomic by itself, so pages and superblock go in together.
    write: ({ pages, bytes, superblock }) =>
      transaction("readwrite", superblock ? "strict" : "relaxed", (store) => {
        pages.forEach((page, at) => store.put(bytes.slice(at * PAGE_BYTES, (at + 1) * PAGE_BYTES), page));
        if (superblock) store.put(superblock.bytes, superblock.page);
      }),
    close: () => database.close(),
  };
}

function failure(error: DOMException | null): ArchiveError {
  if (error?.name === "QuotaExceededError") {
    return new ArchiveError("store/full", "There is no room left for this site's data: free some, or allow it more.", { cause: error });
  }
  return new ArchiveError("store/failed", `The browser's database failed${error ? `: ${error.message}` : ""}.`, { cause: error });
}
