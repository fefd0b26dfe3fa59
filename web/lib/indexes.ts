/**
 * Capture indexes (CDX, CDXJ, ZipNum): look-ups in them, and making them from archives. The engine says what it needs
 * and this reads it: a look-up in a sorted index takes a few short reads of it. What is no index is indexed first.
 */

import { ArchiveError, checkAbort, errorFromWire, errorToWire, noMember } from "./errors.js";
import type { NamedRef, SourceRef } from "./protocol.js";
import { pump } from "./pump.js";
import type { InspectedDamage } from "./shapes.js";
import type { OpenSource, Source } from "./source.js";
import type { IndexLookup, IndexMaker } from "./wasm/tools.js";

export type IndexExports = Pick<typeof import("./wasm/tools.js"), "IndexLookup" | "IndexMaker" | "IndexWriting" | "index_kind">;

export type IndexFormat = "cdxj" | "cdx11" | "zipnum";

/** A piece of an index that is made, and of which file it is: the index itself, or the blocks or the places of a cluster. */
export interface IndexPiece {
  readonly of: "index" | "blocks" | "places";
  readonly bytes: Uint8Array;
}

export interface IndexHost {
  readonly exports: () => Promise<IndexExports>;
  readonly open: OpenSource;
  /** The file of that name beside this one, if such can be; names that lead elsewhere are not followed. */
  readonly beside: (reference: SourceRef, name: string) => SourceRef | undefined;
  /** Keeps lines that are sorted until all are. */
  readonly keep: (bytes: Uint8Array) => Promise<Kept>;
}

/** Lines that are kept. */
export interface Kept {
  readonly source: SourceRef;
  release(): Promise<void>;
}

/** An archive or an index, or a member of it. */
export interface IndexTarget extends NamedRef {
  readonly member?: string | undefined;
}

export interface IndexOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onDamage?: ((damage: InspectedDamage, name: string) => void) | undefined;
}

const TAKE = 1;
const READ = 2;
const START_BYTES = 64 << 10;
/** A file of places is a line for each part of a cluster. */
const PLACES_BYTES_MAX = 16 << 20;

const never = new AbortController().signal;

interface OpenIndex {
  readonly name: string;
  readonly reference: SourceRef;
  readonly source: Source;
  readonly places?: Uint8Array | undefined;
}

/** Rows that answer the query, in pieces of whole lines. The options are those of CDX servers, as names and values. */
export async function* lookUp(
  host: IndexHost,
  targets: readonly IndexTarget[],
  query: ReadonlyArray<readonly [string, string]>,
  options: IndexOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const exports = await host.exports();
  const { signal = never } = options;
  const kept: Kept[] = [];
  // A query that cannot be is refused before anything is read.
  const lookup = failing(() => new exports.IndexLookup(query.flat()));
  try {
    const indexes: OpenIndex[] = [];
    for (const target of targets) {
      const source = await host.open(target.source);
      // What lies in a file is read through it, and not by places.
      const kind = target.member === undefined ? exports.index_kind(await read(source, 0, START_BYTES, signal)) : "";
      if (kind === "") {
        const runs = await runsOf(host, exports, [target], false, options);
        kept.push(...runs);
        for (const run of runs) indexes.push({ name: target.name, reference: run.source, source: await host.open(run.source) });
      } else {
        const places = kind === "cluster" ? await placesOf(host, target.source, signal) : undefined;
        indexes.push({ name: target.name, reference: target.source, source, places });
      }
    }
    yield* rows(host, lookup, indexes, signal, options);
  } finally {
    lookup.free();
    for (const run of kept) await run.release();
  }
}

/** All rows of the cluster of which this is the index, in pieces of whole lines; nothing where it is no such index. */
export async function clusterRows(
  host: IndexHost,
  { name, source: reference }: NamedRef,
  options: IndexOptions = {},
): Promise<AsyncGenerator<Uint8Array, void, undefined> | undefined> {
  const exports = await host.exports();
  const { signal = never } = options;
  const source = await host.open(reference);
  if (exports.index_kind(await read(source, 0, START_BYTES, signal)) !== "cluster") return undefined;
  const places = await placesOf(host, reference, signal);
  const lookup = exports.IndexLookup.of_all();
  async function* freed(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* rows(host, lookup, [{ name, reference, source, places }], signal, options);
    } finally {
      lookup.free();
    }
  }
  return freed();
}

/** The pieces of an index of these archives, sorted. */
export async function* makeIndex(
  host: IndexHost,
  targets: readonly IndexTarget[],
  format: IndexFormat,
  part: string,
  options: IndexOptions = {},
): AsyncGenerator<IndexPiece, void, undefined> {
  const exports = await host.exports();
  const runs = await runsOf(host, exports, targets, format === "cdx11", options);
  yield* indexOf(host, exports, runs, format, part, options);
}

/** The pieces of an index of lines that are sorted in runs. */
export async function* indexOf(
  host: IndexHost,
  exports: IndexExports,
  runs: readonly Kept[],
  format: IndexFormat,
  part: string,
  options: IndexOptions = {},
): AsyncGenerator<IndexPiece, void, undefined> {
  const { signal = never } = options;
  const isCdx11 = format === "cdx11";
  const writing = new exports.IndexWriting(isCdx11, format === "zipnum" ? part : undefined);
  const merge = exports.IndexLookup.of_all();
  const of = format === "zipnum" ? "blocks" : "index";
  try {
    const indexes: OpenIndex[] = [];
    for (const { source } of runs) indexes.push({ name: part, reference: source, source: await host.open(source) });
    for await (const lines of rows(host, merge, indexes, signal, options)) {
      writing.push(lines);
      yield { of, bytes: writing.take() };
    }
    writing.finish();
    yield { of, bytes: writing.take() };
    if (format !== "zipnum") return;
    yield { of: "index", bytes: writing.take_index() };
    yield { of: "places", bytes: new TextEncoder().encode(`${part}\t${part}.cdx.gz\n`) };
  } finally {
    merge.free();
    writing.free();
    for (const run of runs) await run.release();
  }
}

async function* rows(
  host: IndexHost,
  lookup: IndexLookup,
  indexes: readonly OpenIndex[],
  signal: AbortSignal,
  { onDamage }: IndexOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { source, places } of indexes) lookup.add(source.size ?? 0, places);
  const besides = new Map<string, Source>();
  for (;;) {
    checkAbort(signal);
    const turn = failing(() => lookup.turn());
    const index = indexes[lookup.index()];
    tell(lookup.damages(), index?.name ?? "", onDamage);
    if (turn === READ && index) {
      const paths = lookup.paths();
      const source = paths ? await besideOf(host, index, paths, besides) : index.source;
      if (!source) lookup.absent("there is no such file beside the index");
      else {
        const bytes = await read(source, lookup.offset(), lookup.bytes(), signal);
        failing(() => lookup.give(bytes));
      }
      continue;
    }
    const out = lookup.take();
    if (out.length > 0) yield out;
    if (turn !== TAKE) return;
  }
}

/** Sorted lines of archives, in as many runs as they take. */
async function runsOf(
  host: IndexHost,
  exports: IndexExports,
  targets: readonly IndexTarget[],
  isCdx11: boolean,
  options: IndexOptions,
): Promise<Kept[]> {
  const { signal = never, onDamage } = options;
  const runs: Kept[] = [];
  const maker = new exports.IndexMaker(isCdx11);
  const keep = async (): Promise<void> => {
    const run = maker.take_run();
    if (run.length > 0) runs.push(await host.keep(run));
  };
  try {
    for (const target of targets) {
      await indexOne(maker, await host.open(target.source), target, signal, keep);
      tell(maker.damages(), target.name, onDamage);
    }
    await keep();
  } catch (error) {
    for (const run of runs) await run.release();
    throw error;
  } finally {
    maker.free();
  }
  return runs;
}

async function indexOne(
  maker: IndexMaker,
  source: Source,
  { name, member }: IndexTarget,
  signal: AbortSignal,
  keep: () => Promise<void>,
): Promise<void> {
  const start = await read(source, 0, START_BYTES, signal);
  failing(() => maker.open(start, source.size, name));
  if (member !== undefined) maker.choose_part(member);
  for await (const _ of pump(source, maker, signal)) {
    if (maker.is_full()) await keep();
  }
  if (!maker.has_found_part()) throw noMember(member ?? "");
}

async function placesOf(host: IndexHost, reference: SourceRef, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const name = lastName(reference)?.replace(/\.idx$/, ".loc");
  const beside = name?.endsWith(".loc") ? host.beside(reference, name) : undefined;
  if (!beside) return undefined;
  const source = await opened(host, beside);
  return source && read(source, 0, PLACES_BYTES_MAX, signal);
}

async function besideOf(host: IndexHost, index: OpenIndex, paths: readonly string[], known: Map<string, Source>): Promise<Source | undefined> {
  // A place that the index states in full is not followed; a file of that name beside the index is.
  const names = paths.flatMap((path) => [path, path.split(/[\\/]/).at(-1) ?? ""]).filter((name) => name !== "");
  for (const name of new Set(names)) {
    const key = `${index.name}\n${name}`;
    const found = known.get(key);
    if (found) return found;
    const reference = host.beside(index.reference, name);
    const source = reference && (await opened(host, reference));
    if (!source) continue;
    known.set(key, source);
    return source;
  }
  return undefined;
}

async function opened(host: IndexHost, reference: SourceRef): Promise<Source | undefined> {
  try {
    return await host.open(reference);
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}

function lastName(reference: SourceRef): string | undefined {
  if (reference.kind === "path") return reference.path.split(/[\\/]/).at(-1);
  return reference.kind === "url" ? new URL(reference.url).pathname.split("/").at(-1) : undefined;
}

/** So many bytes from a place on; fewer where the source ends. */
async function read(source: Source, offset: number, bytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const out = new Uint8Array(Math.min(bytes, Math.max(0, (source.size ?? Infinity) - offset)));
  let filled = 0;
  if (out.length === 0) return out;
  for await (const chunk of source.chunks(offset, signal, offset + bytes)) {
    const piece = chunk.subarray(0, out.length - filled);
    out.set(piece, filled);
    filled += piece.length;
    if (filled === out.length) break;
  }
  return out.subarray(0, filled);
}

function tell(lines: string, name: string, onDamage: IndexOptions["onDamage"]): void {
  for (const line of lines.split("\n")) {
    if (line !== "") onDamage?.(JSON.parse(line) as InspectedDamage, name);
  }
}

/** What the engine throws becomes an error of the package. */
function failing<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw errorFromWire(errorToWire(error));
  }
}
