/**
 * Cuts records out of a source: feeds it, and hands out what is written in order. What is copied as it stands is read
 * from the source again, in windows that serve neighbours too.
 */

import { ArchiveError, checkAbort } from "./errors.js";
import type { ToolsExports } from "./module.js";
import type { CutItem, CutRequest } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import type { InspectedDamage } from "./shapes.js";
import { WINDOW_BYTES, type Source } from "./source.js";
import type { Cutting } from "./wasm/tools.js";

const PROGRESS_MS = 100;
/** Pieces are gathered to about this length before they are handed out. */
const GATHER_BYTES = 256 << 10;
/** What the engine gives next is a place in the source, not bytes. */
const RANGE = 2;

/** The handle that does the work; it is freed by `cutRecords`. */
export function cutting(exports: ToolsExports, start: Uint8Array, source: Source, request: Omit<CutRequest, "source">): Cutting {
  const { where, gzip, version, name, target, member } = request;
  // What comes from afar is not fetched twice.
  const canCopy = source.isNear === true;
  const options = new exports.CutOptions(gzip, version, Math.floor(Date.now() / 1000), name, target, member, canCopy);
  try {
    return new exports.Cutting(start, source.size ?? -1, where, options);
  } finally {
    options.free();
  }
}

/** `onStep` is called before each step, and may pick more. */
export async function* cutRecords(source: Source, cutter: Cutting, signal: AbortSignal, onStep: () => void = () => undefined): AsyncGenerator<CutItem, void, undefined> {
  const ranges = new Ranges(source);
  const breath = new Breath();
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let toldAt = -PROGRESS_MS;
  const handOut = (): CutItem => {
    const bytes = new Uint8Array(gatheredBytes);
    let at = 0;
    for (const piece of gathered) {
      bytes.set(piece, at);
      at += piece.length;
    }
    gathered = [];
    gatheredBytes = 0;
    return { kind: "bytes", bytes };
  };
  const progress = (bytes: number): CutItem => ({
    kind: "progress",
    progress: { bytes, ...(source.size !== undefined && { bytesTotal: source.size }), seen: cutter.seen(), written: cutter.written() },
  });
  try {
    onStep();
    for await (const position of pump(source, cutter, signal)) {
      onStep();
      for (let kind = cutter.next_piece(); kind !== 0; kind = cutter.next_piece()) {
        const pieces = kind === RANGE ? ranges.read(cutter.range(), signal) : [cutter.bytes()];
        for await (const piece of pieces) {
          gathered.push(piece);
          gatheredBytes += piece.length;
          if (gatheredBytes >= GATHER_BYTES) yield handOut();
        }
      }
      for (const line of cutter.damage().split("\n")) {
        if (line !== "") yield { kind: "damage", damage: JSON.parse(line) as InspectedDamage };
      }
      await breath.take();
      if (performance.now() - toldAt < PROGRESS_MS) continue;
      toldAt = performance.now();
      yield progress(position);
    }
    if (gatheredBytes > 0) yield handOut();
    yield progress(source.size ?? cutter.wanted());
  } finally {
    cutter.free();
  }
}

/** Ranges of a source, mostly in its order and near each other. */
class Ranges {
  #at = 0;
  #held = new Uint8Array(0);
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  async *read(range: Float64Array, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const [offset = 0, length = 0] = range;
    const end = offset + length;
    let at = offset;
    const held = this.#within(at, end);
    if (held.length > 0) {
      at += held.length;
      yield held;
    }
    if (at >= end) return;
    for await (const chunk of this.#source.chunks(at, signal, Math.max(end, at + WINDOW_BYTES))) {
      checkAbort(signal);
      // A chunk is good until the next one is asked for, and the last one is kept for what follows.
      this.#held = chunk.slice();
      this.#at = at;
      const piece = this.#within(at, end);
      at += piece.length;
      yield piece;
      if (at >= end) return;
    }
    throw new ArchiveError("source/changed", "The file became shorter while it was read.", { offset: at });
  }

  /** What of the range is in the window from its first byte on. */
  #within(from: number, end: number): Uint8Array {
    const start = from - this.#at;
    if (start < 0 || start >= this.#held.length) return new Uint8Array(0);
    return this.#held.subarray(start, Math.min(this.#held.length, end - this.#at));
  }
}
