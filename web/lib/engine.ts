/**
 * The engine behind the protocol: WebAssembly handles fed from sources. Runs in a worker or beside the
 * caller, in browsers and in Node. One engine holds one archive; closing its thread frees everything.
 */

import { Collection, firstBytes, needsTools } from "./collection.js";
import { ArchiveError, abortError, checkAbort, noMember, notOpen } from "./errors.js";
import { Filters } from "./filters.js";
import { parseLines } from "./lines.js";
import type { DocumentReader } from "./documentreader.js";
import type { Harvesting } from "./harvesting.js";
import type { EngineExports, EngineModule, ModuleUrls, Modules, ToolsExports } from "./module.js";
import { Client, serve, type Handlers } from "./port.js";
import { VERSION, type Calls, type CheckItem, type CutItem, type CutRequest, type CutRowsRequest, type DocumentsAsked, type FilterItem, type NamedRef, type OpenItem, type SourceRef, type Streams } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import { Records } from "./records.js";
import { release } from "./release.js";
import type { Regaining } from "./restoring.js";
import type { ArchiveFact, ArchiveFormat, Damage, Progress } from "./shapes.js";
import type { OpenSource, Source } from "./source.js";
import type { WholeRequest } from "./telling.js";
import type { Index } from "./wasm/engine.js";

const PROGRESS_MS = 100;

/** Calls are answered in any case. */
const NEVER = new AbortController().signal;

export class Engine {
  readonly #openSource: OpenSource;
  readonly #modules: Modules;
  #urls: ModuleUrls = {};
  #module: EngineModule | undefined;
  #hasTools = false;
  readonly #filters: Filters;
  readonly #records: Records;
  #collection: Collection | undefined;
  /** The file of which ranges are read for another engine. */
  #lent: { readonly file: number; readonly source: Source } | undefined;
  /** While rows are taken over. */
  #regaining: Regaining | undefined;
  /** Where documents are gathered while files are read. */
  #harvesting: Harvesting | undefined;
  /** What reads documents, where this engine is for that. */
  #reader: DocumentReader | undefined;
  #isIndexed = false;
  /** When opening began, by the clock of this thread. */
  #started = 0;
  /** Filters that wait for more rows. */
  #grown: (() => void)[] = [];

  constructor(openSource: OpenSource, modules: Modules) {
    this.#openSource = openSource;
    this.#modules = modules;
    const index = (): Index | undefined => this.#collection?.index;
    const isIndexed = (): boolean => this.#isIndexed;
    this.#filters = new Filters({
      get index() {
        return index();
      },
      get isIndexed() {
        return isIndexed();
      },
      grown: () => this.#growth(),
      tellGrowth: () => this.#tellGrowth(),
    });
    this.#records = new Records({
      collection: () => this.#collection,
      opened: () => this.#opened(),
      exports: () => this.#wasm,
      hasTools: () => this.#canKeep,
      tools: () => this.#toolsBeside(),
    });
  }

  handlers(): Handlers {
    return {
      hello: ({ version, withTools = false, ...urls }) => this.#hello(version, urls, withTools),
      lend: ({ port }) => {
        serve(port, this.handlers());
        return null;
      },
      share: ({ port }) => this.#share(port),
      attach: async ({ source, member = "" }) => ({ format: await this.#attach(source, member) }),
      rows: ({ filter, start, count }) => this.#rows(filter, start, count),
      parts: ({ start }) => this.#opened().parts(start),
      pages: ({ start, count }) => this.#opened().pages(start, count),
      facts: () => this.#facts(),
      nearest: ({ url, captured }) => this.#nearest(url, captured),
      refused: () => this.#opened().refused,
      keyedRows: ({ start, count }) => this.#keyedRows(start, count),
      keptState: ({ records }) => this.#keptState(records),
      restore: (request) => this.#restore(request),
      restoreRows: ({ rows }) => this.#restoreRows(rows),
      heads: (place) => this.#records.heads(place),
      short: (request) => this.#records.short(request),
      original: (place) => this.#records.original(place),
      damage: ({ start, count }) => parseLines<Damage>(this.#collection?.index.damage(start, count) ?? ""),
      memory: () => ({ module: this.#module?.memory.buffer.byteLength ?? 0, table: this.#collection?.index.resident() ?? 0 }),
      wasted: () => this.#collection?.wasted ?? 0,
      closeFilter: ({ filter }) => this.#closeFilter(filter),
      stopHarvest: () => this.#stopHarvest(),
      greetReader: (request) => this.#greetReader(request),
      readDocuments: ({ found }) => this.#readDocuments(found),
      surt: ({ urls }) => this.#surt(urls),
      open: (request, signal) => this.#open(request, signal),
      goOn: ({ helpers = [] }, signal) => this.#goOn(helpers, signal),
      follow: (_, signal) => this.#follow(signal),
      range: (request, signal) => this.#range(request, signal),
      harvest: ({ from }, signal) => this.#harvest(from, signal),
      filter: (request, signal) => this.#filter(request, signal),
      read: (request, signal) => this.#records.read(request, request.what, signal),
      examine: ({ query, rows }, signal) => this.#examine(query, rows, signal),
      verify: (place, signal) => this.#records.verify(place, signal),
      inspect: (request, signal) => this.#inspect(request, signal),
      cut: (request, signal) => this.#cut(request, signal),
      cutRows: (request, signal) => this.#cutRows(request, signal),
      checkQuery: ({ where }) => this.#checkQuery(where),
      check: (request, signal) => this.#tell(request, true, signal),
    };
  }

  /** Frees everything; nothing may be under way. */
  close(): void {
    this.#filters.closeAll();
    this.#regaining?.free();
    this.#regaining = undefined;
    this.#collection?.index.free();
    this.#collection = undefined;
    this.#records.close();
    this.#lent = undefined;
  }

  async #hello(asked: string, urls: ModuleUrls, withTools: boolean): Promise<{ version: string }> {
    if (asked !== VERSION) throw versionError(`the page is of version ${asked}, its worker of ${VERSION}`);
    this.#urls = urls;
    if (withTools) await this.#takeTools();
    else this.#module = checked(await this.#modules.engine(urls));
    return { version: VERSION };
  }

  get #wasm(): EngineExports {
    if (!this.#module) throw new ArchiveError("engine/not-loaded", "The engine was not greeted.");
    return this.#module.exports;
  }

  /** Goes over to the module that holds more. Handles belong to the module that made them, so those that stay are made anew. */
  async #takeTools(): Promise<void> {
    this.#module = checked(await this.#modules.tools(this.#urls));
    this.#hasTools = true;
    this.#filters.moveTo(this.#wasm);
    this.#collection?.index.free();
    this.#collection = undefined;
  }

  /** Does what may turn out to need the larger module; then once more with that. */
  async #withTools<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (this.#hasTools || !needsTools(error)) throw error;
      await this.#takeTools();
      return work();
    }
  }

  // Indexing

  async *#open({ sources: given, helpers = [], isForKeeping = false, documents = "none" }: OpenRequest, signal: AbortSignal): AsyncGenerator<OpenItem, void, undefined> {
    this.#started = performance.now();
    yield* this.#reading(helpers, signal, async function* (this: Engine, clients, tell) {
      // Only the larger module puts ranges together, knows keys of URLs and gathers documents.
      if (clients.length > 0 || isForKeeping || documents !== "none") await this.#tools();
      checkAbort(signal);
      for (let collection = this.#begin(given); ; collection = this.#begin(given)) {
        await this.#beginHarvest(collection, documents, 0);
        try {
          for await (const _ of collection.fill(this.#openSource, clients, signal)) yield* tell(collection);
          if (this.#hasTools || !collection.needsTools) break;
        } catch (error) {
          if (this.#hasTools || !needsTools(error)) throw error;
        }
        await this.#takeTools();
      }
    });
  }

  /** Goes on with an archive whose rows are taken over. */
  async *#goOn(helpers: readonly MessagePort[], signal: AbortSignal): AsyncGenerator<OpenItem, void, undefined> {
    yield* this.#reading(helpers, signal, async function* (this: Engine, clients, tell) {
      const regaining = this.#regained();
      this.#regaining = undefined;
      for await (const _ of regaining.goOn(this.#openSource, clients, signal)) yield* tell(regaining.collection);
    });
  }

  /** Reads files into the index with helpers, by what `read` yields, and tells how far that is. */
  async *#reading(ports: readonly MessagePort[], signal: AbortSignal, read: Reading): AsyncGenerator<OpenItem, void, undefined> {
    const helpers = ports.map((port) => new Client(port));
    const breath = new Breath();
    let isTold = false;
    let hasToldRows = false;
    let toldAt = -PROGRESS_MS;
    const tell = async function* (this: Engine, collection: Collection): AsyncGenerator<OpenItem, void, undefined> {
      if (!isTold && collection.format) yield { kind: "opened", format: collection.format };
      isTold = true;
      await breath.take();
      this.#harvesting?.hasRead();
      // The first rows are told at once: a slow source may leave it at them for long.
      if (!hasToldRows || performance.now() - toldAt >= PROGRESS_MS) {
        toldAt = performance.now();
        hasToldRows = collection.index.records() > 0;
        this.#tellGrowth();
        yield this.#progress(false);
      }
    }.bind(this);
    try {
      yield* read.call(this, helpers, tell);
    } catch (error) {
      // What was read stays, so how much that is has to be known.
      if (isTold && !signal.aborted && this.#collection) yield this.#progress(false);
      throw error;
    } finally {
      for (const client of helpers) client.close(abortError());
      this.#harvesting?.end();
      this.#isIndexed = true;
      this.#tellGrowth();
    }
    yield this.#progress(true);
  }

  #progress(isDone: boolean): OpenItem {
    return { kind: "progress", progress: progressOf(this.#opened(), this.#started, isDone) };
  }

  #begin(given: readonly NamedRef[]): Collection {
    const collection = new Collection(this.#wasm, given);
    this.#collection = collection;
    return collection;
  }

  #share(port: MessagePort): null {
    const { rows, parts, nearest, heads, short, original, surt, follow, read } = this.handlers();
    serve(port, { rows, parts, nearest, heads, short, original, surt, follow, read });
    return null;
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<OpenItem, void, undefined> {
    const { format } = this.#opened();
    yield { kind: "opened", format: format ?? "collection" };
    signal.addEventListener("abort", () => this.#tellGrowth());
    while (!this.#isIndexed && !signal.aborted) {
      yield this.#progress(false);
      await this.#growth();
    }
    if (!signal.aborted) yield this.#progress(true);
  }

  /** Reads a range for another engine. */
  async *#range({ source, file, job }: { source: SourceRef; file: number; job: Float64Array }, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const { Range } = await this.#tools();
    checkAbort(signal);
    if (this.#lent?.file !== file) this.#lent = { file, source: await this.#openSource(source) };
    const range = new Range(job);
    try {
      const breath = new Breath();
      for await (const _ of pump(this.#lent.source, range, signal, job[4])) {
        const report = range.report();
        if (report.length > 0) yield report;
        if (range.has_ended()) return;
        await breath.take();
      }
    } finally {
      range.free();
    }
  }

  #growth(): Promise<void> {
    return new Promise((resolve) => this.#grown.push(resolve));
  }

  #tellGrowth(): void {
    const waiting = this.#grown;
    this.#grown = [];
    for (const wake of waiting) wake();
  }

  // Rows and filters

  #rows(filter: number | undefined, start: number, count: number): Uint8Array {
    const { index } = this.#opened();
    if (filter === undefined) return index.rows(start, count);
    return this.#filters.rows(filter, index, start, count);
  }

  get #canKeep(): boolean {
    return "keyed_rows" in this.#wasm;
  }

  #keyedRows(start: number, count: number): Uint8Array {
    const { index } = this.#opened();
    if (!this.#canKeep) throw notForKeeping();
    return (this.#wasm as unknown as ToolsExports).keyed_rows(index, start, count);
  }

  async #keptState(records: number): Promise<Uint8Array> {
    const collection = this.#opened();
    if (!this.#canKeep || this.#regaining) throw notForKeeping();
    const { keptState } = await import("./restoring.js");
    return keptState(this.#wasm as unknown as ToolsExports, collection, records);
  }

  async #restore({ sources: given, state, documents = "none" }: RestoreRequest): Promise<{ format: ArchiveFormat; records: number }> {
    this.#started = performance.now();
    const [tools, { Regaining }] = await Promise.all([this.#tools(), import("./restoring.js")]);
    this.#regaining = await Regaining.begin(tools, given, state, this.#openSource);
    this.#collection = this.#regaining.collection;
    await this.#beginHarvest(this.#collection, documents, this.#regaining.records);
    return { format: this.#collection.format ?? "collection", records: this.#regaining.records };
  }

  #restoreRows(rows: Uint8Array): Progress {
    const regaining = this.#regained();
    regaining.takeRows(rows);
    this.#tellGrowth();
    return progressOf(regaining.collection, this.#started, false);
  }

  // Documents

  /** Documents of rows before the first one are not in what is going to be read. */
  async #beginHarvest(collection: Collection, asked: DocumentsAsked, first: number): Promise<void> {
    if (asked === "none") return;
    const [tools, { Harvesting }] = await Promise.all([this.#tools(), import("./harvesting.js")]);
    this.#harvesting = new Harvesting(tools, collection, asked === "afterwards" ? Infinity : first);
  }

  async *#harvest(from: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    if (!this.#harvesting) throw new ArchiveError("read/no-documents", "The archive was not opened with documents.");
    yield* this.#harvesting.lots(from, signal);
  }

  #stopHarvest(): null {
    this.#harvesting?.stop();
    return null;
  }

  async #greetReader({ version: asked, documentsUrl, pdfUrl }: Parameters<Calls["greetReader"]>[0]): Promise<{ version: string }> {
    if (asked !== VERSION) throw versionError(`the page is of version ${asked}, its worker of ${VERSION}`);
    const [{ DocumentReader }, documents] = await Promise.all([import("./documentreader.js"), this.#modules.documents(documentsUrl)]);
    const version = documents.version();
    if (version !== VERSION) throw versionError(`the reader of documents is of version ${version}, its worker of ${VERSION}`);
    this.#reader = new DocumentReader(documents, () => this.#modules.pdf(pdfUrl));
    return { version };
  }

  async #readDocuments(found: Uint8Array): Promise<Uint8Array> {
    if (!this.#reader) throw new ArchiveError("engine/not-loaded", "The reader of documents was not greeted.");
    // The row up to which all is told stands before the bodies.
    const documents = await this.#reader.read(found.subarray(8));
    release(found);
    return documents;
  }

  #regained(): Regaining {
    if (!this.#regaining) throw new ArchiveError("read/not-open", "No archive is being opened again.");
    return this.#regaining;
  }

  #nearest(url: string, captured: number | undefined): Uint8Array {
    const { index } = this.#opened();
    const row = index.nearest(url, captured === undefined ? undefined : captured / 1000);
    return row === undefined ? new Uint8Array(0) : index.rows(row, 1);
  }

  async *#filter({ text, parts }: FilterRequest, signal: AbortSignal): AsyncGenerator<FilterItem, void, undefined> {
    this.#opened();
    yield* this.#filters.run(this.#wasm, text, parts, signal);
  }

  #closeFilter(filter: number): null {
    this.#filters.close(filter);
    return null;
  }

  // Records

  /** Makes a file known without indexing it, or a member of it. */
  async #attach(reference: SourceRef, member: string): Promise<ArchiveFormat> {
    const source = await this.#openSource(reference);
    const start = await firstBytes(source, NEVER);
    const finder = await this.#withTools(() => new this.#wasm.PartFinder(start, source.size, member));
    this.#records.attach(finder, source);
    if (!finder.is_found()) {
      for await (const _ of pump(source, finder, NEVER)) if (finder.is_found()) break;
    }
    const format = finder.format();
    if (format === undefined) throw noMember(member);
    return format as ArchiveFormat;
  }

  async *#examine(query: string, rows: Float64Array, signal: AbortSignal): AsyncGenerator<Uint32Array, void, undefined> {
    const opened = this.#opened();
    if (!this.#canKeep) throw notForKeeping();
    const { examine } = await import("./examine.js");
    yield* examine(opened, this.#wasm as unknown as ToolsExports, query, rows, signal);
  }

  async *#inspect(request: WholeRequest, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    for await (const item of this.#tell(request, false, signal)) if (item.kind === "lines") yield item.lines;
  }

  async *#tell(request: WholeRequest, isOfProblems: boolean, signal: AbortSignal): AsyncGenerator<CheckItem, void, undefined> {
    const [tools, { told }] = await Promise.all([this.#tools(), import("./telling.js")]);
    yield* told(tools, await this.#openSource(request.source), request, isOfProblems, signal);
  }

  /** Signatures are verified on demand, so the first module does without what reads them. */
  async #facts(): Promise<ArchiveFact[]> {
    const facts = parseLines<ArchiveFact>(this.#opened().index.facts());
    if (!facts.some(({ aside }) => aside === "signature")) return facts;
    const { proven } = await import("./signatures.js");
    return Promise.all(facts.map((fact) => (fact.aside === "signature" ? proven(fact, () => this.#toolsBeside()) : fact)));
  }

  async *#cut(request: CutRequest, signal: AbortSignal): AsyncGenerator<CutItem, void, undefined> {
    const [exports, { cutRecords, cutting }] = await Promise.all([this.#tools(), import("./picks.js")]);
    const source = await this.#openSource(request.source);
    const start = await firstBytes(source, signal);
    yield* cutRecords(source, cutting(exports, start, source, request), signal);
  }

  async *#cutRows(request: CutRowsRequest, signal: AbortSignal): AsyncGenerator<CutItem, void, undefined> {
    const { cutRows } = await import("./picks.js");
    const opened = this.#opened();
    if (this.#canKeep) return yield* cutRows(opened, this.#wasm as unknown as ToolsExports, this.#openSource, request, signal);
    // What the first module indexed, the larger one does not know: it indexes it once more, beside.
    const { exports } = checked(await this.#modules.tools(this.#urls));
    const again = new Collection(exports, opened.given);
    try {
      const breath = new Breath();
      for await (const _ of again.fill(this.#openSource, [], signal)) await breath.take();
      yield* cutRows(again, exports as unknown as ToolsExports, this.#openSource, request, signal);
    } finally {
      again.index.free();
    }
  }

  async #checkQuery(where: string): Promise<null> {
    (await this.#tools()).check_query(where);
    return null;
  }

  /** Beside what is open, which is the first module's. */
  async #toolsBeside(): Promise<ToolsExports> {
    return (this.#canKeep ? this.#wasm : checked(await this.#modules.tools(this.#urls)).exports) as unknown as ToolsExports;
  }

  async #surt(urls: readonly string[]): Promise<string[]> {
    const { surt } = await this.#toolsBeside();
    return urls.map((url) => surt(url));
  }

  /** What only the module of tools has. */
  async #tools(): Promise<ToolsExports> {
    if (!("Cutting" in this.#wasm)) await this.#takeTools();
    return this.#wasm as unknown as ToolsExports;
  }

  #opened(): Collection {
    if (!this.#collection) throw notOpen();
    return this.#collection;
  }
}

type OpenRequest = Parameters<Streams["open"]>[0];
type RestoreRequest = Parameters<Calls["restore"]>[0];

type Reading = (this: Engine, helpers: readonly Client[], tell: (collection: Collection) => AsyncGenerator<OpenItem, void, undefined>) => AsyncGenerator<OpenItem, void, undefined>;

type FilterRequest = Parameters<Streams["filter"]>[0];

function progressOf(collection: Collection, started: number, isDone: boolean): Progress {
  const { index, bytes, bytesTotal, refused } = collection;
  return {
    bytes: isDone ? (bytesTotal ?? bytes) : bytes,
    ...(bytesTotal !== undefined && { bytesTotal }),
    records: index.records(),
    parts: index.part_count(),
    pages: index.page_count(),
    damageCount: index.damage_count(),
    refusedCount: refused.length,
    elapsedMs: performance.now() - started,
    isDone,
  };
}

function notForKeeping(): ArchiveError {
  return new ArchiveError("read/not-for-keeping", "The archive was not opened to be kept.");
}

function checked(module: EngineModule): EngineModule {
  const version = module.exports.version();
  if (version !== VERSION) throw versionError(`the engine is of version ${version}, its worker of ${VERSION}`);
  return module;
}

function versionError(which: string): ArchiveError {
  return new ArchiveError("engine/version", `Parts of different versions met: ${which}. Reload the page.`);
}
