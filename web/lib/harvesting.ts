/**
 * Documents gathered while an archive is read: handed on in lots. Reading does not wait for who takes them: those that
 * it passed over, and those of rows that were there before, are read once more when all rows are there.
 * Loaded when it is first needed.
 */

import type { Collection } from "./collection.js";
import { Rows } from "./filerows.js";
import type { ToolsExports } from "./module.js";
import { Breath, pump } from "./pump.js";

/** A lot, as far as single documents are not longer. */
const LOT_BYTES = 1 << 20;
/** Rows without a document after which it is told all the same how far that is. */
const TOLD_ROWS = 2_000;
/** What is there is handed on after this time, however little it is. */
const TOLD_MS = 200;

export class Harvesting {
  readonly #wasm: ToolsExports;
  readonly #collection: Collection;
  /** Documents of rows before this one are not gathered while reading: of none, where it is infinite. */
  readonly #first: number;
  readonly #due = new Due();
  #hasEnded = false;
  #isStopped = false;
  /** Wakes who takes. */
  #wake = (): void => {};

  constructor(wasm: ToolsExports, collection: Collection, first: number) {
    this.#wasm = wasm;
    this.#collection = collection;
    this.#first = first;
    if (first < Infinity) wasm.begin_harvest(collection.index);
  }

  /** Asked between two steps of reading: has what is due taken. */
  hasRead(): void {
    this.#wake();
  }

  /** Nothing more is read. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  /** Gathers no more; what was not taken is forgotten. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#wasm.stop_harvest(this.#collection.index);
    this.#wake();
  }

  /** What there is of rows from one on, as the engine hands it over, until nothing more comes. For one caller. */
  async *lots(from: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      const rest = from < this.#first ? from : yield* this.#whileReading(signal);
      if (rest === undefined) return;
      this.#wasm.stop_harvest(this.#collection.index);
      while (!this.#hasEnded && !this.#isOver(signal)) await this.#waken(undefined);
      if (!this.#isOver(signal)) yield* this.#again(rest, signal);
    } finally {
      signal.removeEventListener("abort", wake);
      this.stop();
    }
  }

  #isOver(signal: AbortSignal): boolean {
    return signal.aborted || this.#isStopped;
  }

  /** Ends with the row from which on documents were passed over, if any were. */
  async *#whileReading(signal: AbortSignal): AsyncGenerator<Uint8Array, number | undefined, undefined> {
    const { index } = this.#collection;
    const due = this.#due;
    while (!this.#isOver(signal)) {
      const [held = 0, upTo = 0] = this.#wasm.harvested(index);
      const passedOver = this.#wasm.passed_over(index);
      if (due.is(held, upTo, this.#hasEnded || passedOver !== undefined)) {
        yield due.told(this.#wasm.take_harvest(index, LOT_BYTES));
      } else if (passedOver !== undefined) {
        return passedOver;
      } else if (this.#hasEnded) {
        return undefined;
      } else {
        await this.#waken(due.left(held, upTo));
      }
    }
    return undefined;
  }

  /** Reads records from a row on, those that may be documents, file after file. */
  async *#again(from: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const { index } = this.#collection;
    const due = this.#due;
    const breath = new Breath();
    const rows = new Rows(this.#collection, Float64Array.of(from, Math.max(0, index.records() - from)));
    for (let file = rows.nextFile(); file; file = rows.nextFile()) {
      const again = new this.#wasm.DocumentsAgain();
      const picker = { pick: (row: number) => again.pick(index, row), waiting: () => again.waiting() };
      const lots = function* (isLast: boolean): Generator<Uint8Array> {
        for (;;) {
          const [held = 0, upTo = 0] = again.harvested();
          if (!due.is(held, upTo, isLast || again.is_full())) return;
          yield due.told(again.take(LOT_BYTES));
        }
      };
      try {
        file.pick(picker);
        if (again.waiting() > 0) {
          for await (const _ of pump(file.source, again, signal)) {
            file.pick(picker);
            yield* lots(false);
            if (this.#isOver(signal)) return;
            await breath.take();
          }
        }
        yield* lots(true);
      } finally {
        again.free();
      }
    }
  }

  /** Waits until something happens, or for some time where that is known. */
  async #waken(ms: number | undefined): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}

/** When it is time for a lot: there is enough for one, or it has been a while. */
class Due {
  #toldUpTo = 0;
  #toldAt = performance.now();

  is(held: number, upTo: number, mustBe: boolean): boolean {
    const left = this.left(held, upTo);
    return left !== undefined && (held >= LOT_BYTES || upTo - this.#toldUpTo >= TOLD_ROWS || left <= 0 || mustBe);
  }

  /** Milliseconds until it is time for what there is; undefined where that is no news. */
  left(held: number, upTo: number): number | undefined {
    return held > 0 || upTo > this.#toldUpTo ? this.#toldAt + TOLD_MS - performance.now() : undefined;
  }

  told(lot: Uint8Array): Uint8Array {
    this.#toldUpTo = new DataView(lot.buffer, lot.byteOffset).getFloat64(0, true);
    this.#toldAt = performance.now();
    return lot;
  }
}
