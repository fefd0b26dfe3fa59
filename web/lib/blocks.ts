/**
 * What was read last of a source that is far away, in blocks: records lie beside each other, and each is read more than
 * once (its headers, its body), so that most cost no request. Long bodies are read past it.
 */

import { checkAbort } from "./errors.js";
import { BEYOND_BYTES, type Source } from "./source.js";

/** A request for blocks ends exactly with the last of them: a source reads this much beyond what it is asked for. */
const BLOCK_BYTES = BEYOND_BYTES;
const KEPT_BLOCKS_MAX = 256;
/** Blocks of a request: few at first, more where one reader after the other goes on where the last one ended. */
const AHEAD_MIN = 2;
const AHEAD_MAX = 16;
/** One reader takes no more than this from here, lest it drives out what others come back for. */
const LONG_BYTES = 2 << 20;

const NEVER = new AbortController().signal;

/** Sources that are near are as fast without. */
export const remembered = (source: Source): Source => (source.isNear ? source : new Remembered(source));

class Remembered implements Source {
  readonly #source: Source;
  /** By number, those that were asked for last at the end. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  #ahead = AHEAD_MIN;
  /** The block after those that were asked for last. */
  #next = -1;

  constructor(source: Source) {
    this.#source = source;
  }

  get size(): number | undefined {
    return this.#source.size;
  }

  async *chunks(offset: number, signal: AbortSignal, until?: number): AsyncGenerator<Uint8Array, void, undefined> {
    let at = offset;
    // A server that knows no ranges would begin anew for each block.
    while (at - offset < LONG_BYTES && this.#source.shared) {
      const number = Math.floor(at / BLOCK_BYTES);
      const start = number * BLOCK_BYTES;
      const block = await this.#block(number);
      checkAbort(signal);
      if (at - start < block.length) yield block.subarray(at - start);
      if (block.length < BLOCK_BYTES) return;
      at = start + BLOCK_BYTES;
    }
    yield* this.#source.chunks(at, signal, until);
  }

  #block(number: number): Promise<Uint8Array> {
    const block = this.#blocks.get(number) ?? this.#ask(number);
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= KEPT_BLOCKS_MAX) break;
      this.#blocks.delete(oldest);
    }
    return block;
  }

  /** A block and some that come after it, up to one that is there. */
  #ask(first: number): Promise<Uint8Array> {
    this.#ahead = first === this.#next ? Math.min(AHEAD_MAX, 2 * this.#ahead) : AHEAD_MIN;
    let end = first + 1;
    while (end < first + this.#ahead && !this.#blocks.has(end)) end++;
    this.#next = end;
    const arrivals = Array.from({ length: end - first }, (_, n) => this.#expect(first + n));
    // Others wait for these blocks too: who asked first may give up, the request goes on to its end.
    this.#fetch(first, end, arrivals).catch((error: unknown) => arrivals.forEach(({ reject }) => reject(error)));
    return arrivals[0]!.block;
  }

  #expect(number: number): Arrival {
    let [resolve, reject]: [Arrival["resolve"], Arrival["reject"]] = [() => {}, () => {}];
    const block = new Promise<Uint8Array>((onBytes, onError) => ([resolve, reject] = [onBytes, onError]));
    this.#blocks.set(number, block);
    // Nobody may wait for it. It is asked for again when somebody does.
    block.catch(() => this.#blocks.get(number) === block && this.#blocks.delete(number));
    return { block, resolve, reject };
  }

  async #fetch(first: number, end: number, arrivals: readonly Arrival[]): Promise<void> {
    const bytes = new Uint8Array((end - first) * BLOCK_BYTES);
    let [length, arrived] = [0, 0];
    const take = (isEnd: boolean): void => {
      for (; arrived < arrivals.length && (isEnd || length >= (arrived + 1) * BLOCK_BYTES); arrived++) {
        const start = arrived * BLOCK_BYTES;
        // A copy of its own, so that a block that is kept does not hold its neighbours.
        arrivals[arrived]!.resolve(bytes.slice(Math.min(start, length), Math.min(start + BLOCK_BYTES, length)));
      }
    };
    for await (const chunk of this.#source.chunks(first * BLOCK_BYTES, NEVER, end * BLOCK_BYTES - BEYOND_BYTES)) {
      bytes.set(chunk.subarray(0, bytes.length - length), length);
      length = Math.min(bytes.length, length + chunk.length);
      take(false);
      if (length === bytes.length) break;
    }
    take(true);
  }
}

interface Arrival {
  readonly block: Promise<Uint8Array>;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}
