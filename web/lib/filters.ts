/** Filters that are open on an archive: each looks at the rows that are there, and at those that come. */

import type { EngineExports } from "./module.js";
import type { FilterItem, PartRange } from "./protocol.js";
import { Breath } from "./pump.js";
import type { Index, UrlFilter } from "./wasm/engine.js";

const PROGRESS_MS = 100;
/** URLs that a filter looks at between two breaths: about two milliseconds. */
const FILTER_ROWS = 8192;

/** What filters look at. */
export interface Growing {
  /** Absent while a file is opened. */
  readonly index: Index | undefined;
  readonly isIndexed: boolean;
  /** Resolves when there may be more rows, or something else has changed. */
  grown(): Promise<void>;
  tellGrowth(): void;
}

interface OpenFilter {
  readonly text: string;
  readonly parts: PartRange | undefined;
  filter: UrlFilter;
}

export class Filters {
  readonly #growing: Growing;
  readonly #open = new Map<number, OpenFilter>();
  #last = 0;

  constructor(growing: Growing) {
    this.#growing = growing;
  }

  async *run({ UrlFilter }: EngineExports, text: string, parts: PartRange | undefined, signal: AbortSignal): AsyncGenerator<FilterItem, void, undefined> {
    const open: OpenFilter = { text, parts, filter: made(UrlFilter, text, parts) };
    const id = ++this.#last;
    this.#open.set(id, open);
    const state = (isComplete: boolean): FilterItem => ({ filter: id, count: open.filter.count(), scanned: open.filter.scanned(), isComplete });
    const breath = new Breath();
    let toldAt = performance.now();
    const isOpen = (): boolean => this.#open.has(id) && !signal.aborted;
    signal.addEventListener("abort", () => this.#growing.tellGrowth());
    while (isOpen()) {
      const { index } = this.#growing;
      const isComplete = index === undefined || open.filter.step(index, FILTER_ROWS);
      if (!isComplete) {
        await breath.take();
        if (isOpen() && performance.now() - toldAt >= PROGRESS_MS) {
          yield state(false);
          toldAt = performance.now();
        }
        continue;
      }
      yield state(this.#growing.isIndexed);
      toldAt = performance.now();
      if (this.#growing.isIndexed && isOpen() && this.#growing.index && open.filter.step(this.#growing.index, 0)) return;
      if (!this.#growing.isIndexed) await this.#growing.grown();
    }
  }

  rows(filter: number, index: Index, start: number, count: number): Uint8Array {
    return this.#open.get(filter)?.filter.rows(index, start, count) ?? new Uint8Array(0);
  }

  /** Filters belong to the module that made them: those that stay are made anew. */
  moveTo({ UrlFilter }: EngineExports): void {
    for (const open of this.#open.values()) {
      open.filter.free();
      open.filter = made(UrlFilter, open.text, open.parts);
    }
  }

  close(id: number): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.filter.free();
    this.#growing.tellGrowth();
  }

  closeAll(): void {
    for (const { filter } of this.#open.values()) filter.free();
    this.#open.clear();
  }
}

function made(filter: typeof UrlFilter, text: string, parts: PartRange | undefined): UrlFilter {
  return parts ? filter.within(text, parts.from, parts.to) : new filter(text);
}
