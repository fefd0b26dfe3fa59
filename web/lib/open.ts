/** Opening: from what the caller has to an archive, an inspection, or one record. Knows no host. */

import { Archive, readParts, type ReadOptions, type SignalOption } from "./archive.js";
import type { Connect, ConnectOptions, Connection, Helpers, Hire } from "./connection.js";
import { ArchiveError, abortError, checkAbort } from "./errors.js";
import type { CutRequest, DocumentsAsked, NamedRef, OpenItem, SourceRef } from "./protocol.js";
import { httpAddress, objectAt } from "./s3.js";
import type { CheckSummary, CutProgress, InspectedDamage, InspectedRecord, Problem, Progress, ReadProgress, RecordPart } from "./shapes.js";

/** What can be opened: a file, bytes, or a URL, `s3://bucket/key` too (in Node also a path). */
export type ArchiveSource = Blob | URL | string | Uint8Array | ArrayBuffer;

/** A source that goes by another name, such as a file's path in its folder. */
export interface NamedSource {
  readonly source: ArchiveSource;
  readonly name: string;
}

/** A folder: all files below it. Browsers have such handles; Node has paths. */
export type FolderSource = FileSystemDirectoryHandle;

export type CollectionSource = ArchiveSource | NamedSource | FolderSource;

export interface OpenOptions extends ConnectOptions {
  /** Shown to people; taken from the source if absent. */
  readonly name?: string | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** How many workers read a gzip archive at once, in browsers: none for 0; for "auto" up to four, and none on two cores. */
  readonly workers?: number | "auto" | undefined;
  /** Whether a library is to keep it. */
  readonly isForKeeping?: boolean | undefined;
  /**
   * Whether `documents()` gives what its records say. Some MB of them are held until they are taken; those that follow are
   * read once more, and so is all that several workers read.
   */
  readonly withDocuments?: boolean | undefined;
}

export type ReopenOptions = Omit<OpenOptions, "isForKeeping">;

/** What is kept of an archive: its state, as `Archive.keptState` gave it, and its rows in their order, as its index has them. */
export interface KeptRecords {
  readonly state: Uint8Array;
  readonly rows: () => AsyncIterable<Uint8Array>;
}

/** Which records are cut out of an archive, and how they are written. */
export interface CutOptions extends ConnectOptions, MemberOption {
  /** A query of record columns, such as `type:response status:4xx`; all records without one. */
  readonly where?: string | undefined;
  /** A gzip member for each record. */
  readonly gzip?: boolean | undefined;
  /** Version of WARC in which records are written that come from other formats. */
  readonly version?: "1.0" | "1.1" | undefined;
  /** Name of the source, told in what is written; taken from the source if absent. */
  readonly name?: string | undefined;
  /** Name of the file that the bytes are for. */
  readonly target?: string | undefined;
  readonly onProgress?: ((progress: CutProgress) => void) | undefined;
  readonly onDamage?: ((damage: InspectedDamage) => void) | undefined;
}

export type Referrer = (source: ArchiveSource) => SourceRef;

export interface MemberOption {
  /** Name of the member of the file that is meant, in members of members with `!` between. */
  readonly member?: string | undefined;
}

export interface InspectOptions extends ConnectOptions, MemberOption {
  /** Whether every line says the file; those about its members do in any case. */
  readonly isAlwaysNamed?: boolean | undefined;
}

export interface CheckOptions extends InspectOptions {
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

/** What a folder holds, where the source is one. */
export type ListFolder = (source: ArchiveSource | FolderSource) => Promise<NamedSource[] | undefined>;

/** The forms of a source that every host knows. */
export function referTo(source: ArchiveSource): SourceRef {
  if (typeof source === "string" || source instanceof URL) {
    const url = new URL(source, globalThis.location?.href).href;
    const object = objectAt(url);
    return { kind: "url", url: object ? httpAddress(object) : url };
  }
  if (source instanceof Blob) return { kind: "blob", blob: source };
  if (source instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(source) };
  if (source instanceof Uint8Array) return { kind: "bytes", bytes: source };
  throw new ArchiveError("source/unsupported", "An archive is opened from a file, a URL or bytes.");
}

/** The functions of the package for one host. */
export function opener(connect: Connect, refer: Referrer, listFolder: ListFolder, connectReader: Connect, hireAny?: Hire) {
  const hire = (options: OpenOptions): Promise<Helpers> | undefined => hireAny?.(workersOf(options.workers), options);
  /** Helpers tell rows, and no bodies: documents are read once more then. */
  const documentsBy = ({ withDocuments, workers }: OpenOptions): DocumentsAsked =>
    withDocuments !== true ? "none" : hireAny && workersOf(workers) > 0 ? "afterwards" : "while-reading";

  const readerOf = (options: ReopenOptions): (() => Promise<Connection>) | undefined =>
    options.withDocuments === true ? () => connectReader({ ...options, signal: undefined }) : undefined;

  const named = (source: ArchiveSource, name?: string): NamedRef => {
    const reference = refer(source);
    return { source: reference, name: name ?? nameOf(reference) };
  };

  async function allOf(source: CollectionSource): Promise<NamedRef[]> {
    if (isNamed(source)) return [named(source.source, source.name)];
    const listed = await listFolder(source);
    if (listed) return listed.map((one) => named(one.source, one.name));
    return [named(source as ArchiveSource)];
  }

  async function listed(source: CollectionSource | readonly CollectionSource[]): Promise<NamedRef[]> {
    const asked: readonly CollectionSource[] = isSeveral(source) ? source : [source];
    const sources = (await Promise.all(asked.map(allOf))).flat();
    if (sources.length === 0) throw new ArchiveError("open/empty", "There is no file to open.");
    return sources;
  }

  /** Hands the rows over, two lots at a time, and has what is missing read. */
  async function* regained({ client }: Connection, rows: AsyncIterable<Uint8Array>, records: number, options: ReopenOptions): AsyncGenerator<OpenItem, void, undefined> {
    const { signal } = options;
    let last: Promise<Progress> | undefined;
    for await (const some of rows) {
      checkAbort(signal);
      const taken = client.call("restoreRows", { rows: some }, { signal });
      taken.catch(() => {});
      const progress = await last;
      last = taken;
      if (progress) yield { kind: "progress", progress };
      // Those that are read again are kept, too.
      if (progress?.records === records) break;
    }
    const progress = await last;
    if (progress) yield { kind: "progress", progress };
    // Helpers are of use only where something is to be read.
    const helpers = await hire(options);
    try {
      yield* client.stream("goOn", { helpers: helpers?.ports ?? [] }, { signal });
    } finally {
      helpers?.close();
    }
  }

  async function* linesOf<T>(stream: "inspect" | "check", source: ArchiveSource | NamedSource, options: CheckOptions): AsyncGenerator<T, void, undefined> {
    const connection = await connect(options, { withTools: true });
    try {
      const one = isNamed(source) ? named(source.source, source.name) : named(source);
      const request = { ...one, isAlwaysNamed: options.isAlwaysNamed === true, member: options.member };
      for await (const item of connection.client.stream(stream, request, { signal: options.signal })) {
        if (typeof item !== "string" && item.kind === "progress") {
          options.onProgress?.(item.progress);
          continue;
        }
        for (const line of (typeof item === "string" ? item : item.lines).split("\n")) {
          if (line !== "") yield JSON.parse(line) as T;
        }
      }
    } finally {
      connection.close();
    }
  }

  return {
    /**
     * Opens an archive, or several as one: an array of sources, or a folder. Resolves as soon as a file is recognised;
     * rows appear while indexing goes on. Among several, a file that cannot be read is told of and the others are read.
     * Aborting the signal ends it at any time and leaves nothing behind.
     */
    async openArchive(source: CollectionSource | readonly CollectionSource[], options: OpenOptions = {}): Promise<Archive> {
      const { signal } = options;
      checkAbort(signal);
      const sources = await listed(source);
      // Helpers start while the engine does.
      const hiring = hire(options);
      const withTools = options.isForKeeping === true || documentsBy(options) !== "none" || workersOf(options.workers) > 0;
      const connection = await connect(options, { withTools }).catch(async (error: unknown) => {
        (await hiring)?.close();
        throw error;
      });
      const helpers = await hiring;
      const request = { sources, helpers: helpers?.ports ?? [], isForKeeping: options.isForKeeping === true, documents: documentsBy(options) };
      const items = connection.client.stream("open", request, { signal });
      try {
        const first = await items.next();
        if (first.done || first.value.kind !== "opened") throw abortError();
        const archive = new Archive(options.name ?? nameOfAll(sources), first.value.format, connection, readerOf(options), items, { signal });
        if (options.onProgress) archive.onProgress(options.onProgress);
        const dismiss = (): void => helpers?.close();
        archive.indexed.then(dismiss, dismiss);
        return archive;
      } catch (error) {
        helpers?.close();
        connection.close();
        throw error;
      }
    },

    /**
     * Opens an archive of which a library keeps the index, without reading it: resolves as soon as its state is known;
     * rows appear while they are taken over. One that was broken off goes on where its state ends. The source must be the
     * same as it was then, as far as its size and a server's version tell.
     */
    async reopenArchive(source: CollectionSource | readonly CollectionSource[], kept: KeptRecords, options: ReopenOptions = {}): Promise<Archive> {
      const { signal } = options;
      checkAbort(signal);
      const sources = await listed(source);
      const connection = await connect(options, { withTools: true });
      try {
        const { format, records } = await connection.client.call("restore", { sources, state: kept.state, documents: documentsBy(options) }, { signal });
        const items = regained(connection, kept.rows(), records, options);
        const archive = new Archive(options.name ?? nameOfAll(sources), format, connection, readerOf(options), items, { signal, takenOver: records });
        if (options.onProgress) archive.onProgress(options.onProgress);
        return archive;
      } catch (error) {
        connection.close();
        throw error;
      }
    },

    /** Reads every record in full, with digests, and tells of damage in place. */
    async *inspectArchive(
      source: ArchiveSource | NamedSource,
      options: InspectOptions = {},
    ): AsyncGenerator<InspectedRecord | InspectedDamage, void, undefined> {
      yield* linesOf<InspectedRecord | InspectedDamage>("inspect", source, options);
    },

    /** Reads every record in full and tells of every problem: damage, wrong digests, fields that are missing or wrong. Ends with a summary. */
    async *checkArchive(
      source: ArchiveSource | NamedSource,
      options: CheckOptions = {},
    ): AsyncGenerator<Problem | CheckSummary, void, undefined> {
      yield* linesOf<Problem | CheckSummary>("check", source, options);
    },

    /** Reads one part of the record at an offset, without indexing the archive. */
    async *readRecord(
      source: ArchiveSource,
      place: { readonly offset: number; readonly skip?: number },
      what: RecordPart,
      options: ConnectOptions & ReadOptions & MemberOption = {},
    ): AsyncGenerator<Uint8Array, void, undefined> {
      const connection = await connect(options);
      try {
        await connection.client.call("attach", { source: refer(source), member: options.member }, { signal: options.signal });
        yield* readParts(connection, { offset: place.offset, skip: place.skip }, what, options);
      } finally {
        connection.close();
      }
    },

    /**
     * Cuts records out of an archive of any format: the bytes of a WARC file, in pieces. Records of WARC files are
     * copied byte for byte, those of other formats are made.
     */
    async *cutRecords(source: ArchiveSource, options: CutOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
      const reference = refer(source);
      const { where = "", gzip = false, version = "1.1", name = nameOf(reference), target = "", member = "", signal } = options;
      const connection = await connect(options, { withTools: true });
      try {
        const request: CutRequest = { source: reference, where, gzip, version, name, target, member };
        for await (const item of connection.client.stream("cut", request, { signal })) {
          if (item.kind === "bytes") yield item.bytes;
          else if (item.kind === "progress") options.onProgress?.(item.progress);
          else options.onDamage?.(item.damage);
        }
      } finally {
        connection.close();
      }
    },

    /** Throws an `ArchiveError` that says what is wrong with a query for `cutRecords`, and where. */
    async checkQuery(where: string, options: ConnectOptions & SignalOption = {}): Promise<void> {
      const connection = await connect(options, { withTools: true });
      try {
        await connection.client.call("checkQuery", { where }, { signal: options.signal });
      } finally {
        connection.close();
      }
    },

    /** The keys under which CDX indexes file URLs, in the order of the URLs. */
    async surt(urls: readonly string[], options: ConnectOptions & SignalOption = {}): Promise<string[]> {
      const connection = await connect(options);
      try {
        return await connection.client.call("surt", { urls }, { signal: options.signal });
      } finally {
        connection.close();
      }
    },
  };
}

const WORKERS_MAX = 4;

/** One core is left to the page. */
function workersOf(asked: number | "auto" = 0): number {
  if (asked !== "auto") return Math.max(0, Math.floor(asked));
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  return cores <= 2 ? 0 : Math.min(cores - 1, WORKERS_MAX);
}

function isSeveral(source: CollectionSource | readonly CollectionSource[]): source is readonly CollectionSource[] {
  return Array.isArray(source);
}

export function isNamed(source: CollectionSource): source is NamedSource {
  return typeof source === "object" && "source" in source && "name" in source;
}

/** The name of the one file, or of the folder in which all of them lie, or how many there are. */
function nameOfAll(sources: readonly NamedRef[]): string {
  const [first, ...others] = sources;
  const name = first?.name ?? "";
  if (others.length === 0) return name;
  const folder = name.includes("/") ? name.slice(0, name.indexOf("/") + 1) : "";
  if (folder !== "" && others.every((other) => other.name.startsWith(folder))) return folder.slice(0, -1);
  return `${name} + ${others.length}`;
}

function nameOf(reference: SourceRef): string {
  switch (reference.kind) {
    case "blob":
      return "name" in reference.blob && typeof reference.blob.name === "string" ? reference.blob.name : "archive";
    case "bytes":
      return "archive";
    case "url":
      return decodeURIComponentSafely(new URL(reference.url).pathname.split("/").pop() || reference.url);
    case "path":
      return reference.path.split(/[\\/]/).pop() ?? reference.path;
  }
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
