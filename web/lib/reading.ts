/** One record at a time: feeds the reader of a record and hands on what comes out of it. */

import { ArchiveError } from "./errors.js";
import type { EngineExports } from "./module.js";
import type { Place } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import type { Source } from "./source.js";
import type { RecordReader } from "./wasm/engine.js";
import type { Decoding } from "./wasm/tools.js";

/**
 * A part of a record, piece by piece. The reader stays the caller's. `nextSegment` moves it to where a body goes on,
 * and gives the source to feed it from.
 */
export async function* pieces(
  reader: RecordReader,
  source: Source,
  signal: AbortSignal,
  place: Place,
  nextSegment?: (reader: RecordReader) => Source | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const breath = new Breath();
  let from = source;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for await (const _ of pump(from, reader, signal)) {
      const bytes = reader.take();
      if (bytes.length > 0) yield bytes;
      if (reader.is_done()) break;
      // A body in segments goes on elsewhere.
      if (nextSegment && reader.needs_segment()) {
        const next = nextSegment(reader);
        isDone = next === undefined;
        from = next ?? from;
        break;
      }
      await breath.take();
    }
  }
  if (!reader.has_record()) throw noRecord(place);
  if (!nextSegment) return;
  // Segments that are nowhere are done without.
  reader.close();
  const rest = reader.take();
  if (rest.length > 0) yield rest;
}

/** A body without the codings that `decoding` takes off, which is freed at the end. */
export async function* decoded(body: AsyncIterable<Uint8Array>, decoding: Decoding): AsyncGenerator<Uint8Array, void, undefined> {
  const breath = new Breath();
  async function* taken(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const bytes = decoding.take();
      if (bytes.length > 0) yield bytes;
      if (!decoding.is_behind()) return;
      await breath.take();
      decoding.go_on();
    }
  }
  try {
    for await (const piece of body) {
      decoding.push(piece);
      yield* taken();
    }
    decoding.end();
    yield* taken();
  } finally {
    decoding.free();
  }
}

/** The headers of a record, as the engine writes them. */
export async function readHeads(reader: RecordReader, source: Source, signal: AbortSignal, place: Place): Promise<Uint8Array> {
  for await (const _ of pieces(reader, source, signal, place)) continue;
  return reader.heads();
}

/** What came of the digests of the record at a place, and whether another module may come to more. */
export async function readVerdicts(
  { RecordCheck }: Pick<EngineExports, "RecordCheck">,
  way: string,
  source: Source,
  signal: AbortSignal,
  place: Place,
): Promise<{ verdicts: string; needsTools: boolean }> {
  const check = RecordCheck.at(way, place.offset, place.skip);
  if (!check) throw noRecord(place);
  try {
    const breath = new Breath();
    for await (const _ of pump(source, check, signal)) {
      const verdicts = check.verdicts();
      if (verdicts !== undefined) return { verdicts, needsTools: check.needs_tools() };
      await breath.take();
    }
    throw noRecord(place);
  } finally {
    check.free();
  }
}

export function noRecord({ offset }: Place): ArchiveError {
  return new ArchiveError("read/no-record", "There is no record at this place.", { offset });
}
