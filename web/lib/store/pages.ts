/**
 * A store over a page storage: runs the engine's operations, reads the pages that they miss, writes what
 * they must spill or commit. Knows nothing of what the pages hold.
 *
 * Every operation is a loop that stops where a storage must be waited for; on synchronous storages it
 * never does. `calls` and `reads` are counted, since they are what a design can promise.
 */

import { ArchiveError } from "../errors.js";
import type { PageStore } from "../wasm/tools.js";
import type { Batch, PageStorage, SyncPageStorage } from "./storage.js";

const DONE = 0;
const MISSING = 1;
const MUST_SPILL = 2;
const TOO_LARGE = 3;
const NOT_THERE = 4;

const NOTHING = new Uint8Array(0);

/** What an operation waits for: pages to read or a batch to write. */
type Need = { readonly read: Uint32Array } | { readonly write: Batch };
type Operation<T> = Generator<Need, T, Uint8Array[] | undefined>;

/** The engine's store class, once its module is loaded. */
export type MakeStore = new (
  first: Uint8Array,
  second: Uint8Array,
  cachePages: number,
  salt: Uint8Array,
  records: number,
  bytes: number,
) => PageStore;

export interface StoreShape {
  readonly cachePages: number;
  /** What a new store is made for; it grows and shrinks with what comes all the same. */
  readonly expected?: { readonly records: number; readonly bytes: number };
}

export class Pages {
  /** Calls of the engine, and pages read for them. */
  calls = 0;
  reads = 0;
  readonly #store: PageStore;

  private constructor(store: PageStore) {
    this.#store = store;
  }

  static *opening(make: MakeStore, { cachePages, expected }: StoreShape): Operation<Pages> {
    const [first, second] = (yield { read: Uint32Array.of(0, 1) }) ?? [];
    // Who chooses the keys must not know the salt, or all of them could be made to lie in one bucket.
    const salt = crypto.getRandomValues(new Uint8Array(16));
    const [records, bytes] = [expected?.records ?? 0, expected?.bytes ?? 0];
    const pages = new Pages(new make(first ?? NOTHING, second ?? NOTHING, cachePages, salt, records, bytes));
    yield* pages.#run(() => pages.#store.open());
    return pages;
  }

  /** The bucket of a key: many entries that are put in this order touch each page once. */
  bucketOf(key: Uint8Array): number {
    return this.#store.bucket_of(key);
  }

  *put(key: Uint8Array, value: Uint8Array): Operation<void> {
    const outcome = yield* this.#run(() => this.#store.put(key, value));
    if (outcome === TOO_LARGE) throw new ArchiveError("store/too-large", "The entry is larger than a page.");
    if (outcome !== DONE) throw new ArchiveError("store/full", "The store has as many pages as it can have.");
  }

  /** False where the key was not there. */
  *remove(key: Uint8Array): Operation<boolean> {
    return (yield* this.#run(() => this.#store.remove(key))) !== NOT_THERE;
  }

  *get(key: Uint8Array): Operation<Uint8Array | undefined> {
    yield* this.#run(() => this.#store.get(key));
    return this.#store.value();
  }

  /**
   * The value, or null where there is none, if the pages that tell are resident: one plain call.
   * Undefined where `get` must fetch pages first.
   */
  getResident(key: Uint8Array): Uint8Array | null | undefined {
    this.calls += 1;
    return this.#store.get(key) === DONE ? (this.#store.value() ?? null) : undefined;
  }

  /** The next entries of the scan as the engine writes them; empty at its end. */
  *scan(limit: number): Operation<Uint8Array> {
    yield* this.#run(() => this.#store.scan(limit));
    return this.#store.value() ?? new Uint8Array(0);
  }

  rewind(): void {
    this.#store.rewind();
  }

  *commit(): Operation<void> {
    this.#store.commit();
    yield* this.#writeOut();
  }

  /** Entries of the store. */
  get count(): number {
    return this.#store.count();
  }

  get generation(): number {
    return this.#store.generation();
  }

  free(): void {
    this.#store.free();
  }

  *#run(attempt: () => number): Operation<number> {
    for (;;) {
      this.calls += 1;
      const outcome = attempt();
      if (outcome === MISSING) {
        const missing = this.#store.missing();
        this.reads += missing.length;
        const found = (yield { read: missing }) ?? [];
        missing.forEach((page, at) => {
          if (!this.#store.provide(page, found[at] ?? new Uint8Array(0))) {
            throw new ArchiveError("store/damaged", "A page of the store is damaged: the index must be built again.", { offset: page * 4096 });
          }
        });
      } else if (outcome === MUST_SPILL) {
        this.#store.spill();
        yield* this.#writeOut();
      } else {
        return outcome;
      }
    }
  }

  *#writeOut(): Operation<void> {
    const superblock = this.#store.batch_superblock();
    const batch: Batch = {
      pages: this.#store.batch_pages(),
      bytes: this.#store.batch_bytes(),
      ...(superblock && { superblock: { page: this.#store.batch_superblock_page(), bytes: superblock } }),
    };
    yield { write: batch };
    this.#store.confirm();
  }
}

/** Runs an operation to its end on a storage that answers at once. */
export function runNow<T>(operation: Operation<T>, storage: SyncPageStorage): T {
  let step = operation.next();
  while (!step.done) {
    const need = step.value;
    step = operation.next("read" in need ? storage.read(need.read) : (storage.write(need.write), undefined));
  }
  return step.value;
}

/** Runs an operation to its end on any storage. */
export async function run<T>(operation: Operation<T>, storage: PageStorage): Promise<T> {
  let step = operation.next();
  while (!step.done) {
    const need = step.value;
    step = operation.next("read" in need ? await storage.read(need.read) : ((await storage.write(need.write)), undefined));
  }
  return step.value;
}
