/**
 * A store that many ask at once: operations go one after another, changes are acknowledged in groups.
 *
 * G1  A change is acknowledged when a commit that holds it is durable. What comes while one is written goes into the next.
 * G2  When something cannot be written, every change since the last commit is rejected with the reason, and the store
 *     goes on from that commit.
 * G3  A look-up sees the changes that were asked for before it.
 * G4  The changes of a batch are in one commit, or in none.
 */

import { ArchiveError } from "../errors.js";
import type { Finding } from "./packing.js";
import { Pages, run, type MakeStore, type Operation, type StoreShape } from "./pages.js";
import { Reader } from "./reader.js";
import { isSync, type PageStorage } from "./storage.js";
import { Turns } from "./turns.js";

export interface StoreOptions extends StoreShape {
  readonly make: MakeStore;
  readonly storage: PageStorage;
  /** Carries out what commits, and throws where it may not be acknowledged. */
  readonly guard?: (<T>(write: () => Promise<T>) => Promise<T>) | undefined;
  /** The first commit with something in it is durable. */
  readonly onKept?: (() => void) | undefined;
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array];

/** Changes that are made together. Of the same key the last counts; removals come first. */
export interface Changes {
  readonly remove?: readonly Uint8Array[];
  readonly put?: readonly Entry[];
}

/** A life lasts from one opening to the failure that ends it. */
interface Life {
  readonly pages: Pages;
  failure?: unknown;
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Entries of a bulk load that are put and committed together. */
const LOAD_BYTES = 4 * 1024 * 1024;
const ENTRY_BYTES = 16;
/** Nobody's view but that of all there is. */
const NOW = 0;

export class Store extends Reader {
  readonly #options: StoreOptions;
  #life: Life;
  #lane: Promise<unknown> = Promise.resolve();
  #group: Promise<Life> | undefined;
  #hasChanges = false;
  #wasKept = false;
  #isClosed = false;
  /** Where a storage answers at once; the others give way whenever they are waited for. */
  readonly #turns: Turns | undefined;

  private constructor(options: StoreOptions, pages: Pages) {
    super((operation) => this.#next(({ pages }) => this.#run(operation(pages, NOW))));
    this.#options = options;
    this.#life = { pages };
    this.#turns = isSync(options.storage) ? new Turns() : undefined;
  }

  static async open(options: StoreOptions): Promise<Store> {
    return new Store(options, await openPages(options));
  }

  /** Makes the index anew, of a store that cannot be opened or has damaged pages. Tells what was damaged. */
  static async rebuild(options: StoreOptions): Promise<{ store: Store; findings: Finding[] }> {
    const { make, storage, guard } = options;
    const [filePages, extents] = [await storage.pages(), await storage.extents()];
    const rebuild = () => run(Pages.rebuilding(make, options, filePages, extents), storage, true);
    const { pages, findings } = await (guard ? guard(rebuild) : rebuild());
    return { store: new Store(options, pages), findings };
  }

  /** Entries that it holds. */
  count(): Promise<number> {
    return this.#next(async ({ pages }) => pages.count);
  }

  put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#change(({ pages }) => this.#run(pages.put(key, value)));
  }

  /** Puts a value in place of another. False where the key was not there. */
  update(key: Uint8Array, value: Uint8Array): Promise<boolean> {
    return this.#change(async ({ pages }) => {
      const isThere = await this.#run(pages.contains(key));
      if (isThere) await this.#run(pages.put(key, value));
      return isThere;
    });
  }

  /** Puts a value that comes in pieces, of which few are in memory at once. It is there when all of it is. */
  async putPieces(key: Uint8Array, pieces: Pieces): Promise<void> {
    const { life, writer } = await this.#next(async (now) => ({ life: now, writer: now.pages.begin(key) }));
    const same = (now: Life): Pages => {
      if (now !== life) throw interrupted(life.failure);
      return now.pages;
    };
    try {
      for await (const piece of pieces) await this.#next((now) => this.#run(same(now).write(writer, piece)));
    } catch (error) {
      await this.#next(async (now) => same(now).abort(writer)).catch(() => {});
      throw error;
    }
    await this.#change((now) => this.#run(same(now).finish(writer)));
  }

  /** False where the key was not there. */
  remove(key: Uint8Array): Promise<boolean> {
    return this.#change(({ pages }) => this.#run(pages.remove(key)));
  }

  /** Makes all of the changes, or none. */
  batch({ remove = [], put = [] }: Changes): Promise<void> {
    return this.#change(({ pages }) => this.#run(changing(pages, remove, put)), true);
  }

  /** Puts entries of any number and order, some megabytes in a commit. Gives how many. */
  async load(entries: AsyncIterable<Entry> | Iterable<Entry>): Promise<number> {
    let [batch, bytes, count]: [Entry[], number, number] = [[], 0, 0];
    const putBatch = async (): Promise<void> => {
      const full = batch;
      [batch, bytes] = [[], 0];
      if (full.length > 0) await this.#change(({ pages }) => this.#run(pages.putMany(full)), true);
    };
    for await (const entry of entries) {
      batch.push(entry);
      bytes += entry[0].length + entry[1].length + ENTRY_BYTES;
      count += 1;
      if (bytes >= LOAD_BYTES) await putBatch();
    }
    await putBatch();
    return count;
  }

  /** All that was acknowledged by now, whatever is changed later. Until it is released, its pages are not used again. */
  async snapshot(): Promise<Snapshot> {
    const { life, view } = await this.#next(async (now) => {
      await this.#commit(now);
      if (!now.pages.isSettled) await this.#guarded(() => this.#run(now.pages.settle()));
      return { life: now, view: now.pages.snapshot() };
    });
    const ask = <T>(operation: (pages: Pages, view: number) => Operation<T>): Promise<T> =>
      this.#next((now) => {
        if (now !== life) throw interrupted(life.failure);
        return this.#run(operation(now.pages, view));
      });
    return new Snapshot(ask);
  }

  /** A value piece by piece, as it was when this began, from a byte on. Nothing comes where there is none. */
  async *pieces(key: Uint8Array, from = 0): AsyncGenerator<Uint8Array> {
    const snapshot = await this.snapshot();
    try {
      for (let at = from; ; ) {
        const piece = await snapshot.read(key, at);
        if (!piece || piece.bytes.length === 0) return;
        yield piece.bytes;
        at += piece.bytes.length;
        if (at >= piece.total) return;
      }
    } finally {
      await snapshot.release();
    }
  }

  /** Everything that is wrong: structure, and checksums of all pages and extents. */
  verify(): Promise<Finding[]> {
    return this.#next(({ pages }) => run(pages.verify(), this.#options.storage, true));
  }

  /** Gives back what is of no use. Takes a while; what was asked for waits meanwhile. */
  compact(): Promise<void> {
    return this.#next(async (life) => {
      await this.#commit(life);
      const { storage } = this.#options;
      const extents = await storage.extents();
      await this.#guarded(() => run(life.pages.compact(extents), storage, true));
    }, true);
  }

  /** After what was asked for. What is not acknowledged by then is not kept. */
  close(): Promise<void> {
    const last = this.#lane.then(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      const { failure, pages } = this.#life;
      if (failure === undefined) {
        // Whoever opens it next need not make changes again. What was acknowledged is there without it.
        if (!this.#hasChanges && !pages.isSettled) await this.#guarded(() => this.#run(pages.settle())).catch(() => {});
        pages.free();
      }
      this.#options.storage.close();
    });
    this.#lane = last;
    return last;
  }

  #run<T>(operation: Operation<T>): Promise<T> {
    return run(operation, this.#options.storage);
  }

  /** `isWhole`: when it fails, it may have been begun. */
  async #change<T>(apply: (life: Life) => Promise<T>, isWhole = false): Promise<T> {
    const { life, value } = await this.#next(async (now) => {
      const applied = await apply(now);
      this.#hasChanges = true;
      return { life: now, value: applied };
    }, isWhole);
    this.#group ??= this.#next((now) => {
      this.#group = undefined;
      return this.#commit(now);
    });
    const committed = await this.#group;
    if (committed !== life) throw life.failure;
    return value;
  }

  #guarded(write: () => Promise<void>): Promise<void> {
    const { guard } = this.#options;
    return guard ? guard(write) : write();
  }

  async #commit(life: Life): Promise<Life> {
    if (!this.#hasChanges) return life;
    const { onKept } = this.#options;
    await this.#guarded(() => this.#run(life.pages.commit()));
    this.#hasChanges = false;
    if (!this.#wasKept && life.pages.count > 0) onKept?.();
    this.#wasKept ||= life.pages.count > 0;
    return life;
  }

  #next<T>(work: (life: Life) => Promise<T>, isWhole = false): Promise<T> {
    const result = this.#lane.then(() => this.#attempt(work, isWhole));
    this.#lane = result.catch(() => {});
    return result;
  }

  async #attempt<T>(work: (life: Life) => Promise<T>, isWhole: boolean): Promise<T> {
    const turn = this.#turns?.next();
    if (turn) await turn;
    if (this.#isClosed) throw new ArchiveError("store/closed", "The store was closed.");
    if (this.#life.failure !== undefined) this.#life = { pages: await openPages(this.#options) };
    const life = this.#life;
    try {
      return await work(life);
    } catch (error) {
      if (isWhole || !isRefusal(error)) {
        life.failure = error;
        life.pages.free();
        this.#hasChanges = false;
      }
      throw error;
    }
  }
}

/** What was acknowledged when it was taken. */
export class Snapshot extends Reader {
  readonly #release: () => Promise<void>;

  constructor(ask: <T>(operation: (pages: Pages, view: number) => Operation<T>) => Promise<T>) {
    super(ask);
    this.#release = () =>
      ask(function* (pages, view): Operation<void> {
        pages.release(view);
      });
  }

  /** Done with it, once is enough. */
  async release(): Promise<void> {
    // With the life that it was of, it is gone.
    await this.#release().catch(() => {});
  }
}

function* changing(pages: Pages, remove: readonly Uint8Array[], put: readonly Entry[]): Operation<void> {
  for (const key of remove) yield* pages.remove(key);
  yield* pages.putMany(put);
}

const REFUSALS = ["store/too-large", "store/damaged", "store/interrupted"];

/** Nothing was changed, and nothing is lost by going on. */
const isRefusal = (error: unknown): boolean => error instanceof ArchiveError && REFUSALS.includes(error.code);

const interrupted = (cause: unknown): ArchiveError => new ArchiveError("store/interrupted", "The store began again from its last commit; this was of before.", { cause });

function openPages(options: StoreOptions): Promise<Pages> {
  return run(Pages.opening(options.make, options), options.storage);
}
