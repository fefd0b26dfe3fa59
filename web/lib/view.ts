/**
 * The records of an archive that a filter lets through: a count that grows while the filter looks on,
 * and rows by position.
 */

import { isAbort } from "./errors.js";
import type { Client } from "./port.js";
import type { PartRange } from "./protocol.js";
import type { RecordRow } from "./shapes.js";
import { decodeRows } from "./wire.js";

export interface View {
  /** Records found so far. */
  readonly count: number;
  /** Records looked at so far. */
  readonly scanned: number;
  /** Whether every record of the archive was looked at. */
  readonly isComplete: boolean;
  onChange(listener: () => void): () => void;
  rows(start: number, count: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<RecordRow[]>;
  close(): void;
}

interface FilterRequest {
  readonly text: string;
  readonly parts: PartRange | undefined;
}

export class FilterView implements View {
  count = 0;
  scanned = 0;
  isComplete = false;
  readonly #client: Client;
  readonly #controller = new AbortController();
  readonly #listeners = new Set<() => void>();
  #filter: number | undefined;
  #failure: unknown;

  constructor(client: Client, wanted: FilterRequest, signal: AbortSignal | undefined) {
    this.#client = client;
    signal?.addEventListener("abort", () => this.close());
    if (signal?.aborted) this.close();
    else void this.#follow(wanted);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async rows(start: number, count: number, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<RecordRow[]> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#filter === undefined) return [];
    return decodeRows(await this.#client.call("rows", { filter: this.#filter, start, count }, options));
  }

  close(): void {
    if (this.#controller.signal.aborted) return;
    this.#controller.abort();
    this.#listeners.clear();
    const filter = this.#filter;
    if (filter !== undefined) this.#client.call("closeFilter", { filter }).catch(() => {});
  }

  async #follow(wanted: FilterRequest): Promise<void> {
    const { signal } = this.#controller;
    try {
      for await (const item of this.#client.stream("filter", wanted, { signal })) {
        this.#filter = item.filter;
        this.count = item.count;
        this.scanned = item.scanned;
        this.isComplete = item.isComplete;
        for (const listener of [...this.#listeners]) listener();
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.#failure = error;
      for (const listener of [...this.#listeners]) listener();
    }
  }
}
