/** Rows of an archive by the files they are of, to be picked in each of them in turn. */

import type { Collection } from "./collection.js";
import type { ArchiveFormat } from "./shapes.js";
import type { Source } from "./source.js";

/** Neighbours are read together as far as they are picked; more than that of a file is picked while it is read. */
const PICKS_AHEAD = 4_096;

export interface Picker {
  pick(row: number): boolean;
  waiting(): number;
}

/** Rows of one file that are still to be picked. */
export interface FileRows {
  readonly name: string;
  readonly source: Source;
  readonly format: ArchiveFormat;
  readonly pick: (picker: Picker) => void;
}

export class Rows {
  picked = 0;
  /** Rows of an index, whose records are elsewhere. */
  leftOut = 0;
  readonly #collection: Collection;
  readonly #ranges: Float64Array;
  #range = 0;
  #within = 0;
  /** Rows from one number to before another are in the same part. */
  #part = { from: 0, to: 0, part: 0 };
  readonly #firstRows: readonly number[];

  /** Ranges are first rows, each with a number of rows. */
  constructor(collection: Collection, ranges: Float64Array) {
    this.#collection = collection;
    this.#ranges = ranges;
    this.#firstRows = collection.parts(0).map(({ firstRow }) => firstRow);
  }

  get index(): Collection["index"] {
    return this.#collection.index;
  }

  nextFile(): FileRows | undefined {
    const row = this.#row();
    if (row === undefined) return undefined;
    const number = this.#fileOf(row);
    const file = this.#collection.files[number];
    if (file === undefined) return undefined;
    const { name, source } = file;
    const format = this.#collection.parts(this.#partOf(row))[0]?.format ?? "warc";
    return { name, source, format, pick: (picker) => this.#pick(number, picker) };
  }

  #pick(file: number, picker: Picker): void {
    while (picker.waiting() < PICKS_AHEAD) {
      const row = this.#row();
      if (row === undefined || this.#fileOf(row) !== file) return;
      if (picker.pick(row)) this.picked += 1;
      else this.leftOut += 1;
      this.#within += 1;
    }
  }

  /** The one that is picked next. */
  #row(): number | undefined {
    for (; this.#range < this.#ranges.length; this.#range += 2) {
      const [from = 0, count = 0] = this.#ranges.subarray(this.#range, this.#range + 2);
      const row = from + this.#within;
      if (this.#within < count && row < this.index.records()) return row;
      this.#within = 0;
    }
    return undefined;
  }

  #fileOf(row: number): number {
    return this.index.file_of(this.#partOf(row)) ?? -1;
  }

  #partOf(row: number): number {
    const { from, to } = this.#part;
    if (row >= from && row < to) return this.#part.part;
    // Parts are few, and those without rows begin where the next one does.
    const part = Math.max(0, this.#firstRows.findLastIndex((first) => first <= row));
    this.#part = { from: this.#firstRows[part] ?? 0, to: this.#firstRows[part + 1] ?? Infinity, part };
    return part;
  }
}
