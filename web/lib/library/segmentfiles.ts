/**
 * The files of an index's segments: runs the engine's operations, reads what they miss, writes what they make.
 *
 * I1  Files that are of no use are removed only by `tidy`: when a manifest without them is kept.
 * Knows nothing of what is in them.
 */

import { ArchiveError } from "../errors.js";
import { release } from "../release.js";
import type { Files } from "./files.js";

/** What an operation of the engine came to. */
export const DONE = 0;
export const MISSING = 1;
export const DAMAGED = 2;
/** Call again, or make room before. */
export const MORE = 3;

/** How long it may leave nothing else its turn. */
const TURN_MS = 50;
/** A merged segment goes out in pieces of this length. */
const PIECE_BYTES = 1024 * 1024;

/** `KeptIndex`, as far as its files are concerned. */
export interface SegmentsEngine {
  files(): Uint32Array;
  span_file(): number;
  span_offset(): number;
  span_length(): number;
  provide(bytes: Uint8Array): void;
  merge(): number;
  waiting(): number;
  take_merged(): Uint8Array;
  end_merge(file: number, bytes: number): number;
  stop_merge(): void;
  take_removed(): Uint32Array;
}

export class SegmentFiles {
  readonly #engine: SegmentsEngine;
  readonly #files: Files;
  #nextFile = 0;
  #removable: number[] = [];
  /** Why what the engine holds is not what is in the files: the index is to be opened anew. */
  failure: unknown;

  constructor(engine: SegmentsEngine, files: Files) {
    this.#engine = engine;
    this.#files = files;
  }

  /** Files that the engine does not name are removed. */
  async begin(): Promise<void> {
    const named = new Set(this.#engine.files());
    for (const { file } of await this.#files.list()) {
      this.#nextFile = Math.max(this.#nextFile, file + 1);
      if (!named.has(file)) this.#removable.push(file);
    }
    await this.tidy();
  }

  /** Gives back the space of what the last manifest, which is durable by now, does not name. */
  async tidy(): Promise<void> {
    const files = this.#removable.splice(0);
    for (const file of files) await this.#files.remove(file);
  }

  /** Calls until nothing is missing. */
  readonly run = async (operation: () => number): Promise<void> => {
    while ((await this.step(operation)) === MISSING);
  };

  /** Calls once, and reads what is missing. */
  async step(operation: () => number): Promise<number> {
    const outcome = operation();
    if (outcome !== MISSING && outcome !== DAMAGED) return outcome;
    const [file, offset, length] = [this.#engine.span_file(), this.#engine.span_offset(), this.#engine.span_length()];
    if (outcome === DAMAGED) throw new ArchiveError("store/damaged", `File ${file} of the archive's index is damaged: the archive must be indexed again.`, { offset });
    const bytes = this.#files.read(file, offset, length);
    this.#engine.provide(bytes instanceof Promise ? await bytes : bytes);
    return MISSING;
  }

  /** Calls until it is done, and leaves others their turn. Damage is told to `onDamage` where there is one. */
  async stepThrough(operation: () => number, { onStep, onDamage }: { readonly onStep?: (outcome: number) => void | Promise<void>; readonly onDamage?: (error: ArchiveError) => void } = {}): Promise<void> {
    let turn = performance.now();
    for (let outcome = MISSING; outcome !== DONE; ) {
      try {
        outcome = await this.step(operation);
      } catch (error) {
        if (!onDamage || !(error instanceof ArchiveError)) throw error;
        onDamage(error);
      }
      await onStep?.(outcome);
      if (performance.now() - turn < TURN_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      turn = performance.now();
    }
  }

  /** Writes a segment, if there is one, and has the engine take it. */
  async written(bytes: Uint8Array, adopt: (file: number, bytes: number) => number): Promise<void> {
    if (bytes.length === 0) return;
    try {
      const file = this.#nextFile++;
      await this.#files.prepare(file);
      const length = await this.#append(file, 0, bytes);
      await this.run(() => adopt(file, length));
    } catch (error) {
      // What was in it is nowhere now.
      this.failure = error;
      throw error;
    }
  }

  /** Goes on with a merge that was begun, to its end; between two steps others may read. */
  async merge(between: () => Promise<void>): Promise<void> {
    const file = this.#nextFile++;
    try {
      await this.#files.prepare(file);
      let written = 0;
      await this.stepThrough(() => this.#engine.merge(), {
        onStep: async (outcome) => {
          if (outcome === DONE || this.#engine.waiting() >= PIECE_BYTES) written += await this.#append(file, written, this.#engine.take_merged());
          await between();
        },
      });
      await this.run(() => this.#engine.end_merge(file, written));
      this.#removable.push(...this.#engine.take_removed());
    } catch (error) {
      this.#engine.stop_merge();
      this.#removable.push(file);
      throw error;
    }
  }

  /** Writes bytes that are of no use then, and says how many. */
  async #append(file: number, offset: number, bytes: Uint8Array): Promise<number> {
    const { length } = bytes;
    await this.#files.append(file, offset, bytes);
    release(bytes);
    return length;
  }
}

/** Tells a segment from every other. */
export function randomId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 21) * 2 ** 32 + low;
}
