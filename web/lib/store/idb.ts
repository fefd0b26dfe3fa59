/**
 * A store in an IndexedDB database, for browsers and modes without the private file system: pages by number, extents
 * in blocks of 64 KiB by [file, block].
 *
 * F1  A storage that was opened for an epoch writes nothing once another followed it. `epochs` has an entry for each
 *     epoch with the one that it followed, and one of whoever writes, which claims to follow likewise: as no two
 *     entries may follow the same, what writes too late fails.
 * F2  A transaction is begun and committed in one go, so that it ends without its tab: one that waits for its tab
 *     locks the database for as long as that tab is frozen. What must be known is read in one before. In WebKit none
 *     ends without its tab: see `COMMITS_ALONE`.
 * F3  Firefox carries out what is committed so even if a request in it failed, all but the last: that is the claim.
 *     So a superblock is written in a transaction of its own, when all that it refers to is known to be there.
 */

import { ArchiveError } from "../errors.js";
import { fullError, NOTHING, PAGE_BYTES, pagesOf, type Append, type PageStorage, type Span } from "./storage.js";

const BLOCK_BYTES = 65536;
const FENCED = "Another tab took over. Nothing of this was written.";
const DATA = ["pages", "extents"];
const EPOCHS = "epochs";
const STORES = [...DATA, EPOCHS];
/** The key of whoever writes; epochs are above it. */
const WRITER = 0;
/** An owner that sleeps while so many others come is fenced by its lock alone. */
const EPOCHS_KEPT = 10_000;
/**
 * WebKit carries out a commit only when the tab has heard of every request before it, so that asking for it gains nothing.
 * And a worker that is ended in between, as one that hangs is, leaves the database locked until the browser is closed:
 * what was not asked to be committed is given up then. Nothing that a browser can be tried for tells it in time.
 */
const COMMITS_ALONE = !/AppleWebKit(?!.*Chrome)/.test(navigator.userAgent);

export function openStoreDatabase(name: string): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = (): void => {
      for (const store of DATA) request.result.createObjectStore(store);
      request.result.createObjectStore(EPOCHS).createIndex("follows", "follows", { unique: true });
    };
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(failure(request.error));
    request.onblocked = (): void => reject(new ArchiveError("store/locked", "Another tab keeps this store open."));
  });
}

/** A higher epoch than any that was raised, and than `floor`; durable when it is there. */
export async function raiseEpoch(database: IDBDatabase, floor: number): Promise<number> {
  for (;;) {
    const [last] = await run(database, "readonly", "relaxed", (running) => [running.objectStore(EPOCHS).openKeyCursor(null, "prev")]);
    const newest = (last?.key as number | undefined) ?? WRITER;
    const epoch = Math.max(newest, floor) + 1;
    try {
      await run<unknown>(database, "readwrite", "strict", (running): IDBRequest[] => {
        const epochs = running.objectStore(EPOCHS);
        const outdated = IDBKeyRange.upperBound(Math.max(WRITER, newest - EPOCHS_KEPT));
        return [epochs.delete(outdated), epochs.add({ follows: newest }, epoch)];
      });
      return epoch;
    } catch (error) {
      if (!(await isFollowed(database, newest).catch(() => false))) throw failure(error);
    }
  }
}

async function isFollowed(database: IDBDatabase, epoch: number): Promise<boolean> {
  const [follower] = await run(database, "readonly", "relaxed", (running) => [running.objectStore(EPOCHS).index("follows").getKey(epoch)]);
  return follower !== undefined && follower !== WRITER;
}

/** The results of what `ask` asks for, in one transaction, when that is over. */
function run<T>(database: IDBDatabase, mode: IDBTransactionMode, durability: IDBTransactionDurability, ask: (running: IDBTransaction) => IDBRequest<T>[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const running = database.transaction(STORES, mode, { durability });
    let requests: IDBRequest<T>[];
    try {
      requests = ask(running);
    } catch (error) {
      running.abort();
      throw error;
    }
    running.oncomplete = (): void => void Promise.all(requests.map(settled)).then(resolve, reject);
    running.onabort = (): void => reject(requests.flatMap(errorOf).find(isFull) ?? running.error);
    if (COMMITS_ALONE) running.commit();
  });
}

/** Chromium hands large results over after the transaction's end. */
function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (): void => (request.error ? reject(request.error) : resolve(request.result));
    if (request.readyState === "done") settle();
    else request.onsuccess = request.onerror = settle;
  });
}

/** None of one that was not come to. */
const errorOf = (request: IDBRequest): DOMException[] => (request.readyState === "done" && request.error ? [request.error] : []);

/** `epoch`: writes only as long as no other followed it. */
export async function idbStorage(where: string | IDBDatabase, epoch?: number): Promise<PageStorage> {
  const database = typeof where === "string" ? await openStoreDatabase(where) : where;
  /** The begun blocks at the ends of extents. */
  let tails = new Map<number, Tail>();

  async function read<T>(ask: (pages: IDBObjectStore, extents: IDBObjectStore) => IDBRequest<T>[]): Promise<T[]> {
    try {
      return await run(database, "readonly", "relaxed", (running) => ask(running.objectStore("pages"), running.objectStore("extents")));
    } catch (error) {
      throw failure(error);
    }
  }

  async function write(durability: IDBTransactionDurability, ask: (pages: IDBObjectStore, extents: IDBObjectStore) => IDBRequest[]): Promise<void> {
    try {
      await run<unknown>(database, "readwrite", durability, (running) => {
        const requests = ask(running.objectStore("pages"), running.objectStore("extents"));
        if (epoch !== undefined) requests.push(running.objectStore(EPOCHS).put({ follows: epoch }, WRITER));
        return requests;
      });
    } catch (error) {
      tails.clear();
      if (epoch !== undefined && (await isFollowed(database, epoch).catch(() => false))) throw new ArchiveError("tabs/fenced", FENCED, { cause: error });
      if (isFull(error)) tidyUp(database);
      throw failure(error);
    }
  }

  /** The blocks that appends go on with, as far as they are not known. */
  async function learnTails(appends: readonly Append[]): Promise<void> {
    const unknown = appends.filter((append) => startOf(append) > 0 && !isTail(tails.get(append.file), append));
    if (unknown.length === 0) return;
    const found = await read<Uint8Array | undefined>((_, extents) => unknown.map(({ file, offset }) => extents.get([file, blockOf(offset)])));
    unknown.forEach(({ file, offset }, at) => tails.set(file, { block: blockOf(offset), bytes: found[at] ?? NOTHING }));
  }

  return {
    async read(pages) {
      const found = await read<Uint8Array | undefined>((store) => Array.from(pages, (page) => store.get(page)));
      return found.map((page) => page ?? NOTHING);
    },
    async readSpans(spans) {
      const blocks = await read<Uint8Array[]>((_, extents) =>
        spans.map(({ file, offset, length }) => extents.getAll(IDBKeyRange.bound([file, blockOf(offset)], [file, blockOf(offset + length)]))),
      );
      return spans.map((span, at) => cut(span, blocks[at] ?? []));
    },
    async write({ appends = [], pages, bytes, superblock }) {
      if (appends.length > 0) await learnTails(appends);
      if (appends.length > 0 || pages.length > 0) {
        const ends = new Map<number, Tail>();
        await write("relaxed", (store, extents) => [
          ...appends.flatMap((append) => put(extents, append, tails.get(append.file), ends)),
          ...Array.from(pages, (page, at) => store.put(bytes.slice(at * PAGE_BYTES, (at + 1) * PAGE_BYTES), page)),
        ]);
        if (ends.size > 0) tails = ends;
      }
      if (superblock) await write("strict", (store) => Array.from(pagesOf(superblock.page, superblock.bytes), ([page, content]) => store.put(content, page)));
    },
    truncate: (pages) => write("relaxed", (store) => [store.delete(IDBKeyRange.lowerBound(pages))]),
    removeExtent: (file) => write("relaxed", (_, extents) => [extents.delete(IDBKeyRange.bound([file], [file, []]))]),
    async pages() {
      const [last] = await read((store) => [store.openKeyCursor(null, "prev")]);
      return last ? (last.key as number) + 1 : 0;
    },
    async extents() {
      const [keys] = await read((_, extents) => [extents.getAllKeys()]);
      const lastBlocks = [...new Map(keys as [number, number][])];
      const found = await read<Uint8Array | undefined>((_, extents) => lastBlocks.map((key) => extents.get(key)));
      return lastBlocks.map(([file, block], at) => ({ file, bytes: block * BLOCK_BYTES + (found[at] ?? NOTHING).length }));
    },
    prepare() {},
    close: () => database.close(),
  };
}

const blockOf = (offset: number): number => Math.floor(offset / BLOCK_BYTES);
const startOf = ({ offset }: { readonly offset: number }): number => offset % BLOCK_BYTES;

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

interface Tail {
  readonly block: number;
  readonly bytes: Uint8Array;
}

const isTail = (tail: Tail | undefined, append: Append): boolean =>
  tail !== undefined && tail.block === blockOf(append.offset) && tail.bytes.length >= startOf(append);

/** A block that is begun already is written whole. The last one goes into `ends`. */
function put(extents: IDBObjectStore, { file, offset, bytes }: Append, tail: Tail | undefined, ends: Map<number, Tail>): IDBRequest[] {
  const requests: IDBRequest[] = [];
  for (let at = 0; at < bytes.length; ) {
    const block = blockOf(offset + at);
    const start = startOf({ offset: offset + at });
    const taken = Math.min(bytes.length - at, BLOCK_BYTES - start);
    const whole = new Uint8Array(start + taken);
    if (start > 0 && tail) whole.set(tail.bytes.subarray(0, start));
    whole.set(bytes.subarray(at, at + taken), start);
    ends.set(file, { block, bytes: whole });
    requests.push(extents.put(whole, [file, block]));
    at += taken;
  }
  return requests;
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

function failure(error: unknown): ArchiveError {
  if (isFull(error)) return fullError(error);
  const why = error instanceof Error ? `: ${error.message}` : "";
  return new ArchiveError("store/failed", `The browser's database failed${why}.`, { cause: error });
}
