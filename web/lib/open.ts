/** Opening: from what the caller has to an archive, an inspection, or one record. Knows no host. */

import { Archive, readParts, type ReadOptions, type SignalOption } from "./archive.js";
import type { Connect, ConnectOptions, Hire } from "./connection.js";
import { ArchiveError, abortError, checkAbort } from "./errors.js";
import type { SourceRef } from "./protocol.js";
import type { InspectedDamage, InspectedRecord, Progress, RecordPart } from "./shapes.js";

/** What can be opened: a file, bytes, or a URL (in Node also a path). */
export type ArchiveSource = Blob | URL | string | Uint8Array | ArrayBuffer;

export interface OpenOptions extends ConnectOptions {
  /** Shown to people; taken from the source if absent. */
  readonly name?: string | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** How many workers read a gzip archive at once, in browsers: none for 0, up to four for "auto". */
  readonly workers?: number | "auto" | undefined;
}

export type Referrer = (source: ArchiveSource) => SourceRef;

/** The forms of a source that every host knows. */
export function referTo(source: ArchiveSource): SourceRef {
  if (typeof source === "string" || source instanceof URL) {
    return { kind: "url", url: new URL(source, globalThis.location?.href).href };
  }
  if (source instanceof Blob) return { kind: "blob", blob: source };
  if (source instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(source) };
  if (source instanceof Uint8Array) return { kind: "bytes", bytes: source };
  throw new ArchiveError("source/unsupported", "An archive is opened from a file, a URL or bytes.");
}

/** The functions of the package for one host. */
export function opener(connect: Connect, refer: Referrer, hire?: Hire) {
  return {
    /**
     * Opens an archive. Resolves as soon as the file is recognised; rows appear while indexing goes on.
     * Aborting the signal ends it at any time and leaves nothing behind.
     */
    async openArchive(source: ArchiveSource, options: OpenOptions = {}): Promise<Archive> {
      const { signal } = options;
      checkAbort(signal);
      const reference = refer(source);
      // Helpers start while the engine does.
      const hiring = hire?.(workersOf(options.workers), options);
      const connection = await connect(options).catch(async (error: unknown) => {
        (await hiring)?.close();
        throw error;
      });
      const helpers = await hiring;
      const request = { source: reference, helpers: helpers?.ports ?? [] };
      const items = connection.client.stream("open", request, { signal });
      try {
        const first = await items.next();
        if (first.done || first.value.kind !== "opened") throw abortError();
        const archive = new Archive(options.name ?? nameOf(reference), first.value.format, connection, items, signal);
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

    /** Reads every record in full, with digests, and tells of damage in place. */
    async *inspectArchive(
      source: ArchiveSource,
      options: ConnectOptions = {},
    ): AsyncGenerator<InspectedRecord | InspectedDamage, void, undefined> {
      const connection = await connect(options);
      try {
        const request = { source: refer(source) };
        for await (const lines of connection.client.stream("inspect", request, { signal: options.signal })) {
          for (const line of lines.split("\n")) {
            if (line !== "") yield JSON.parse(line) as InspectedRecord | InspectedDamage;
          }
        }
      } finally {
        connection.close();
      }
    },

    /** Reads one part of the record at an offset, without indexing the archive. */
    async *readRecord(
      source: ArchiveSource,
      place: { readonly offset: number; readonly skip?: number },
      part: RecordPart,
      options: ConnectOptions & ReadOptions = {},
    ): AsyncGenerator<Uint8Array, void, undefined> {
      const connection = await connect(options);
      try {
        await connection.client.call("attach", { source: refer(source) }, { signal: options.signal });
        yield* readParts(connection, place, part, options);
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
  return Math.max(1, Math.min(cores - 1, WORKERS_MAX));
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
