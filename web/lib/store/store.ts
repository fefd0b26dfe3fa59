/**
 * A store that many ask at once: operations go one after another, changes are acknowledged in groups.
 *
 * G1  A change is acknowledged when a commit that holds it is durable. What comes while one is written goes into the next.
 * G2  When something cannot be written, every change since the last commit is rejected with the reason, and the store
 *     goes on from that commit.
 * G3  A look-up sees the changes that were asked for before it.
 */

import { ArchiveError } from "../errors.js";
import { Pages, run, type MakeStore, type StoreShape } from "./pages.js";
import type { PageStorage } from "./storage.js";

export interface StoreOptions {
  readonly make: MakeStore;
  readonly storage: PageStorage;
  readonly shape: StoreShape;
  /** Carries out what commits, and throws where it may not be acknowledged. */
  readonly guard?: (<T>(write: () => Promise<T>) => Promise<T>) | undefined;
  /** The first commit with something in it is durable. */
  readonly onKept?: (() => void) | undefined;
}

/** A life lasts from one opening to the failure that ends it. */
interface Life {
  readonly pages: Pages;
  failure?: unknown;
}

export class Store {
  readonly #options: StoreOptions;
  #life: Life;
  #lane: Promise<unknown> = Promise.resolve();
  #group: Promise<Life> | undefined;
  #hasChanges = false;
  #wasKept = false;
  #isClosed = false;

  private constructor(options: StoreOptions, pages: Pages) {
    this.#options = options;
    this.#life = { pages };
  }

  static async open(options: StoreOptions): Promise<Store> {
    return new Store(options, await openPages(options));
  }

  /** Entries that it holds. */
  count(): Promise<number> {
    return this.#next(async ({ pages }) => pages.count);
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#next(({ pages }) => run(pages.get(key), this.#options.storage));
  }

  put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#change((pages) => run(pages.put(key, value), this.#options.storage));
  }

  /** False where the key was not there. */
  remove(key: Uint8Array): Promise<boolean> {
    return this.#change((pages) => run(pages.remove(key), this.#options.storage));
  }

  /** Entries as the engine writes them, `limit` or somewhat more at a time, until `tell` has seen the last. */
  scan(limit: number, tell: (entries: Uint8Array) => void): Promise<void> {
    return this.#next(async ({ pages }) => {
      pages.rewind();
      for (let entries = await run(pages.scan(limit), this.#options.storage); entries.length > 0; entries = await run(pages.scan(limit), this.#options.storage)) tell(entries);
    });
  }

  /** After what was asked for. What is not acknowledged by then is not kept. */
  close(): Promise<void> {
    const last = this.#lane.then(() => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      if (this.#life.failure === undefined) this.#life.pages.free();
      this.#options.storage.close();
    });
    this.#lane = last;
    return last;
  }

  async #change<T>(apply: (pages: Pages) => Promise<T>): Promise<T> {
    const { life, value } = await this.#next(async (now) => {
      const applied = await apply(now.pages);
      this.#hasChanges = true;
      return { life: now, value: applied };
    });
    this.#group ??= this.#next((now) => {
      this.#group = undefined;
      return this.#commit(now);
    });
    const committed = await this.#group;
    if (committed !== life) throw life.failure;
    return value;
  }

  async #commit(life: Life): Promise<Life> {
    if (!this.#hasChanges) return life;
    const { guard, storage, onKept } = this.#options;
    const write = (): Promise<void> => run(life.pages.commit(), storage);
    await (guard ? guard(write) : write());
    this.#hasChanges = false;
    if (!this.#wasKept && life.pages.count > 0) onKept?.();
    this.#wasKept ||= life.pages.count > 0;
    return life;
  }

  #next<T>(work: (life: Life) => Promise<T>): Promise<T> {
    const result = this.#lane.then(() => this.#attempt(work));
    this.#lane = result.catch(() => {});
    return result;
  }

  async #attempt<T>(work: (life: Life) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ArchiveError("store/closed", "The store was closed.");
    if (this.#life.failure !== undefined) this.#life = { pages: await openPages(this.#options) };
    const life = this.#life;
    try {
      return await work(life);
    } catch (error) {
      if (!isRefusal(error)) {
        life.failure = error;
        life.pages.free();
        this.#hasChanges = false;
      }
      throw error;
    }
  }
}

/** Nothing was changed, and nothing is lost by going on. */
const isRefusal = (error: unknown): boolean => error instanceof ArchiveError && (error.code === "store/too-large" || error.code === "store/damaged");

function openPages({ make, shape, storage }: StoreOptions): Promise<Pages> {
  return run(Pages.opening(make, shape), storage);
}
