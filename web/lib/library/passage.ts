/**
 * The rows of an archive and its documents, on their way to who keeps them: side by side, each as fast as it comes.
 *
 * I1  Documents go over after their rows.
 * I2  One thing at a time is asked of who keeps.
 */

import type { Archive } from "../archive.js";
import { ArchiveError, checkAbort } from "../errors.js";
import { release } from "../release.js";
import type { DocumentFeed, DocumentLot } from "./feed.js";
import type { Keeper } from "./keeping.js";
import type { KeptArchive } from "./kept.js";

/** Rows that cross from the engine at once. */
export const ROWS_AT_ONCE = 2_000;
/** So long rows have for themselves what processors there are: many archives are listed by then. */
const ROWS_FIRST_MS = 1_000;
/** With these, documents end and rows go on. */
const NOT_TAKEN: readonly string[] = ["documents/malformed", "documents/missing"];

/** What a commit is of. */
export interface Extent {
  readonly rows: number;
  /** All rows are there. */
  readonly isWhole: boolean;
  /** Nothing more comes, no documents either. */
  readonly isLast: boolean;
}

export interface PassageOptions {
  readonly id: number;
  /** Rows that are kept already. */
  readonly rows: number;
  readonly signal?: AbortSignal | undefined;
  readonly commit: (extent: Extent) => Promise<KeptArchive>;
}

export class Passage {
  readonly #keeper: Keeper;
  readonly #archive: Archive;
  readonly #feed: DocumentFeed;
  readonly #options: PassageOptions;
  #lane: Promise<unknown> = Promise.resolve();
  /** Rows that who keeps has. */
  #rows: number;
  /** Up to which row who keeps has documents. */
  #told = 0;
  #hasAllRows = false;
  #isOver = false;
  #wake = (): void => {};
  #change: Promise<void>;

  constructor(keeper: Keeper, archive: Archive, feed: DocumentFeed, options: PassageOptions) {
    this.#keeper = keeper;
    this.#archive = archive;
    this.#feed = feed;
    this.#options = options;
    this.#rows = options.rows;
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
    return this.#commit(true);
  }

  async #passRows(): Promise<void> {
    const { id, signal } = this.#options;
    for await (const rows of this.#archive.keyedRows(this.#rows, ROWS_AT_ONCE, { signal })) {
      checkAbort(signal);
      await this.#next(async () => {
        const { count, isFull } = await this.#keeper.keep(id, this.#rows, rows);
        this.#rows = count;
        release(rows);
        if (isFull) await this.#commit(false);
      });
      this.#wake();
      if (this.#isOver) return;
    }
    await this.#archive.indexed;
    this.#hasAllRows = true;
    // From here on it is as if there were no documents to come.
    await this.#next(async () => void (await this.#commit(false)));
    this.#wake();
  }

  async #passDocuments(): Promise<void> {
    const feed = this.#feed;
    const delay = new Promise((resolve) => setTimeout(resolve, ROWS_FIRST_MS));
    let isTime = false;
    void delay.then(() => (isTime = true));
    while (!isTime && !this.#hasAllRows && !this.#isOver) await Promise.race([delay, this.#change]);
    for (let number = feed.first; !this.#isOver; ) {
      const lot = feed.lot(number);
      if (lot && (lot.upTo <= this.#rows || this.#hasAllRows)) {
        await this.#next(() => this.#pass(lot));
        number++;
      } else if (lot) {
        await this.#change;
      } else if (feed.hasEnded) {
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
      if (this.#feed.isFull) await this.#commit(false);
    } catch (error) {
      if (!(error instanceof ArchiveError) || !NOT_TAKEN.includes(error.code)) throw error;
      this.#feed.stop();
    }
  }

  async #commit(isLast: boolean): Promise<KeptArchive> {
    const kept = await this.#options.commit({ rows: this.#rows, isWhole: this.#hasAllRows, isLast });
    this.#feed.drop(this.#told);
    return kept;
  }

  /** Does one thing after another, until one fails. */
  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#lane.then(async () => {
      if (!this.#isOver) await work();
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
