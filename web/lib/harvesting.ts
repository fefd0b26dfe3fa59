/**
 * Documents gathered while an archive is read: handed on in lots, and reading waits while nobody takes them.
 * Loaded when it is first needed.
 */

import type { ToolsExports } from "./module.js";
import type { Index } from "./wasm/engine.js";

/** A lot, as far as single documents are not longer. */
const LOT_BYTES = 1 << 20;
/** Rows without a document after which it is told all the same how far that is. */
const TOLD_ROWS = 2_000;
/** What is there is handed on after this time, however little it is. */
const TOLD_MS = 200;

export class Harvesting {
  readonly #wasm: ToolsExports;
  readonly #index: Index;
  #hasEnded = false;
  #isStopped = false;
  /** Wakes who takes, and who reads. */
  #wake = (): void => {};
  #goOn = (): void => {};

  constructor(wasm: ToolsExports, index: Index) {
    this.#wasm = wasm;
    this.#index = index;
    wasm.begin_harvest(index);
  }

  /** Asked between two steps of reading: has what is due taken. Returns whether reading is to wait for room. */
  hasGathered(): boolean {
    this.#wake();
    return !this.#isStopped && this.#wasm.is_harvest_full(this.#index);
  }

  /** Waits until there is room for more. */
  async room(signal: AbortSignal): Promise<void> {
    const goOn = (): void => this.#goOn();
    signal.addEventListener("abort", goOn);
    while (!signal.aborted && !this.#isStopped && this.#wasm.is_harvest_full(this.#index)) {
      await new Promise<void>((resolve) => (this.#goOn = resolve));
    }
    signal.removeEventListener("abort", goOn);
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
    this.#wasm.stop_harvest(this.#index);
    this.#wake();
    this.#goOn();
  }

  /** What was gathered, as the engine hands it over, until nothing more comes. For one caller. */
  async *lots(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    let toldUpTo = 0;
    let toldAt = performance.now();
    try {
      while (!signal.aborted && !this.#isStopped) {
        const [held = 0, upTo = 0] = this.#wasm.harvested(this.#index);
        const isNews = held > 0 || upTo > toldUpTo;
        const left = toldAt + TOLD_MS - performance.now();
        if (isNews && (held >= LOT_BYTES || upTo - toldUpTo >= TOLD_ROWS || left <= 0 || this.#hasEnded)) {
          const lot = this.#wasm.take_harvest(this.#index, LOT_BYTES);
          toldUpTo = new DataView(lot.buffer).getFloat64(0, true);
          toldAt = performance.now();
          this.#goOn();
          yield lot;
        } else if (this.#hasEnded) {
          return;
        } else {
          await this.#waken(isNews ? left : undefined);
        }
      }
    } finally {
      signal.removeEventListener("abort", wake);
      this.stop();
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
