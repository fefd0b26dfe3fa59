/**
 * The rows of an archive and its documents, on their way to who keeps them: side by side, and committed together.
 *
 * I1  Rows are committed with all documents of them, or after these have ended.
 * I2  One thing at a time is asked of who keeps.
 */

import type { Archive } from "../archive.js";
import { ArchiveError, checkAbort } from "../errors.js";
import type { DocumentFeed, DocumentLot } from "./feed.js";
import type { Keeper } from "./keeping.js";
import type { KeptArchive } from "./kept.js";

/** Rows that cross from the engine at once. */
export const ROWS_AT_ONCE = 2_000;
/** With these, documents end and rows go on. */
const NOT_TAKEN: readonly string[] = ["documents/malformed", "documents/missing"];

export interface PassageOptions {
  readonly id: number;
  /** Rows that are kept already. */
  readonly rows: number;
  readonly signal?: AbortSignal | undefined;
  readonly commit: (rows: number, isWhole: boolean) => Promise<KeptArchive>;
}

export class Passage {
  readonly #keeper: Keeper;
  readonly #archive: Archive;
  readonly #feed: DocumentFeed;
  readonly #options: PassageOptions;
  #lane: Promise<unknown> = Promise.resolve();
  /** Rows that who keeps has, and those of them that are durable. */
  #rows: number;
  #committed: number;
  /** Up to which row who keeps has documents. */
  #told = 0;
  /** A commit waits for documents. */
  #isDue = false;
  #isOver = false;
  #wake = (): void => {};
  #change: Promise<void>;

  constructor(keeper: Keeper, archive: Archive, feed: DocumentFeed, options: PassageOptions) {
    this.#keeper = keeper;
    this.#archive = archive;
    this.#feed = feed;
    this.#options = options;
    this.#rows = this.#committed = options.rows;
    this.#change = this.#nextChange();
  }

  /** Resolves when the archive is indexed and all of it is durable. */
  async run(): Promise<KeptArchive> {
    const over = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        this.#isOver = true;
        this.#wake();
        throw error;
      });
    const ends = await Promise.allSettled([over(this.#passRows()), over(this.#passDocuments())]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return this.#options.commit(this.#rows, true);
  }

  async #passRows(): Promise<void> {
    const { id, signal } = this.#options;
    for await (const rows of this.#archive.keyedRows(this.#rows, ROWS_AT_ONCE, { signal })) {
      checkAbort(signal);
      await this.#next(async () => {
        const { count, isFull } = await this.#keeper.keep(id, this.#rows, rows);
        this.#rows = count;
        this.#isDue ||= isFull;
      });
      while (this.#isDue && !this.#isOver) await this.#change;
      if (this.#isOver) return;
    }
    await this.#archive.indexed;
  }

  async #passDocuments(): Promise<void> {
    const feed = this.#feed;
    for (let number = feed.first; !this.#isOver; ) {
      const lot = feed.lot(number);
      if (lot) {
        await this.#next(() => this.#pass(lot));
        number++;
      } else if (feed.hasEnded) {
        await this.#next(async () => void (this.#told = Infinity));
        return;
      } else {
        await Promise.race([feed.next(), this.#change]);
      }
    }
  }

  async #pass(lot: DocumentLot): Promise<void> {
    try {
      await this.#keeper.keepDocuments(this.#options.id, lot);
      this.#told = lot.upTo;
      this.#isDue ||= this.#feed.isFull && this.#rows > this.#committed;
    } catch (error) {
      if (!(error instanceof ArchiveError) || !NOT_TAKEN.includes(error.code)) throw error;
      this.#feed.stop();
    }
  }

  /** Does one thing after another, and commits where it is time and documents are there. */
  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#lane.then(async () => {
      await work();
      if (!this.#isDue || this.#told < this.#rows || this.#isOver) return;
      await this.#options.commit(this.#rows, false);
      this.#committed = this.#rows;
      this.#feed.drop(this.#rows);
      this.#isDue = false;
      this.#wake();
    });
    this.#lane = done.catch(() => {});
    return done;
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = (): void => {
        this.#change = this.#nextChange();
        resolve();
      };
    });
  }
}
