/**
 * The engine behind the protocol: WebAssembly handles fed from sources. Runs in a worker or beside the
 * caller, in browsers and in Node. One engine holds one archive; closing its thread frees everything.
 */

import { ArchiveError, abortError, checkAbort } from "./errors.js";
import type { EngineExports, EngineModule, ModuleUrls, Modules } from "./module.js";
import { Client, serve, type Handlers } from "./port.js";
import { VERSION, type FilterItem, type OpenItem, type Place, type SourceRef } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import type { ArchiveFormat, Damage, Progress, RecordPart } from "./shapes.js";
import type { OpenSource, Source } from "./source.js";
import { rangeBytes, readInRanges } from "./split.js";
import type { Index, RecordReader, UrlFilter } from "./wasm/engine.js";

const PROGRESS_MS = 100;
/** URLs that a filter looks at between two breaths: about two milliseconds. */
const FILTER_ROWS = 8192;
/** Enough to recognise a file by. */
const START_BYTES = 64 << 10;

export class Engine {
  readonly #openSource: OpenSource;
  readonly #modules: Modules;
  #urls: ModuleUrls = {};
  #module: EngineModule | undefined;
  #hasTools = false;
  readonly #filters = new Map<number, UrlFilter>();
  #lastFilter = 0;
  #source: Source | undefined;
  #index: Index | undefined;
  #format: ArchiveFormat = "warc";
  #isIndexed = false;
  #wasted = 0;
  /** Filters that wait for more rows. */
  #grown: (() => void)[] = [];

  constructor(openSource: OpenSource, modules: Modules) {
    this.#openSource = openSource;
    this.#modules = modules;
  }

  handlers(): Handlers {
    return {
      hello: ({ version, ...urls }) => this.#hello(version, urls),
      lend: ({ port }) => {
        serve(port, this.handlers());
        return null;
      },
      attach: async (request) => ({ format: await this.#attach(request.source) }),
      rows: ({ filter, start, count }) => this.#rows(filter, start, count),
      heads: (place) => this.#heads(place),
      damage: ({ start, count }) => parseLines<Damage>(this.#index?.damage(start, count) ?? ""),
      memory: () => ({ module: this.#module?.memory.buffer.byteLength ?? 0, table: this.#index?.resident() ?? 0 }),
      wasted: () => this.#wasted,
      closeFilter: ({ filter }) => this.#closeFilter(filter),
      surt: ({ urls }) => urls.map((url) => this.#wasm.surt(url)),
      open: (request, signal) => this.#open(request.source, request.helpers ?? [], signal),
      range: (request, signal) => this.#range(request.source, request.job, signal),
      filter: (request, signal) => this.#filter(request.text, signal),
      read: (request, signal) => this.#read(request, request.part, signal),
      inspect: (request, signal) => this.#inspect(request.source, signal),
    };
  }

  /** Frees everything; nothing may be under way. */
  close(): void {
    for (const filter of this.#filters.values()) filter.free();
    this.#filters.clear();
    this.#index?.free();
    this.#index = undefined;
    this.#source = undefined;
  }

  async #hello(asked: string, urls: ModuleUrls): Promise<{ version: string }> {
    if (asked !== VERSION) throw versionError(`the page is of version ${asked}, its worker of ${VERSION}`);
    this.#urls = urls;
    this.#module = checked(await this.#modules.engine(urls));
    return { version: VERSION };
  }

  get #wasm(): EngineExports {
    if (!this.#module) throw new ArchiveError("engine/not-loaded", "The engine was not greeted.");
    return this.#module.exports;
  }

  /** Goes over to the module that holds more. Nothing may be open: handles belong to the module that made them. */
  async #takeTools(): Promise<void> {
    this.#hasTools = true;
    this.#module = checked(await this.#modules.tools(this.#urls));
  }

  /** Recognises a source by its first bytes. */
  async #recognise<T>(reference: SourceRef, make: (start: Uint8Array) => T): Promise<[Source, T]> {
    const source = await this.#openSource(reference);
    const start = await firstBytes(source);
    try {
      return [source, make(start)];
    } catch (error) {
      if (this.#hasTools || !needsTools(error)) throw error;
      await this.#takeTools();
      return [source, make(start)];
    }
  }

  async #attach(reference: SourceRef): Promise<ArchiveFormat> {
    const [source, index] = await this.#recognise(reference, (start) => new this.#wasm.Index(start));
    this.#source = source;
    this.#format = index.is_gzip() ? "warc.gz" : "warc";
    index.free();
    return this.#format;
  }

  async *#open(
    reference: SourceRef,
    helpers: readonly MessagePort[],
    signal: AbortSignal,
  ): AsyncGenerator<OpenItem, void, undefined> {
    const started = performance.now();
    const [source, index] = await this.#recognise(reference, (start) => new this.#wasm.Index(start));
    checkAbort(signal);
    this.#source = source;
    this.#index = index;
    this.#format = index.is_gzip() ? "warc.gz" : "warc";
    let bytes = 0;
    const progress = (isDone: boolean): OpenItem => {
      const snapshot: Progress = {
        bytes,
        ...(source.size !== undefined && { bytesTotal: source.size }),
        records: index.records(),
        damageCount: index.damage_count(),
        elapsedMs: performance.now() - started,
        isDone,
      };
      return { kind: "progress", progress: snapshot };
    };
    yield { kind: "opened", format: this.#format };

    const breath = new Breath();
    let toldAt = -PROGRESS_MS;
    try {
      for await (const position of this.#fill(source, index, helpers, signal)) {
        bytes = position;
        await breath.take();
        if (performance.now() - toldAt < PROGRESS_MS) continue;
        toldAt = performance.now();
        this.#tellGrowth();
        yield progress(false);
      }
    } catch (error) {
      // What was read stays, so how much that is has to be known.
      if (!signal.aborted) yield progress(false);
      throw error;
    } finally {
      this.#isIndexed = true;
      this.#tellGrowth();
    }
    bytes = source.size ?? bytes;
    yield progress(true);
  }

  /** Reads the archive into the index, alone or with helpers; yields how far that is. */
  async *#fill(
    source: Source,
    index: Index,
    helpers: readonly MessagePort[],
    signal: AbortSignal,
  ): AsyncGenerator<number, void, undefined> {
    const { shared, size } = source;
    const canSplit = helpers.length > 0 && shared && size !== undefined && index.is_gzip();
    if (!canSplit) return yield* pump(source, index, signal);
    const clients = helpers.map((port) => new Client(port));
    const splitting = new this.#wasm.Splitting(size, rangeBytes(size, clients.length), clients.length);
    try {
      yield* readInRanges(index, splitting, shared, clients, signal);
    } finally {
      for (const client of clients) client.close(abortError());
      this.#wasted = splitting.wasted();
      splitting.free();
    }
  }

  async *#range(reference: SourceRef, job: Float64Array, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    // All jobs of an engine are of one archive.
    this.#source ??= await this.#openSource(reference);
    const range = new this.#wasm.Range(job);
    try {
      const breath = new Breath();
      for await (const _ of pump(this.#source, range, signal, job[4])) {
        const report = range.report();
        if (report.length > 0) yield report;
        if (range.has_ended()) return;
        await breath.take();
      }
    } finally {
      range.free();
    }
  }

  #tellGrowth(): void {
    const waiting = this.#grown;
    this.#grown = [];
    for (const wake of waiting) wake();
  }

  #rows(filter: number | undefined, start: number, count: number): Uint8Array {
    const index = this.#openIndex();
    if (filter === undefined) return index.rows(start, count);
    return this.#filters.get(filter)?.rows(index, start, count) ?? new Uint8Array(0);
  }

  async *#filter(text: string, signal: AbortSignal): AsyncGenerator<FilterItem, void, undefined> {
    const index = this.#openIndex();
    const filter = new this.#wasm.UrlFilter(text);
    const id = ++this.#lastFilter;
    this.#filters.set(id, filter);
    const state = (isComplete: boolean): FilterItem => ({ filter: id, count: filter.count(), scanned: filter.scanned(), isComplete });
    const breath = new Breath();
    let toldAt = performance.now();
    const isOpen = (): boolean => this.#filters.has(id) && !signal.aborted;
    signal.addEventListener("abort", () => this.#tellGrowth());
    while (isOpen()) {
      const isComplete = filter.step(index, FILTER_ROWS);
      if (!isComplete) {
        await breath.take();
        if (isOpen() && performance.now() - toldAt >= PROGRESS_MS) {
          yield state(false);
          toldAt = performance.now();
        }
        continue;
      }
      yield state(this.#isIndexed);
      toldAt = performance.now();
      if (this.#isIndexed && isOpen() && filter.step(index, 0)) return;
      if (!this.#isIndexed) await new Promise<void>((resolve) => this.#grown.push(resolve));
    }
  }

  #closeFilter(id: number): null {
    const filter = this.#filters.get(id);
    this.#filters.delete(id);
    filter?.free();
    this.#tellGrowth();
    return null;
  }

  async #heads(place: Place): Promise<Uint8Array> {
    const reader = this.#reader(place, "http");
    try {
      const breath = new Breath();
      for await (const _ of pump(this.#known(), reader, new AbortController().signal)) {
        if (reader.is_done()) break;
        reader.take();
        await breath.take();
      }
      if (!reader.has_record()) throw noRecord(place);
      return reader.heads();
    } finally {
      reader.free();
    }
  }

  async *#read(place: Place, part: RecordPart, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.#reader(place, part);
    try {
      const breath = new Breath();
      for await (const _ of pump(this.#known(), reader, signal)) {
        const bytes = reader.take();
        if (bytes.length > 0) yield bytes;
        if (reader.is_done()) break;
        await breath.take();
      }
      if (!reader.has_record()) throw noRecord(place);
    } finally {
      reader.free();
    }
  }

  async *#inspect(reference: SourceRef, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const [source, inspection] = await this.#recognise(reference, (start) => new this.#wasm.Inspection(start));
    try {
      const breath = new Breath();
      for await (const _ of pump(source, inspection, signal)) {
        const lines = inspection.take();
        if (lines !== "") yield lines;
        await breath.take();
      }
    } finally {
      inspection.free();
    }
  }

  #known(): Source {
    if (!this.#source) throw new ArchiveError("read/not-open", "No archive is open.");
    return this.#source;
  }

  #openIndex(): Index {
    if (!this.#index) throw new ArchiveError("read/not-open", "No archive is open.");
    return this.#index;
  }

  #reader(place: Place, part: RecordPart): RecordReader {
    return new this.#wasm.RecordReader(this.#format === "warc.gz", place.offset, place.skip, part);
  }
}

async function firstBytes(source: Source): Promise<Uint8Array> {
  const controller = new AbortController();
  let start = new Uint8Array(0);
  for await (const chunk of source.chunks(0, controller.signal)) {
    const joined = new Uint8Array(Math.min(START_BYTES, start.length + chunk.length));
    joined.set(start);
    joined.set(chunk.subarray(0, joined.length - start.length), start.length);
    start = joined;
    if (start.length >= START_BYTES) break;
  }
  return start;
}

function parseLines<T>(lines: string): T[] {
  return lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

function noRecord(place: Place): ArchiveError {
  return new ArchiveError("read/no-record", "There is no record at this place.", { offset: place.offset });
}

/** The formats that `engine` leaves to `tools` are refused by this code. */
function needsTools(error: unknown): boolean {
  return typeof error === "string" && error.startsWith("open/needs-tools\n");
}

function checked(module: EngineModule): EngineModule {
  const version = module.exports.version();
  if (version !== VERSION) throw versionError(`the engine is of version ${version}, its worker of ${VERSION}`);
  return module;
}

function versionError(which: string): ArchiveError {
  return new ArchiveError("engine/version", `Parts of different versions met: ${which}. Reload the page.`);
}
