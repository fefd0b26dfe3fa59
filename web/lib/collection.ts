/**
 * The files of a collection, read into one index one after another, and who reads them. A file that cannot be read
 * among several is noted, and the others are read.
 */

import { remembered } from "./blocks.js";
import { ArchiveError, checkAbort, errorToWire, isAbort } from "./errors.js";
import type { EngineExports, ToolsExports } from "./module.js";
import type { Client } from "./port.js";
import type { NamedRef, Place, SourceRef } from "./protocol.js";
import { pump } from "./pump.js";
import type { ArchiveFormat, ArchivePage, ArchivePart, RefusedFile } from "./shapes.js";
import type { OpenSource, Source } from "./source.js";
import type { Index, RecordReader } from "./wasm/engine.js";
import type { Splitting } from "./wasm/tools.js";

/** Enough to recognise a file by. */
const START_BYTES = 64 << 10;

export interface File {
  readonly name: string;
  /** By the order in which files were given. */
  readonly number: number;
  readonly source: Source;
}

export class Collection {
  readonly index: Index;
  readonly refused: RefusedFile[] = [];
  /** Of the first file that was recognised, or of them together. */
  format: ArchiveFormat | undefined;
  bytes = 0;
  /** Absent while the length of a source is not known. */
  bytesTotal: number | undefined;
  /** Bytes that helpers read in vain. */
  wasted = 0;
  readonly given: readonly NamedRef[];
  readonly #wasm: EngineExports;
  /** Those that were recognised, in the order of the index. */
  readonly files: File[] = [];
  /** Of the files that are given, by their numbers, as far as they were opened. */
  readonly sources = new Map<number, Source>();
  readonly #remembered = new Map<File, Source>();
  /** Of the files that are given, those before this one are read, or refused. */
  next = 0;

  constructor(wasm: EngineExports, given: readonly NamedRef[], index: Index = new wasm.Index()) {
    this.#wasm = wasm;
    this.given = given;
    this.index = index;
    for (const { name } of given) this.index.expect_file(name);
  }

  /** Reads all files that are not read yet; yields whenever more of them may be in the index. */
  async *fill(openSource: OpenSource, helpers: readonly Client[], signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const files: File[] = [];
    for (const [number, { source, name }] of this.given.entries()) {
      if (number < this.next) continue;
      const opened = await this.#attempt(number, name, () => openSource(source));
      if (opened) files.push({ number, name, source: opened });
    }
    for (const { number, source } of files) this.sources.set(number, source);
    for (const file of files) {
      this.next = file.number;
      const started = await this.#attempt(file.number, file.name, () => this.#begin(file, signal));
      this.bytesTotal = this.#sizes();
      if (started === undefined) continue;
      yield;
      yield* this.take(file, this.bytes, this.#read(file, started, helpers, signal));
    }
    this.next = this.given.length;
    if (this.files.length === 0) throw this.#nothing();
  }

  /** Whether something was left out that the larger module reads. */
  get needsTools(): boolean {
    return this.index.needs_tools();
  }

  parts(start: number): ArchivePart[] {
    const lines = this.index.parts(start).split("\n").filter((line) => line !== "");
    return lines.map((text, at) => {
      const { file, name, format, firstRow } = JSON.parse(text) as ArchivePart;
      const { name: fileName = "", number = file } = this.files[file] ?? {};
      return { part: start + at, file: number, name: name === "" ? fileName : `${fileName}!${name}`, format, firstRow };
    });
  }

  pages(start: number, count: number): ArchivePage[] {
    const lines = this.index.pages(start, count).split("\n").filter((line) => line !== "");
    return lines.map((text, at) => {
      const { source, url, title, date } = JSON.parse(text) as { source: number; url: string; title?: string; date?: string };
      const captured = Date.parse(date ?? "");
      return {
        page: start + at,
        file: this.files[source]?.number ?? source,
        url,
        ...(title !== undefined && { title }),
        ...(!Number.isNaN(captured) && { captured }),
      };
    });
  }

  place(row: number): Place {
    const [part = 0, offset = 0, skip = 0] = this.index.place(row);
    return { part, offset, skip };
  }

  /** Moves a reader to the record in which a body goes on; the source that this one lies in. */
  nextSegment(reader: RecordReader): Source | undefined {
    const row = reader.go_on(this.index);
    return row === undefined ? undefined : this.sourceOf(this.place(row).part);
  }

  /** Where the bytes of single records come from that lie in a part. */
  sourceOf(part: number): Source | undefined {
    const file = this.files[this.index.file_of(part) ?? -1];
    if (!file) return undefined;
    const source = this.#remembered.get(file) ?? remembered(file.source);
    this.#remembered.set(file, source);
    return source;
  }

  /** A reader of the record at a place, and the source to feed it from. */
  reader(part: number, offset: number, skip: number, what: string): { reader: RecordReader; source: Source } {
    const reader = new this.#wasm.RecordReader(this.index, part, offset, skip, what);
    const source = this.sourceOf(part);
    if (source) return { reader, source };
    reader.free();
    throw new ArchiveError("read/no-record", "There is no such part of this archive.");
  }

  /** Bytes of all files. What is read later is known by now; what is refused is not waited for. */
  #sizes(): number | undefined {
    const rest = [...this.sources].filter(([number]) => !this.refused.some((one) => one.file === number));
    return sum(rest.map(([, { size }]) => size));
  }

  /** Goes through a file that is read, and notes how far that is. */
  async *take(file: File, before: number, positions: AsyncGenerator<number>): AsyncGenerator<void, void, undefined> {
    try {
      for await (const position of positions) {
        this.bytes = before + position;
        this.bytesTotal ??= this.#sizes();
        yield;
      }
      this.bytes = before + (file.source.size ?? this.bytes - before);
    } catch (error) {
      this.#refuse(file.number, file.name, error);
    }
    this.next = file.number + 1;
  }

  /** Recognises a file by its first bytes. */
  async #begin(file: File, signal: AbortSignal): Promise<ArchiveFormat> {
    const start = await firstBytes(file.source, signal);
    const format = this.index.begin(start, file.source.size) as ArchiveFormat;
    this.files.push(file);
    this.format = this.given.length > 1 ? "collection" : format;
    return format;
  }

  /** Reads a file into the index, alone or with helpers; yields how far that is. */
  async *#read(file: File, format: ArchiveFormat, helpers: readonly Client[], signal: AbortSignal): AsyncGenerator<number, void, undefined> {
    const { shared, size } = file.source;
    const canSplit = helpers.length > 0 && shared && size !== undefined && format === "warc.gz";
    if (!canSplit) return yield* pump(file.source, this.index, signal);
    // With helpers the larger module is at work.
    const { Splitting } = this.#wasm as unknown as ToolsExports;
    const { rangeBytes } = await import("./split.js");
    yield* this.readInRanges(file, shared, new Splitting(size, rangeBytes(size, helpers.length), helpers.length), helpers, signal);
  }

  /** Reads a file in ranges, and frees what puts them together. */
  async *readInRanges(file: File, source: SourceRef, splitting: Splitting, helpers: readonly Client[], signal: AbortSignal): AsyncGenerator<number, void, undefined> {
    const { readInRanges } = await import("./split.js");
    try {
      yield* readInRanges(this.index, splitting, { source, file: file.number }, helpers, signal);
    } finally {
      this.wasted += splitting.wasted();
      splitting.free();
    }
  }

  /** Undefined where it fails and that was noted. */
  async #attempt<T>(number: number, name: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#refuse(number, name, error);
      return undefined;
    }
  }

  #refuse(file: number, name: string, error: unknown): void {
    if (this.given.length === 1 || isAbort(error) || needsTools(error)) throw error;
    const { code, message, offset } = errorToWire(error);
    this.refused.push({ file, name, code, message, ...(offset !== undefined && { offset }) });
  }

  #nothing(): ArchiveError {
    const [first] = this.refused;
    const message = `None of these ${this.given.length} files can be opened. ${first?.name ?? ""}: ${first?.message ?? ""}`;
    return new ArchiveError(first?.code ?? "open/empty", message);
  }
}

/** The formats that `engine` leaves to `tools` are refused by this code. */
export function needsTools(error: unknown): boolean {
  return typeof error === "string" && error.startsWith("open/needs-tools\n");
}

export async function firstBytes(source: Source, signal: AbortSignal): Promise<Uint8Array> {
  let start = new Uint8Array(0);
  for await (const chunk of source.chunks(0, signal)) {
    const joined = new Uint8Array(Math.min(START_BYTES, start.length + chunk.length));
    joined.set(start);
    joined.set(chunk.subarray(0, joined.length - start.length), start.length);
    start = joined;
    if (start.length >= START_BYTES) break;
  }
  checkAbort(signal);
  return start;
}

export function sum(sizes: readonly (number | undefined)[]): number | undefined {
  return sizes.reduce((all, size) => (all === undefined || size === undefined ? undefined : all + size), 0);
}
