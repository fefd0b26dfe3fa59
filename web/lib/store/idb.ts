/**
 * A store in an IndexedDB database, for browsers and modes without the private file system: pages by number, extents
 * in blocks of 64 KiB by [file, block]. A transaction is atomic by itself, so a batch is one.
 *
 * F1  A storage that was opened for an epoch writes nothing once a higher one was raised: each transaction that writes
 *     looks at it first.
 */

import { ArchiveError } from "../errors.js";
import { fullError, NOTHING, PAGE_BYTES, pagesOf, type Append, type PageStorage, type Span } from "./storage.js";

const BLOCK_BYTES = 65536;
const EPOCH = "epoch";
const FENCED = "Another tab took over. Nothing of this was written.";
const STORES = ["pages", "extents", EPOCH];

export function openStoreDatabase(name: string): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = (): void => {
      for (const store of STORES) request.result.createObjectStore(store);
    };
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(failure(request.error));
    request.onblocked = (): void => reject(new ArchiveError("store/locked", "Another tab keeps this store open."));
  });
}

/** A higher epoch than any that was raised, and than `floor`; durable when it is there. */
export function raiseEpoch(database: IDBDatabase, floor: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const running = database.transaction(EPOCH, "readwrite", { durability: "strict" });
    const epochs = running.objectStore(EPOCH);
    const known = epochs.get(0);
    let epoch = 0;
    known.onsuccess = (): void => {
      epoch = Math.max((known.result as number | undefined) ?? 0, floor) + 1;
      epochs.put(epoch, 0);
    };
    running.oncomplete = (): void => resolve(epoch);
    running.onabort = (): void => reject(failure(running.error));
  });
}

/** `epoch`: writes only as long as no higher one was raised. */
export async function idbStorage(where: string | IDBDatabase, epoch?: number): Promise<PageStorage> {
  const database = typeof where === "string" ? await openStoreDatabase(where) : where;

  function transaction<T>(mode: IDBTransactionMode, durability: IDBTransactionDurability, use: (pages: IDBObjectStore, extents: IDBObjectStore) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const running = database.transaction(STORES, mode, { durability });
      let isFenced = false;
      if (mode === "readwrite" && epoch !== undefined) {
        const newest = running.objectStore(EPOCH).get(0);
        newest.onsuccess = (): void => {
          isFenced = newest.result !== epoch;
          if (isFenced) running.abort();
        };
      }
      const value = use(running.objectStore("pages"), running.objectStore("extents"));
      running.oncomplete = (): void => resolve(value);
      running.onabort = (): void => {
        if (isFull(running.error)) tidyUp(database);
        reject(isFenced ? new ArchiveError("tabs/fenced", FENCED) : failure(running.error));
      };
    });
  }

  return {
    async read(pages) {
      const found = await transaction("readonly", "relaxed", (store) => Array.from(pages, (page) => store.get(page)));
      return found.map((request) => (request.result as Uint8Array | undefined) ?? NOTHING);
    },
    async readSpans(spans) {
      const found = await transaction("readonly", "relaxed", (_, extents) =>
        spans.map(({ file, offset, length }) => extents.getAll(IDBKeyRange.bound([file, blockOf(offset)], [file, blockOf(offset + length)]))),
      );
      return spans.map((span, at) => cut(span, (found[at]?.result ?? []) as Uint8Array[]));
    },
    write: ({ appends, pages, bytes, superblock }) =>
      transaction("readwrite", superblock ? "strict" : "relaxed", (store, extents) => {
        for (const append of appends ?? []) put(extents, append);
        pages.forEach((page, at) => store.put(bytes.slice(at * PAGE_BYTES, (at + 1) * PAGE_BYTES), page));
        if (superblock) for (const [page, content] of pagesOf(superblock.page, superblock.bytes)) store.put(content, page);
      }),
    async truncate(pages) {
      await transaction("readwrite", "relaxed", (store) => store.delete(IDBKeyRange.lowerBound(pages)));
    },
    async removeExtent(file) {
      await transaction("readwrite", "relaxed", (_, extents) => extents.delete(IDBKeyRange.bound([file], [file, []])));
    },
    async pages() {
      const last = await transaction("readonly", "relaxed", (store) => store.openKeyCursor(null, "prev"));
      return last.result ? (last.result.key as number) + 1 : 0;
    },
    async extents() {
      const found: { file: number; bytes: number }[] = [];
      await transaction("readonly", "relaxed", (_, extents) => {
        const keys = extents.getAllKeys();
        keys.onsuccess = (): void => {
          const lastBlocks = new Map(keys.result as [number, number][]);
          for (const [file, block] of lastBlocks) {
            const last = extents.get([file, block]);
            last.onsuccess = (): void => void found.push({ file, bytes: block * BLOCK_BYTES + (last.result as Uint8Array).length });
          }
        };
      });
      return found;
    },
    prepare() {},
    close: () => database.close(),
  };
}

const blockOf = (offset: number): number => Math.floor(offset / BLOCK_BYTES);

/** The bytes of a span out of the blocks that it touches. */
function cut({ offset, length }: Span, blocks: readonly Uint8Array[]): Uint8Array {
  const start = offset - blockOf(offset) * BLOCK_BYTES;
  const [only] = blocks;
  if (blocks.length === 1 && only) return only.subarray(start, start + length);
  const whole = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole.subarray(start, start + length);
}

/** A block that is begun already is read, and written whole: a batch comes to each block once. */
function put(extents: IDBObjectStore, { file, offset, bytes }: Append): void {
  for (let at = 0; at < bytes.length; ) {
    const block = blockOf(offset + at);
    const start = offset + at - block * BLOCK_BYTES;
    const part = bytes.slice(at, at + BLOCK_BYTES - start);
    at += part.length;
    if (start === 0) {
      extents.put(part, [file, block]);
      continue;
    }
    const before = extents.get([file, block]);
    before.onsuccess = (): void => {
      const whole = new Uint8Array(start + part.length);
      whole.set(((before.result as Uint8Array | undefined) ?? NOTHING).subarray(0, start));
      whole.set(part, start);
      extents.put(whole, [file, block]);
    };
  }
}

/** After one that was too large, Firefox lets a single transaction delete and nothing else: it passes here. */
function tidyUp(database: IDBDatabase): void {
  try {
    database.transaction("pages", "readwrite", { durability: "relaxed" }).objectStore("pages").delete(-1);
  } catch {
    // Closed meanwhile.
  }
}

const isFull = (error: unknown): boolean => error instanceof DOMException && error.name === "QuotaExceededError";

function failure(error: DOMException | null): ArchiveError {
  if (isFull(error)) return fullError(error);
  return new ArchiveError("store/failed", `The browser's database failed${error ? `: ${error.message}` : ""}.`, { cause: error });
}
