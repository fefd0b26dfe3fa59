/** The records that are to be saved: the selected ones of a list, or all of it. */
import type { RecordRow, RowRange } from "stackroom";

import type { RowSource } from "../rows.js";
import { joined, type Range } from "../selection.js";

/** Rows that are asked for at once: much less than a list has, much more than a screen. */
const rowsAtOnce = 1_000;

export class Chosen {
  readonly count: number;
  readonly #source: RowSource;
  readonly #ranges: readonly Range[];
  /** The list is the archive in its order: places in it are rows. */
  readonly #isWhole: boolean;

  constructor(source: RowSource, ranges: readonly Range[], isWhole: boolean) {
    this.#source = source;
    this.#ranges = ranges;
    this.#isWhole = isWhole;
    this.count = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** In the order of the list. */
  async *rows(signal: AbortSignal): AsyncGenerator<readonly RecordRow[], void, undefined> {
    for (const { from, to } of this.#ranges) {
      for (let at = from; at < to; at += rowsAtOnce) {
        const some = await this.#source.rows(at, Math.min(rowsAtOnce, to - at), { signal });
        signal.throwIfAborted();
        yield some;
      }
    }
  }

  /** Their numbers, in the order of the archive. */
  async numbers(signal: AbortSignal, onProgress: (count: number) => void): Promise<RowRange[]> {
    const counted = (ranges: readonly Range[]): RowRange[] => ranges.map(({ from, to }) => ({ from, count: to - from }));
    if (this.#isWhole) return counted(this.#ranges);
    const found: { from: number; to: number }[] = [];
    let count = 0;
    for await (const rows of this.rows(signal)) {
      for (const { row } of rows) {
        const last = found.at(-1);
        if (last?.to === row) last.to = row + 1;
        else found.push({ from: row, to: row + 1 });
      }
      count += rows.length;
      onProgress(count);
    }
    return counted(joined(found));
  }
}
