/** Single records of what is open: of an archive with an index, or of a file that is known without one. */

import type { Collection } from "./collection.js";
import { notOpen } from "./errors.js";
import { joined } from "./joined.js";
import type { EngineExports, ToolsExports } from "./module.js";
import type { Place } from "./protocol.js";
import { decoded, noRecord, pieces, readHeads, readVerdicts } from "./reading.js";
import type { RecordPart } from "./shapes.js";
import type { Source } from "./source.js";
import type { PartFinder, RecordReader } from "./wasm/engine.js";

/** Calls are answered in any case. */
const NEVER = new AbortController().signal;

/** What records are of. */
export interface Opened {
  /** Absent where there is no index. */
  collection(): Collection | undefined;
  /** The same, or an error. */
  opened(): Collection;
  exports(): EngineExports;
  /** Whether these are those of the larger module. */
  hasTools(): boolean;
  /** The larger module, beside the one that made the index. */
  tools(): Promise<ToolsExports>;
}

export class Records {
  readonly #of: Opened;
  #attached: { readonly finder: PartFinder; readonly source: Source } | undefined;

  constructor(of: Opened) {
    this.#of = of;
  }

  /** Reads from a file that has no index. */
  attach(finder: PartFinder, source: Source): void {
    this.#attached?.finder.free();
    this.#attached = { finder, source };
  }

  close(): void {
    this.#attached?.finder.free();
    this.#attached = undefined;
  }

  #reader({ part, offset, skip }: Place, what: RecordPart): { reader: RecordReader; source: Source } {
    const collection = this.#of.collection();
    if (collection) return collection.reader(part, offset, skip, what);
    if (!this.#attached) throw notOpen();
    const { finder, source } = this.#attached;
    return { reader: finder.read(offset, skip, what), source };
  }

  async heads(place: Place): Promise<Uint8Array> {
    const { reader, source } = this.#reader(place, "http");
    try {
      return await readHeads(reader, source, NEVER, place);
    } finally {
      reader.free();
    }
  }

  /** Headers and body, read in one go. */
  async short({ limit, ...place }: Place & { limit: number }): Promise<{ heads: Uint8Array; body?: Uint8Array }> {
    const { reader, source } = this.#reader(place, "body");
    try {
      let isHere = true;
      const elsewhere = (): undefined => void (isHere = false);
      const body: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of this.#unencoded(reader, pieces(reader, source, NEVER, place, elsewhere))) {
        body.push(piece);
        bytes += piece.length;
        if (bytes > limit) break;
      }
      isHere &&= bytes <= limit && (bytes > 0 || this.#originalOf(reader) === undefined);
      return { heads: reader.heads(), ...(isHere && { body: joined(body) }) };
    } finally {
      reader.free();
    }
  }

  async *read(place: Place, what: RecordPart, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const { reader, source } = this.#reader(place, what);
    let original: number | undefined;
    try {
      let isEmpty = true;
      const stored = pieces(reader, source, signal, place, this.#nextSegment());
      for await (const piece of what === "body" ? this.#unencoded(reader, stored) : stored) {
        isEmpty = false;
        yield piece;
      }
      if (what === "body" && isEmpty) original = this.#originalOf(reader);
    } finally {
      reader.free();
    }
    if (original !== undefined) yield* this.read(this.#of.opened().place(original), what, signal);
  }

  /** A body without the codings that this module has no decoder for, as far as another one has. */
  async *#unencoded(reader: RecordReader, stored: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const { value: first, done } = await stored.next();
      if (done) return;
      async function* whole(): AsyncGenerator<Uint8Array, void, undefined> {
        yield first as Uint8Array;
        yield* stored;
      }
      // What the body is encoded in is known by now, at its first piece.
      yield* this.#decoded(whole(), reader.remaining_codings());
    } finally {
      await stored.return(undefined);
    }
  }

  async *#decoded(body: AsyncGenerator<Uint8Array>, codings: string): AsyncGenerator<Uint8Array, void, undefined> {
    if (codings === "" || this.#of.hasTools()) return yield* body;
    const { Decoding } = await this.#of.tools();
    const decoding = new Decoding(codings);
    if (decoding.remaining() !== codings) return yield* decoded(body, decoding);
    decoding.free();
    yield* body;
  }

  #nextSegment(): ((reader: RecordReader) => Source | undefined) | undefined {
    const collection = this.#of.collection();
    return collection && ((reader) => collection.nextSegment(reader));
  }

  /** The row that holds the payload that a revisit leaves out, in whatever file. */
  #originalOf(reader: RecordReader): number | undefined {
    const collection = this.#of.collection();
    return collection && reader.original(collection.index);
  }

  async original(place: Place): Promise<Uint8Array> {
    const { reader, source } = this.#reader(place, "http");
    try {
      await readHeads(reader, source, NEVER, place);
      const row = this.#originalOf(reader);
      return row === undefined ? new Uint8Array(0) : this.#of.opened().index.rows(row, 1);
    } finally {
      reader.free();
    }
  }

  async *verify(place: Place, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const collection = this.#of.opened();
    const way = collection.index.way(place.part);
    const source = collection.sourceOf(place.part);
    if (way === undefined || !source) throw noRecord(place);
    let { verdicts, needsTools } = await readVerdicts(this.#of.exports(), way, source, signal, place);
    if (needsTools && !this.#of.hasTools()) {
      // The index stays where it is: only this record is read by the larger module.
      ({ verdicts } = await readVerdicts(await this.#of.tools(), way, source, signal, place));
    }
    yield verdicts;
  }
}
