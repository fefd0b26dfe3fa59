/**
 * What users of the library hold: an open archive, its rows, its records.
 * Talks to the engine over a connection and keeps no bytes of the archive itself.
 */

import type { Connection } from "./connection.js";
import { ArchiveError, abortError, isAbort } from "./errors.js";
import { joined } from "./joined.js";
import type { OpenItem, PartRange, Place } from "./protocol.js";
import type { ArchiveFact, ArchiveFormat, ArchivePage, ArchivePart, CutForm, CutProgress, Damage, DocumentLot, InspectedDamage, Progress, RecordDetail, RecordPart, RecordRow, RecordVerdicts, RefusedFile, RowRange } from "./shapes.js";
import { FilterView, type View } from "./view.js";
import { decodeHeads, decodeRows } from "./wire.js";

export interface SignalOption {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends SignalOption {
  /** No more bytes than this. */
  readonly limit?: number | undefined;
}

export interface CutRowsOptions extends SignalOption {
  readonly form?: CutForm | undefined;
  /** Version of WARC in which records are written that come from other formats. */
  readonly version?: "1.0" | "1.1" | undefined;
  /** Name of the file that the bytes are for. */
  readonly target?: string | undefined;
  readonly onProgress?: ((progress: CutProgress) => void) | undefined;
  readonly onDamage?: ((damage: InspectedDamage) => void) | undefined;
}

export interface FilterOptions extends SignalOption {
  /** Numbers of the parts to look in: from the first one to before the second one. */
  readonly parts?: PartRange | undefined;
}

/** What another thread needs to read an archive that is open here. Both ports are to be transferred. */
export interface ArchiveLine {
  readonly name: string;
  readonly port: MessagePort;
  /** Says when the archive is closed. */
  readonly ending: MessagePort;
}

/** A record's place in the archive; every row has one. */
export interface RecordPlace {
  /** 0 where it is not said: the file itself. */
  readonly part?: number | undefined;
  readonly offset: number;
  readonly skip?: number | undefined;
}

const ITERATED_ROWS = 512;

export class Archive {
  readonly name: string;
  readonly format: ArchiveFormat;
  /** Resolves when every record is in the table. */
  readonly indexed: Promise<Progress>;
  /** Records that were taken over from what is kept of it: those behind them are read. */
  readonly takenOver: number;
  readonly #connection: Connection;
  readonly #connectReader: (() => Promise<Connection>) | undefined;
  readonly #listeners = new Set<(progress: Progress) => void>();
  readonly #onClose = new Set<() => void>();
  #progress: Progress = { bytes: 0, records: 0, parts: 0, pages: 0, damageCount: 0, refusedCount: 0, elapsedMs: 0, isDone: false };
  #isClosed = false;

  /** Made by `openArchive` and `reopenArchive`, with a stream that told the format; `connectReader` where it has documents. */
  constructor(name: string, format: ArchiveFormat, connection: Connection, connectReader: (() => Promise<Connection>) | undefined, items: AsyncGenerator<OpenItem>, { signal, takenOver = 0 }: SignalOption & { readonly takenOver?: number } = {}) {
    this.name = name;
    this.takenOver = takenOver;
    this.format = format;
    this.#connection = connection;
    this.#connectReader = connectReader;
    this.indexed = this.#index(items, signal);
    // Who does not wait for it need not handle its failure.
    this.indexed.catch(() => {});
  }

  /** Whether it was opened `withDocuments`. */
  get hasDocuments(): boolean {
    return this.#connectReader !== undefined;
  }

  /** How far indexing is. */
  get progress(): Progress {
    return this.#progress;
  }

  /** Calls `listener` several times a second while indexing, and once at its end. Returns how to stop that. */
  onProgress(listener: (progress: Progress) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` when the archive is closed. Returns how to stop that. */
  onClose(listener: () => void): () => void {
    this.#onClose.add(listener);
    return () => this.#onClose.delete(listener);
  }

  /** A line to this archive for `archiveOver` in another thread, which reads by it without this one, until it is closed. */
  async connect(): Promise<ArchiveLine> {
    const [asking, ending] = [new MessageChannel(), new MessageChannel()];
    await this.#connection.client.call("share", { port: asking.port1 });
    this.onClose(() => {
      ending.port1.postMessage(null);
      ending.port1.close();
    });
    return { name: this.name, port: asking.port2, ending: ending.port2 };
  }

  /** Rows in the order of the file; fewer at the end of what is indexed so far. */
  async rows(start: number, count: number, options: SignalOption = {}): Promise<RecordRow[]> {
    return decodeRows(await this.#connection.client.call("rows", { start, count }, options));
  }

  /** All rows, also those still to be indexed. */
  async *records(options: SignalOption = {}): AsyncGenerator<RecordRow, void, undefined> {
    for (let start = 0; ; ) {
      const wasDone = this.#progress.isDone;
      const rows = await this.rows(start, ITERATED_ROWS, options);
      yield* rows;
      start += rows.length;
      if (rows.length === 0) {
        if (wasDone) return;
        await this.#nextProgress();
      }
    }
  }

  /** Rows from a number on for a library to keep, some at a time, also those still to be indexed. */
  async *keyedRows(start: number, count: number, options: SignalOption = {}): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const range of this.#ranges(start, count)) yield await this.#connection.client.call("keyedRows", range, options);
  }

  /** All rows as the engine writes them, some at a time, also those still to be indexed. */
  async *packedRows(count: number, options: SignalOption = {}): AsyncGenerator<{ readonly rows: Uint8Array; readonly count: number }, void, undefined> {
    for await (const range of this.#ranges(0, count)) yield { rows: await this.#connection.client.call("rows", range, options), count: range.count };
  }

  /** Numbers of rows from one on, as they come to be there. */
  async *#ranges(start: number, count: number): AsyncGenerator<{ readonly start: number; readonly count: number }, void, undefined> {
    for (let from = start; ; ) {
      const { isDone, records } = this.#progress;
      if (from < records) {
        const some = Math.min(count, records - from);
        yield { start: from, count: some };
        from += some;
        continue;
      }
      if (isDone) return;
      await this.#nextProgress();
    }
  }

  /**
   * What `reopenArchive` needs besides the rows of an archive that was opened `isForKeeping`: as far as its first `records`
   * go, all of them where that is left out. While it is being indexed, somewhat fewer rows belong to it.
   */
  keptState({ records = Infinity, signal }: SignalOption & { readonly records?: number | undefined } = {}): Promise<Uint8Array> {
    return this.#connection.client.call("keptState", { records }, { signal });
  }

  /**
   * What records say to a reader, of an archive that was opened `withDocuments`: in the order of the rows from one on, by
   * default from where the archive was not taken over; ends when all are told. Where that cannot keep up with the reading,
   * the rest comes when all is indexed. For one caller, once. Leaving it early is `stopDocuments()`.
   */
  async *documents({ from = this.takenOver, signal }: SignalOption & { readonly from?: number } = {}): AsyncGenerator<DocumentLot, void, undefined> {
    if (!this.#connectReader) throw new ArchiveError("read/no-documents", "The archive was not opened with documents.");
    const { documentsOf } = await import("./documents.js");
    yield* documentsOf(this.#connection.client, this.#connectReader, { from, signal });
  }

  /** Gathers no more documents; reading goes on without. */
  async stopDocuments(): Promise<void> {
    await this.#connection.client.call("stopHarvest", {});
  }

  /** Parts from a number on, in the order in which they were found. */
  parts(start = 0, options: SignalOption = {}): Promise<ArchivePart[]> {
    return this.#connection.client.call("parts", { start }, options);
  }

  /** Entries of page lists, as WACZ files have them, in their order. */
  pages(start: number, count: number, options: SignalOption = {}): Promise<ArchivePage[]> {
    return this.#connection.client.call("pages", { start, count }, options);
  }

  /** What packages say of themselves and of who signed them, and whether it holds. */
  facts(options: SignalOption = {}): Promise<ArchiveFact[]> {
    return this.#connection.client.call("facts", {}, options);
  }

  /** The record of exactly this URL that was captured nearest to a time, or first. */
  async nearest(url: string, captured?: number, options: SignalOption = {}): Promise<RecordRow | undefined> {
    return decodeRows(await this.#connection.client.call("nearest", { url, captured }, options))[0];
  }

  /** The keys by which URLs are looked up in the index that a library keeps, as `surt` gives them. */
  urlKeys(urls: readonly string[], options: SignalOption = {}): Promise<string[]> {
    return this.#connection.client.call("surt", { urls }, options);
  }

  /** The files among several that could not be read. */
  refused(options: SignalOption = {}): Promise<RefusedFile[]> {
    return this.#connection.client.call("refused", {}, options);
  }

  /** The records whose URL contains `text`, in any case; of all records, also those still to be indexed. */
  filter(text: string, { parts, signal }: FilterOptions = {}): View {
    return new FilterView(this.#connection.client, { text, parts }, signal);
  }

  /** Everything that a record says of itself. */
  async detail(row: RecordRow, options: SignalOption = {}): Promise<RecordDetail> {
    return detailOf(row, await this.#connection.client.call("heads", placeOf(row), options));
  }

  /** The same, and its body where that has no more bytes than this: in one go, which takes half the time of both. */
  async short(row: RecordRow, limit: number, options: SignalOption = {}): Promise<{ readonly detail: RecordDetail; readonly body?: Uint8Array | undefined }> {
    const { heads, body } = await this.#connection.client.call("short", { ...placeOf(row), limit }, options);
    return { detail: detailOf(row, heads), body };
  }

  /** The record that holds the payload which a revisit leaves out, where it is in this archive: `read` gives its body. */
  async original(row: RecordRow, options: SignalOption = {}): Promise<RecordRow | undefined> {
    if (row.type !== "revisit") return undefined;
    return decodeRows(await this.#connection.client.call("original", placeOf(row), options))[0];
  }

  /** Reads a record in full and compares its digests with its bytes. */
  async verify(place: RecordPlace, { signal }: SignalOption = {}): Promise<RecordVerdicts> {
    for await (const verdicts of this.#connection.client.stream("verify", placeOf(place), { signal })) {
      return JSON.parse(verdicts) as RecordVerdicts;
    }
    return {};
  }

  /**
   * Reads records, by their rows, and asks what of a query no index knows: rows and what came of them, in turn; 1 where it
   * holds, 0 where not, 2 where that is not known. Of an archive that was opened `isForKeeping`, or again.
   */
  examine(query: string, rows: Iterable<number>, options: SignalOption = {}): AsyncGenerator<Uint32Array, void, undefined> {
    return this.#connection.client.stream("examine", { query, rows: Float64Array.from(rows) }, options);
  }

  /** One part of a record, as it is read. Cancelling the stream stops reading. */
  read(place: RecordPlace, what: RecordPart, options: ReadOptions = {}): ReadableStream<Uint8Array> {
    return readStream(this.#connection, place, what, options);
  }

  /** One part of a record, gathered. */
  async bytes(place: RecordPlace, what: RecordPart, options: ReadOptions = {}): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of readParts(this.#connection, place, what, options)) pieces.push(piece);
    return joined(pieces);
  }

  /**
   * Records of these rows as a file, in pieces, in the order of the archive. Records of WARC files are copied byte for byte,
   * those of other formats are made.
   */
  async *cut(ranges: readonly RowRange[], { form = "warc.gz", version = "1.1", target = "", onProgress, onDamage, signal }: CutRowsOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const request = { ranges: Float64Array.from(inOrder(ranges).flatMap(({ from, count }) => [from, count])), form, version, target };
    for await (const item of this.#connection.client.stream("cutRows", request, { signal })) {
      if (item.kind === "bytes") yield item.bytes;
      else if (item.kind === "progress") onProgress?.(item.progress);
      else onDamage?.(item.damage);
    }
  }

  /** Damage in the order of the file. The first ten thousand reports are kept. */
  damage(start: number, count: number, options: SignalOption = {}): Promise<Damage[]> {
    return this.#connection.client.call("damage", { start, count }, options);
  }

  /** Bytes of memory that the engine and, in it, the record table take. */
  memory(options: SignalOption = {}): Promise<{ module: number; table: number }> {
    return this.#connection.client.call("memory", {}, options);
  }

  /** Ends everything that is under way and frees the memory. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
    this.#listeners.clear();
    for (const listener of [...this.#onClose]) listener();
    this.#onClose.clear();
  }

  async #index(items: AsyncGenerator<OpenItem>, signal: AbortSignal | undefined): Promise<Progress> {
    try {
      for await (const item of items) {
        if (item.kind !== "progress") continue;
        this.#progress = item.progress;
        for (const listener of [...this.#listeners]) listener(item.progress);
      }
      if (!this.#progress.isDone) throw abortError();
      return this.#progress;
    } catch (error) {
      // Cancelling is meant for the whole archive: what was read of it goes too.
      if (signal?.aborted || isAbort(error)) await this.close();
      throw error;
    }
  }

  #nextProgress(): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.onProgress(() => {
        stop();
        resolve();
      });
      this.indexed.then(() => resolve(), reject);
    });
  }
}

function detailOf(row: RecordRow, packed: Uint8Array): RecordDetail {
  const heads = decodeHeads(packed);
  const field = (name: string): string | undefined => {
    const headers = heads.http?.headers ?? heads.warcHeaders;
    return headers.find(([key]) => key.toLowerCase() === name)?.[1];
  };
  const contentType = field("content-type");
  const charset = contentType && /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  const contentEncoding = heads.http && field("content-encoding");
  const transferEncoding = heads.http && field("transfer-encoding");
  return {
    ...row,
    ...heads,
    ...(contentType !== undefined && { contentType }),
    ...(charset && { charset: charset.toLowerCase() }),
    ...(contentEncoding !== undefined && { contentEncoding }),
    ...(transferEncoding !== undefined && { transferEncoding }),
  };
}

/** In the order of the archive, each row once. */
function inOrder(ranges: readonly RowRange[]): RowRange[] {
  const merged: { from: number; count: number }[] = [];
  for (const { from, count } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.from + last.count) last.count = Math.max(last.count, from + count - last.from);
    else merged.push({ from, count });
  }
  return merged;
}

/** One part of a record, piece by piece. */
export async function* readParts(
  connection: Connection,
  place: RecordPlace,
  what: RecordPart,
  { signal, limit = Infinity }: ReadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (limit <= 0) return;
  const request = { ...placeOf(place), what };
  let left = limit;
  for await (const piece of connection.client.stream("read", request, { signal })) {
    yield piece.length > left ? piece.slice(0, left) : piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}

function placeOf({ part = 0, offset, skip = 0 }: RecordPlace): Place {
  return { part, offset, skip };
}

function readStream(connection: Connection, place: RecordPlace, what: RecordPart, options: ReadOptions): ReadableStream<Uint8Array> {
  const parts = readParts(connection, place, what, options);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}
