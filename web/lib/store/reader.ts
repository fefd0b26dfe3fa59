/** What is read of a store: of all there is by now, or of one commit. */

import type { Operation, Pages } from "./pages.js";
import { rowsOf, type Row } from "./packing.js";

/** Runs an operation on the engine's store and a view of it. */
export type Ask = <T>(operation: (pages: Pages, view: number) => Operation<T>) => Promise<T>;

/** A part of the entries, and where to go on; without a cursor there are no more. */
export interface Part {
  readonly rows: Row[];
  readonly cursor?: string;
}

export interface PartOptions {
  /** Of the part before. It may be kept, and used when the store was opened again. */
  readonly cursor?: string | undefined;
  /** About so many entries at once. */
  readonly limit?: number | undefined;
}

const PART_ROWS = 256;
const CURSOR_RADIX = 36;

export class Reader {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#ask((pages, view) => pages.get(key, view));
  }

  /**
   * Reads a value into bytes of the caller's, which may be used again and again: for large values that costs half of
   * what `get` does. Gives the length of the value, undefined where there is none. Where that is more than `into` has
   * room for, `into` is filled with its beginning.
   */
  getInto(key: Uint8Array, into: Uint8Array): Promise<number | undefined> {
    return this.#ask((pages, view) => pages.getInto(key, into, view));
  }

  /** Values of many keys, undefined where there is none; what must be read for them is read together. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#ask((pages, view) => pages.getMany(keys, view));
  }

  has(key: Uint8Array): Promise<boolean> {
    return this.#ask((pages, view) => pages.contains(key, view));
  }

  /** At most a megabyte of a value from `from` on, and the length of the whole. */
  read(key: Uint8Array, from = 0, length = Infinity): Promise<{ bytes: Uint8Array; total: number } | undefined> {
    return this.#ask((pages, view) => pages.read(key, from, length, view));
  }

  /** Entries in an order of the store's own. Whatever is there all the time is told once, however the store changes. */
  part({ cursor, limit = PART_ROWS }: PartOptions = {}): Promise<Part> {
    return this.#ask(function* (pages, view): Operation<Part> {
      pages.rewind(cursor === undefined ? 0 : Number.parseInt(cursor, CURSOR_RADIX));
      const rows = [...rowsOf(yield* pages.scan(limit, view))];
      return rows.length === 0 ? { rows } : { rows, cursor: pages.cursor.toString(CURSOR_RADIX) };
    });
  }

  /** All entries, with their values. */
  async *entries(options: PartOptions = {}): AsyncGenerator<[key: Uint8Array, value: Uint8Array]> {
    let { cursor } = options;
    do {
      const part = await this.part({ ...options, cursor });
      cursor = part.cursor;
      for (const row of part.rows) {
        const value = row.value ?? (await this.get(row.key));
        // It may have gone since its part was told.
        if (value) yield [row.key, value];
      }
    } while (cursor !== undefined);
  }
}
