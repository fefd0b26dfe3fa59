/**
 * Feeds a source to a reader of the engine: follows where the reader wants to go on, and lets the
 * thread breathe so that calls and progress get through.
 */

import { checkAbort } from "./errors.js";
import type { Source } from "./source.js";

/** The part of an engine handle that takes bytes. */
export interface Feedable {
  wanted(): number;
  feed(bytes: Uint8Array): number;
  finish(end: number): boolean;
}

/** A gap that is cheaper to read through than to ask for anew. */
const GAP_BYTES = 1 << 20;
/** Bytes a step: the engine needs some milliseconds for them. */
export const STEP_BYTES = 256 << 10;
const NOTHING = new Uint8Array(0);

/**
 * Feeds step by step, and yields the position after each step. Stops when the caller stops, which one who states
 * `until` will do soon after that place.
 */
export async function* pump(
  source: Source,
  reader: Feedable,
  signal: AbortSignal,
  until?: number,
): AsyncGenerator<number, void, undefined> {
  let end = 0;
  for (;;) {
    let at = reader.wanted();
    let mustSeek = false;
    for await (const chunk of source.chunks(at, signal, until)) {
      end = Math.max(end, at + chunk.length);
      let offset = reader.wanted() - at;
      mustSeek = isFar(offset, chunk);
      while (offset < chunk.length && !mustSeek) {
        reader.feed(chunk.subarray(offset, offset + STEP_BYTES));
        yield reader.wanted();
        checkAbort(signal);
        offset = reader.wanted() - at;
        mustSeek = isFar(offset, chunk);
      }
      if (mustSeek) break;
      at += chunk.length;
    }
    checkAbort(signal);
    const size = source.size ?? end;
    // A jump beyond the end asks for nothing.
    if (mustSeek && reader.wanted() < size) continue;
    // What the engine still holds is taken before the end is told.
    reader.feed(NOTHING);
    yield Math.min(reader.wanted(), size);
    const isDone = reader.finish(size);
    yield Math.min(reader.wanted(), size);
    if (isDone) return;
  }
}

/** Whether what is wanted next lies behind this chunk, or so far beyond it that a new read pays. */
function isFar(offset: number, chunk: Uint8Array): boolean {
  return offset < 0 || offset > chunk.length + GAP_BYTES;
}

const BREATH_MS = 12;

/** Gives other work of this thread a turn, if it had none for a while. */
export class Breath {
  #last = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#last < BREATH_MS) return;
    await turn();
    this.#last = performance.now();
  }
}

/** One turn of the event loop, without the delay that timers have. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (): void => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
