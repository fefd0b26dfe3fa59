/** The package in Node: the same functions, with files opened by path and the engine beside the caller. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

import { spread } from "./cluster.js";
import { greet, greetReader, loopback, type Connect, type Connection } from "./connection.js";
import { Engine } from "./engine.js";
import { isAddress, listPath, openNodeSource } from "./files.js";
import * as indexes from "./indexes.js";
import type { IndexFormat, IndexOptions, IndexPiece } from "./indexes.js";
import { ready, type EngineExports, type Modules } from "./module.js";
import { isNamed, opener, referTo, type ArchiveSource, type CutOptions, type InspectOptions, type NamedSource, type Referrer } from "./open.js";
import type { NamedRef, SourceRef } from "./protocol.js";
import { addressOf, objectNamed } from "./s3.js";
import type { InspectedDamage, InspectedRecord } from "./shapes.js";
import init, * as tools from "./wasm/tools.js";

const TOOLS = new URL("./wasm/tools_bg.wasm", import.meta.url);
const DOCUMENTS = new URL("./wasm/documents_bg.wasm", import.meta.url);
const PDF = new URL("./wasm/pdf_bg.wasm", import.meta.url);

const fileBytes = async (url: URL): Promise<BufferSource> => {
  if (url.protocol === "file:") return readFile(fileURLToPath(url));
  return (await fetch(url)).arrayBuffer();
};

/** Nobody waits for a download here: one module that holds everything. */
const load: Modules["tools"] = async ({ toolsUrl }) => {
  const bytes = await fileBytes(toolsUrl === undefined ? TOOLS : new URL(toolsUrl));
  return ready(tools as unknown as EngineExports, init, bytes);
};

const documents: Modules["documents"] = async (url) => {
  const module = await import("./wasm/documents.js");
  await module.default({ module_or_path: await fileBytes(url === undefined ? DOCUMENTS : new URL(url)) });
  return module;
};

const pdf: Modules["pdf"] = async (url) => {
  const module = await import("./wasm/pdf.js");
  await module.default({ module_or_path: await fileBytes(url === undefined ? PDF : new URL(url)) });
  return module;
};

const modules: Modules = { engine: load, tools: load, documents, pdf };

const beside = (): Connection => loopback(new Engine(openNodeSource, modules));

const connect: Connect = async (options) => greet(beside(), options);

const connectReader: Connect = async (options) => greetReader(beside(), options);

const refer: Referrer = (source) => {
  if (source instanceof URL && source.protocol === "file:") return { kind: "path", path: fileURLToPath(source) };
  const object = typeof source === "string" ? objectNamed(source) : undefined;
  if (object) return { kind: "url", url: addressOf(object) };
  if (source instanceof URL && source.protocol === "s3:") return { kind: "url", url: source.href };
  if (typeof source !== "string" || isAddress(source)) return referTo(source);
  return source.startsWith("file:") ? { kind: "path", path: fileURLToPath(source) } : { kind: "path", path: source };
};

/** Lines that are kept on disk from this length on. */
const KEPT_BYTES_MAX = 1 << 20;

const indexHost: indexes.IndexHost = {
  exports: async () => {
    await load({});
    return tools;
  },
  open: openNodeSource,
  beside: (reference, name) => {
    const parts = name.split(/[\\/]/);
    if (isAbsolute(name) || parts.includes("..") || /^[a-z][a-z0-9+.-]*:/i.test(name)) return undefined;
    if (reference.kind === "path") return { kind: "path", path: join(dirname(reference.path), ...parts) };
    return reference.kind === "url" ? { kind: "url", url: new URL(parts.map(encodeURIComponent).join("/"), reference.url).href } : undefined;
  },
  keep: async (bytes) => {
    if (bytes.length < KEPT_BYTES_MAX) return { source: { kind: "bytes", bytes }, release: async () => undefined };
    const folder = await mkdtemp(join(tmpdir(), "stackroom-"));
    const path = join(folder, "lines");
    await writeFile(path, bytes);
    return { source: { kind: "path", path }, release: () => rm(folder, { recursive: true, force: true }) };
  },
};

/** A member of a file, by its name there. */
export interface MemberSource {
  readonly source: ArchiveSource;
  readonly member?: string | undefined;
}

const isMember = (source: ArchiveSource | MemberSource): source is MemberSource => typeof source === "object" && "source" in source;

const target = (source: ArchiveSource | MemberSource): indexes.IndexTarget => {
  return isMember(source) ? { ...namedSource(source.source), member: source.member } : namedSource(source);
};

const namedSource = (source: ArchiveSource): NamedRef => {
  const reference: SourceRef = refer(source);
  if (reference.kind === "path") return { source: reference, name: basename(reference.path) };
  return { source: reference, name: reference.kind === "url" ? (new URL(reference.url).pathname.split("/").at(-1) ?? "") : "archive" };
};

/**
 * Rows of capture indexes (CDX, CDXJ, ZipNum) or of archives that answer a query, in pieces of whole lines. The query is
 * what CDX servers take, as names and values: `[["url", "example.com/*"], ["limit", "10"]]`.
 */
export function lookUp(
  sources: ReadonlyArray<ArchiveSource | MemberSource>,
  query: ReadonlyArray<readonly [string, string]>,
  options?: IndexOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  return indexes.lookUp(indexHost, sources.map(target), query, options);
}

/** A sorted capture index of archives, in pieces; of a ZipNum cluster, `part` is the name of its one part. */
export function makeIndex(
  sources: ReadonlyArray<ArchiveSource | MemberSource>,
  { format = "cdxj", part = "index", ...options }: MakeIndexOptions = {},
): AsyncGenerator<IndexPiece, void, undefined> {
  return indexes.makeIndex(indexHost, sources.map(target), format, part, options);
}

export interface MakeIndexOptions extends IndexOptions {
  readonly format?: IndexFormat | undefined;
  readonly part?: string | undefined;
}

const opened = opener(connect, refer, listPath, connectReader);

export const { openArchive, reopenArchive, checkArchive, readRecord, surt, checkQuery } = opened;

/** Reads every record in full, with digests, and tells of damage in place. Of a ZipNum cluster, its rows are the records. */
export async function* inspectArchive(
  source: ArchiveSource | NamedSource,
  options: InspectOptions = {},
): AsyncGenerator<InspectedRecord | InspectedDamage, void, undefined> {
  const { source: index, name } = isNamed(source) ? source : { source, name: namedSource(source).name };
  const rows = await spread(indexHost, { source: refer(index), name }, options.signal);
  if (!rows) {
    yield* opened.inspectArchive(source, options);
    return;
  }
  try {
    const file = options.isAlwaysNamed === true ? { file: name } : {};
    for (const damage of rows.damages) yield { ...damage, ...file };
    if (!rows.isEmpty) yield* opened.inspectArchive({ source: rows.path, name }, options);
  } finally {
    await rows.release();
  }
}

/** Cuts records out of an archive of any format: the bytes of a WARC file, in pieces. Of a ZipNum cluster, its rows are read. */
export async function* cutRecords(source: ArchiveSource, options: CutOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
  const { name } = namedSource(source);
  const rows = await spread(indexHost, { source: refer(source), name }, options.signal);
  if (!rows) {
    yield* opened.cutRecords(source, options);
    return;
  }
  try {
    for (const damage of rows.damages) options.onDamage?.(damage);
    if (!rows.isEmpty) yield* opened.cutRecords(rows.path, { name, ...options });
  } finally {
    await rows.release();
  }
}

export { Archive } from "./archive.js";
export { archiveOver } from "./line.js";
export type { ArchiveLine, CutRowsOptions, FilterOptions, ReadOptions, RecordPlace, SignalOption } from "./archive.js";
export { ArchiveError } from "./errors.js";
export { isAddress } from "./files.js";
export type { IndexFormat, IndexOptions, IndexPiece } from "./indexes.js";
export type { ArchiveSource, CheckOptions, CollectionSource, CutOptions, FolderSource, InspectOptions, KeptRecords, MemberOption, NamedSource, OpenOptions, ReopenOptions } from "./open.js";
export { VERSION } from "./protocol.js";
export type * from "./shapes.js";
export type { View } from "./view.js";
