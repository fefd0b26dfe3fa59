/**
 * Collections as they are kept: the state of one, and one made again of its state and of kept rows, which goes on where
 * the state ends. Loaded when it is first needed.
 */

import { Collection, sum, type File } from "./collection.js";
import { ArchiveError, notOpen } from "./errors.js";
import { notAState, packState, unpackState, type KeptFile } from "./keptstate.js";
import type { EngineExports, ToolsExports } from "./module.js";
import type { Client } from "./port.js";
import type { NamedRef } from "./protocol.js";
import { pump } from "./pump.js";
import type { OpenSource } from "./source.js";
import { rangeBytes } from "./split.js";
import type { Restoring } from "./wasm/tools.js";

/** What states say of files that were not opened since. */
const knownFiles = new WeakMap<Collection, readonly KeptFile[]>();

/** All but the rows of a collection, at the last place within its first records from which reading can go on. */
export function keptState({ kept_state, Restoring }: ToolsExports, collection: Collection, records: number): Uint8Array {
  const { format, index } = collection;
  if (format === undefined) throw notOpen();
  const table = kept_state(index, Math.min(records, index.records()));
  const state = new Restoring(table);
  const files = collection.files.slice(0, state.files()).map(({ number }) => number);
  const underWay = state.goes_on_at() === undefined ? undefined : files.at(-1);
  state.free();
  const next = underWay === undefined ? (collection.files[files.length]?.number ?? collection.next) : underWay + 1;
  const given = collection.given.map((_, number) => {
    const known = knownFiles.get(collection)?.[number];
    const { size = known?.size, shared } = collection.sources.get(number) ?? {};
    const version = shared?.kind === "url" ? shared.version : known?.version;
    return { ...(size !== undefined && { size }), ...(version !== undefined && { version }) };
  });
  const refused = collection.refused.filter(({ file }) => file < next && file !== underWay);
  return packState({ format, given, files, refused, next, table });
}

/** A collection whose rows are taken over. */
export class Regaining {
  readonly collection: Collection;
  readonly #restoring: Restoring;

  private constructor(collection: Collection, restoring: Restoring) {
    this.collection = collection;
    this.#restoring = restoring;
  }

  /** A collection as it was when its state was kept; its rows are to follow. None of its files is read. */
  static async begin(wasm: ToolsExports, given: readonly NamedRef[], state: Uint8Array, openSource: OpenSource): Promise<Regaining> {
    const kept = unpackState(state);
    if (kept.given.length !== given.length) throw changed(`This archive was made of ${kept.given.length} files, and now there are ${given.length}.`);
    const restoring = new wasm.Restoring(kept.table);
    const collection = new Collection(wasm as unknown as EngineExports, given, restoring.take_index());
    try {
      if (restoring.files() !== kept.files.length) throw notTheseFiles();
      for (const number of kept.files) {
        const { name, source: reference } = given[number] as NamedRef;
        const { size, version } = kept.given[number] ?? {};
        // A server is asked when bytes of it are needed, and then for this version.
        const insisting = { ...reference, ...(size !== undefined && { size }), ...(version !== undefined && { version }) };
        const source = await openSource(reference.kind === "url" ? insisting : reference);
        if (size !== undefined && source.size !== size) throw changed(`${name} has ${source.size} bytes, and had ${size} when it was indexed.`);
        collection.files.push({ number, name, source });
        collection.sources.set(number, source);
      }
    } catch (error) {
      restoring.free();
      collection.index.free();
      throw error;
    }
    collection.next = kept.next;
    collection.format = kept.format;
    collection.refused.push(...kept.refused);
    const isRead = (number: number): boolean => !kept.refused.some(({ file }) => file === number);
    collection.bytesTotal = sum(kept.given.flatMap(({ size }, number) => (isRead(number) ? [size] : [])));
    knownFiles.set(collection, kept.given);
    return new Regaining(collection, restoring);
  }

  /** How many rows are to be taken over. */
  get records(): number {
    return this.#restoring.rows();
  }

  /** Takes rows over as they were kept. Those of files that are read further are of no use. */
  takeRows(rows: Uint8Array): void {
    const { index } = this.collection;
    this.#restoring.take_rows(index, rows);
    const share = this.records === 0 ? 1 : index.records() / this.records;
    this.collection.bytes = Math.floor(this.#bytesRead() * share);
  }

  /** Goes on where the state ends, all rows of which must be there; this is freed then. */
  async *goOn(openSource: OpenSource, helpers: readonly Client[], signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const { collection, records } = this;
    const { index } = collection;
    let rest: AsyncGenerator<number> | undefined;
    const last = collection.files.at(-1);
    const from = this.#restoring.goes_on_at();
    try {
      if (index.records() !== records) throw notAState("Fewer rows of this archive are kept than it has.");
      if (from !== undefined) rest = last && this.#rest(last, helpers, signal);
      if (from !== undefined && !rest) throw notTheseFiles();
      collection.bytes = this.#bytesRead();
    } finally {
      this.free();
    }
    if (last && rest) yield* collection.take(last, collection.bytes - (from ?? 0), rest);
    yield* collection.fill(openSource, helpers, signal);
  }

  /** What reads on in the file that was under way, alone or with helpers. */
  #rest(file: File, helpers: readonly Client[], signal: AbortSignal): AsyncGenerator<number> | undefined {
    const { collection } = this;
    const { shared, size } = file.source;
    if (helpers.length > 0 && shared && size !== undefined) {
      const splitting = this.#restoring.split(collection.index, size, rangeBytes(size, helpers.length), helpers.length);
      if (splitting) return collection.readInRanges(file, shared, splitting, helpers, signal);
    }
    return this.#restoring.go_on(collection.index, size) ? pump(file.source, collection.index, signal) : undefined;
  }

  free(): void {
    this.#restoring.free();
  }

  /** Bytes before the place where the state ends. */
  #bytesRead(): number {
    const from = this.#restoring.goes_on_at();
    const whole = from === undefined ? this.collection.files : this.collection.files.slice(0, -1);
    return (sum(whole.map(({ source }) => source.size)) ?? 0) + (from ?? 0);
  }
}

function changed(how: string): ArchiveError {
  return new ArchiveError("source/changed", `${how} What is kept of it does not fit any more: remove it and add it again.`);
}

function notTheseFiles(): ArchiveError {
  return notAState("The kept state of this archive is not of these files.");
}
