/**
 * Documents of an archive on their way into a library. They are read once, and held until they are committed: whoever
 * takes the library over gets those again that are in no commit.
 */

import type { Archive } from "../archive.js";
import { isAbort } from "../errors.js";
import { release } from "../release.js";

/** All documents there are of rows from one to another, as the engine tells them. */
export interface DocumentLot {
  readonly from: number;
  readonly upTo: number;
  readonly documents: Uint8Array;
}

/** With so many bytes of documents that are in no commit, it is time for one. */
const HELD_BYTES = 4 * 1024 * 1024;

export class DocumentFeed {
  readonly #archive: Archive;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  #told: ReturnType<Archive["documents"]> | undefined;
  #held: DocumentLot[] = [];
  #heldBytes = 0;
  #first = 0;
  #end = 0;
  #coming: Promise<void> | undefined;
  #hasEnded = false;

  constructor(archive: Archive, signal: AbortSignal | undefined) {
    this.#archive = archive;
    this.#signal = signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal;
  }

  /** Those of rows from one on are wanted. Where they are told already, they are told from where they are. */
  begin(from: number): void {
    if (this.#told) return;
    this.#end = from;
    this.#told = this.#archive.documents({ from, signal: this.#signal });
  }

  /** No more come. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isFull(): boolean {
    return this.#heldBytes >= HELD_BYTES;
  }

  /** The number of the first lot that is held. */
  get first(): number {
    return this.#first;
  }

  /** A lot by its number; undefined where it has not come. */
  lot(number: number): DocumentLot | undefined {
    return this.#held[number - this.#first];
  }

  /** Resolves when there is one more lot, or no more come. */
  next(): Promise<void> {
    this.#coming ??= this.#take().finally(() => (this.#coming = undefined));
    return this.#coming;
  }

  /** Documents of rows before this one are durable. */
  drop(row: number): void {
    while ((this.#held[0]?.upTo ?? Infinity) <= row) {
      const lot = this.#held.shift();
      if (!lot) return;
      this.#heldBytes -= lot.documents.length;
      this.#first++;
      release(lot.documents);
    }
  }

  /** None are wanted any more: reading the archive goes on without. */
  stop(): void {
    this.#hasEnded = true;
    this.#held = [];
    this.#stopping.abort();
    // One that was not asked yet does not hear of that.
    this.#archive.stopDocuments().catch(() => {});
  }

  async #take(): Promise<void> {
    if (this.#hasEnded || !this.#told) return;
    try {
      const told = await this.#told.next();
      if (told.done) {
        this.#hasEnded = true;
        return;
      }
      const { documents, upTo } = told.value;
      this.#held.push({ from: this.#end, upTo, documents });
      this.#heldBytes += documents.length;
      this.#end = Math.max(this.#end, upTo);
    } catch (error) {
      // Rows are of use without documents: what lacks is told by where these end.
      if (!this.#hasEnded && !isAbort(error)) this.stop();
      this.#hasEnded = true;
    }
  }
}
