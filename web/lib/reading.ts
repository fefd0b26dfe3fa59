/** One record at a time: feeds the reader of a record and hands on what comes out of it. */

import { ArchiveError } from "./errors.js";
import type { Place } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import type { Source } from "./source.js";
import type { RecordReader } from "./wasm/engine.js";

/** A part of a record, piece by piece. The reader stays the caller's. */
export async function* pieces(reader: RecordReader, source: Source, signal: AbortSignal, place: Place): AsyncGenerator<Uint8Array, void, undefined> {
  const breath = new Breath();
  for await (const _ of pump(source, reader, signal)) {
    const bytes = reader.take();
    if (bytes.length > 0) yield bytes;
    if (reader.is_done()) break;
    await breath.take();
  }
  if (!reader.has_record()) throw noRecord(place);
}

/** The headers of a record, as the engine writes them. */
export async function readHeads(reader: RecordReader, source: Source, signal: AbortSignal, place: Place): Promise<Uint8Array> {
  for await (const _ of pieces(reader, source, signal, place)) continue;
  return reader.heads();
}

function noRecord({ offset }: Place): ArchiveError {
  return new ArchiveError("read/no-record", "There is no record at this place.", { offset });
}
