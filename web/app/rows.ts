/**
 * The rows behind the list: pages of them, fetched as the list asks, kept in a small cache, dropped oldest first.
 * Requests for pages that are no longer wanted are aborted. Knows the library's row calls, nothing of the screen.
 */
import type { RecordRow } from "stackroom";

import { Selection } from "./selection.js";

/** Anything that has rows: the whole archive or a filtered view of it. */
export interface RowSource<Row = RecordRow> {
  /** Rows so far; grows while the archive is being read. */
  readonly count: number;
  readonly rows: (start: number, count: number, options: { signal: AbortSignal }) => Promise<Row[]>;
}

export const rowsPerPage = 128;
/** About 8,000 rows: a few screens around, and the last few places that were visited. */
const pagesMax = 64;

interface Waiting {
  readonly abort: AbortController;
  readonly page: number;
}

export class RowPages<Row = RecordRow> {
  readonly selection = new Selection();
  readonly source: RowSource<Row>;
  readonly #onChange: () => void;
  readonly #size: number;
  /** Insertion order is age: a page that is used is put in again. */
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #failed = new Set<number>();
  #isClosed = false;

  constructor(source: RowSource<Row>, onChange: () => void, size = rowsPerPage) {
    this.source = source;
    this.#onChange = onChange;
    this.#size = size;
  }

  get count(): number {
    return this.source.count;
  }

  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** The row at a place in this list, if it is here already. */
  get(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / this.#size))?.[index % this.#size];
  }

  /** Says which rows are on screen, both ends included: fetches what is missing, gives up what is not wanted. */
  want(first: number, last: number): void {
    if (this.#isClosed) return;
    const from = Math.floor(Math.max(0, first) / this.#size);
    const to = Math.floor(Math.min(last, this.count - 1) / this.#size);
    for (const { page, abort } of [...this.#waiting.values()]) {
      if (page >= from && page <= to) continue;
      this.#waiting.delete(page);
      abort.abort();
    }
    for (let page = from; page <= to; page += 1) {
      const held = this.#pages.get(page);
      if (held !== undefined) {
        this.#pages.delete(page);
        this.#pages.set(page, held);
      }
      const due = Math.min(this.#size, this.count - page * this.#size);
      if ((held?.length ?? 0) < due && !this.#waiting.has(page) && !this.#failed.has(page)) void this.#fetch(page);
    }
  }

  /** One row, fetched if it is not here; for the keyboard, which can be ahead of the screen. */
  async row(index: number, signal: AbortSignal): Promise<Row | undefined> {
    return this.get(index) ?? (await this.source.rows(index, 1, { signal }))[0];
  }

  retry(): void {
    this.#failed.clear();
    this.#onChange();
  }

  close(): void {
    this.#isClosed = true;
    for (const { abort } of this.#waiting.values()) abort.abort();
    this.#waiting.clear();
    this.#pages.clear();
  }

  async #fetch(page: number): Promise<void> {
    const waiting: Waiting = { abort: new AbortController(), page };
    this.#waiting.set(page, waiting);
    try {
      const rows = await this.source.rows(page * this.#size, this.#size, { signal: waiting.abort.signal });
      if (waiting.abort.signal.aborted) return;
      this.#keep(page, rows);
    } catch {
      if (waiting.abort.signal.aborted) return;
      this.#failed.add(page);
    }
    if (this.#waiting.get(page) === waiting) this.#waiting.delete(page);
    this.#onChange();
  }

  #keep(page: number, rows: readonly Row[]): void {
    this.#pages.delete(page);
    this.#pages.set(page, rows);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= pagesMax) break;
      this.#pages.delete(oldest);
    }
  }
}
