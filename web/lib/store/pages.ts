/**
 * A store over a storage: runs the engine's operations, reads what they miss, writes what they must spill or commit.
 * Knows nothing of what pages and extents hold.
 *
 * Every operation is a loop that stops where a storage must be waited for; on synchronous storages it
 * never does. `calls` and `reads` are counted, since they are what a design can promise.
 * Operations that change are run one after another: the next begins when the last has ended.
 */

import { ArchiveError } from "../errors.js";
import type { PageStore } from "../wasm/store.js";
import { findingsOf, packEntries, packKeys, valuesOf, type Finding } from "./packing.js";
import type { Append, Batch, ExtentFile, PageStorage, Span, SyncPageStorage } from "./storage.js";

const DONE = 0;
const MISSING = 1;
const MUST_SPILL = 2;
const TOO_LARGE = 3;
const NOT_THERE = 4;
const FULL = 5;
const DAMAGED = 6;
const MORE = 7;
const MUST_COMMIT = 8;

/** The superblocks: what an opening begins with. */
const FIRST_PAGES = Uint32Array.of(0, 1, 2, 3);
const NOTHING = new Uint8Array(0);
/** Bytes of a value that are handed to the engine at once. */
const PIECE_BYTES = 512 * 1024;
/** The file of pages is cut when so much of it is of no use: cutting costs a call. */
const CUT_SHARE = 0.75;
/** What there is by now, and no snapshot. */
const NOW = 0;

/** What an operation waits for: pages and parts of extents to read, or something to be done to the storage. */
export type Need =
  | { readonly pages: Uint32Array; readonly spans: readonly Span[] }
  | { readonly write: Batch }
  | { readonly truncate: number }
  | { readonly remove: number }
  | { readonly prepare: number };
type Answer = readonly [pages: Uint8Array[], spans: Uint8Array[]] | undefined;
export type Operation<T> = Generator<Need, T, Answer>;

/** The engine's store class, once its module is loaded. */
export type MakeStore = new (superblocks: Uint8Array, cachePages: number, salt: Uint8Array, records: number, bytes: number, inlineBytesMax: number) => PageStore;

export interface StoreShape {
  readonly cachePages: number;
  /** What a new store is made for; it grows and shrinks with what comes all the same. */
  readonly expected?: { readonly records: number; readonly bytes: number };
  /** Longer values of a new store stand in extents; with 0 all do, so that extents alone tell all there is. */
  readonly inlineBytesMax?: number;
}

export class Pages {
  /** Calls of the engine, and pages read for them. */
  calls = 0;
  reads = 0;
  readonly #store: PageStore;
  #cursor = 0;
  #filePages = 0;
  #prepared = -1;

  private constructor(store: PageStore) {
    this.#store = store;
  }

  static *opening(make: MakeStore, shape: StoreShape): Operation<Pages> {
    const pages = new Pages(made(make, shape, yield { pages: FIRST_PAGES, spans: [] }));
    yield* pages.#run(() => pages.#store.open());
    pages.#filePages = pages.#store.file_pages();
    yield* pages.#prepare();
    return pages;
  }

  /** Makes the index anew from the extents, and from what is whole of a file of so many pages. Commits it. */
  static *rebuilding(make: MakeStore, shape: StoreShape, filePages: number, extents: readonly ExtentFile[]): Operation<{ pages: Pages; findings: Finding[] }> {
    const first = yield { pages: FIRST_PAGES, spans: [] };
    const pages = new Pages(made(make, shape, first));
    pages.#store.begin_rebuild(joined(first), filePages, Uint32Array.from(extents, ({ file }) => file));
    yield* pages.#run(() => pages.#store.rebuild(), true);
    const findings = findingsOf(pages.#store.take_findings());
    pages.#filePages = filePages;
    yield* pages.#prepare();
    // The second commit is free to use what the first has left.
    for (let n = 0; n < 2; n++) yield* pages.commit();
    return { pages, findings };
  }

  /** The bucket of a key: many entries that are put in this order touch each page once. */
  bucketOf(key: Uint8Array): number {
    return this.#store.bucket_of(key);
  }

  *put(key: Uint8Array, value: Uint8Array): Operation<void> {
    const outcome = yield* this.#attempt(() => this.#store.put(key, value));
    if (outcome === TOO_LARGE) yield* this.putPieces(key, [value]);
  }

  *putPieces(key: Uint8Array, pieces: Iterable<Uint8Array>): Operation<void> {
    const writer = this.begin(key);
    for (const piece of pieces) yield* this.write(writer, piece);
    yield* this.finish(writer);
  }

  /** Puts many entries, in the order of their buckets. */
  *putMany(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Operation<void> {
    this.#store.bring(packEntries(entries), true);
    if ((yield* this.#attempt(() => this.#store.put_many())) === DONE) return;
    // One of them is longer than what is put at once.
    for (const [key, value] of entries) yield* this.put(key, value);
  }

  /** Begins a value that comes in pieces; it is there once it is finished. */
  begin(key: Uint8Array): number {
    return this.#store.begin(key);
  }

  *write(writer: number, piece: Uint8Array): Operation<void> {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      const part = piece.subarray(at, at + PIECE_BYTES);
      yield* this.#run(() => this.#store.write(writer, part));
    }
  }

  *finish(writer: number): Operation<void> {
    yield* this.#run(() => this.#store.finish(writer));
  }

  abort(writer: number): void {
    this.#store.abort(writer);
  }

  /** False where the key was not there. */
  *remove(key: Uint8Array): Operation<boolean> {
    return (yield* this.#run(() => this.#store.remove(key))) !== NOT_THERE;
  }

  *contains(key: Uint8Array, view = NOW): Operation<boolean> {
    return (yield* this.#run(() => this.#store.contains(view, key))) !== NOT_THERE;
  }

  *get(key: Uint8Array, view = NOW): Operation<Uint8Array | undefined> {
    const outcome = yield* this.#run(() => this.#store.get(view, key, 0, Infinity));
    if (outcome === NOT_THERE) return undefined;
    const first = this.#store.value();
    if (outcome === DONE) return first;
    const whole = new Uint8Array(this.#store.value_bytes());
    whole.set(first);
    for (let at = first.length; at < whole.length; ) {
      const next = yield* this.read(key, at, Infinity, view);
      if (!next || next.bytes.length === 0) return undefined;
      whole.set(next.bytes, at);
      at += next.bytes.length;
    }
    return whole;
  }

  /** A part of a value, a megabyte at most, and how long the whole is. */
  *read(key: Uint8Array, from: number, length: number, view = NOW): Operation<{ bytes: Uint8Array; total: number } | undefined> {
    if ((yield* this.#run(() => this.#store.get(view, key, from, length))) === NOT_THERE) return undefined;
    return { bytes: this.#store.value(), total: this.#store.value_bytes() };
  }

  /** Values of many keys, undefined where there is none; what is absent for them is read at once. */
  *getMany(keys: readonly Uint8Array[], view = NOW): Operation<(Uint8Array | undefined)[]> {
    this.#store.ask(packKeys(keys));
    yield* this.#run(() => this.#store.get_many(view));
    const values = valuesOf(this.#store.value());
    for (const [n, value] of values.entries()) {
      const key = keys[n];
      // Of long ones only the beginning comes along.
      if (key && value && value.bytes.length < value.total) value.bytes = (yield* this.get(key, view)) ?? NOTHING;
    }
    return values.map((value) => value?.bytes);
  }

  /**
   * The value, or null where there is none, if the pages that tell are resident: one plain call.
   * Undefined where `get` must fetch first, or has more to do.
   */
  getResident(key: Uint8Array): Uint8Array | null | undefined {
    this.calls += 1;
    const outcome = this.#store.get(NOW, key, 0, Infinity);
    if (outcome === NOT_THERE) return null;
    return outcome === DONE ? this.#store.value() : undefined;
  }

  /** The next entries of the scan as the engine writes them (see `rowsOf`); empty at its end. */
  *scan(limit: number, view = NOW): Operation<Uint8Array> {
    yield* this.#run(() => this.#store.scan(view, this.#cursor, limit));
    this.#cursor = this.#store.cursor();
    return this.#store.value();
  }

  /** Where the scan goes on. */
  get cursor(): number {
    return this.#cursor;
  }

  rewind(cursor = 0): void {
    this.#cursor = cursor;
  }

  /** A view of the last commit, for as long as it is not released. */
  snapshot(): number {
    return this.#store.snapshot();
  }

  release(view: number): void {
    this.#store.release(view);
  }

  *commit(): Operation<void> {
    this.#store.commit();
    yield* this.#writeOut();
    for (const remove of this.#store.take_removable()) yield { remove };
    const pages = this.#store.file_pages();
    if (pages < this.#filePages * CUT_SHARE) yield* this.cut();
    this.#filePages = Math.max(this.#filePages, pages);
  }

  /** Cuts the file of pages behind the last that is of use. */
  *cut(): Operation<void> {
    this.#filePages = this.#store.file_pages();
    yield { truncate: this.#filePages };
  }

  /** Everything that is wrong with the store. */
  *verify(): Operation<Finding[]> {
    this.#store.begin_verify();
    yield* this.#run(() => this.#store.verify(), true);
    return findingsOf(this.#store.take_findings());
  }

  /** Gives space back; commits what was changed before. */
  *compact(extents: readonly ExtentFile[]): Operation<void> {
    this.#store.begin_compact(Float64Array.from(extents.flatMap(({ file, bytes }) => [file, bytes])));
    while ((yield* this.#run(() => this.#store.compact())) === MUST_COMMIT) {
      yield* this.commit();
      yield* this.cut();
    }
  }

  /** Entries of the store. */
  get count(): number {
    return this.#store.count();
  }

  get generation(): number {
    return this.#store.generation();
  }

  free(): void {
    this.#store.free();
  }

  /** As `#run`, for what is refused for its length only here. */
  *#attempt(attempt: () => number): Operation<number> {
    return yield* this.#run(attempt, false, true);
  }

  *#run(attempt: () => number, mayBeDamaged = false, mayBeTooLarge = false): Operation<number> {
    for (;;) {
      this.calls += 1;
      const outcome = attempt();
      if (outcome === MISSING) yield* this.#fetch(mayBeDamaged);
      else if (outcome === MUST_SPILL) {
        this.#store.spill();
        yield* this.#writeOut();
      } else if (outcome === TOO_LARGE && !mayBeTooLarge) {
        throw new ArchiveError("store/too-large", "The entry is longer than a store takes.");
      } else if (outcome === FULL) {
        throw new ArchiveError("store/full", "The store has as many pages as it can have.");
      } else if (outcome === DAMAGED) {
        const [file, offset] = this.#store.damaged_span();
        throw new ArchiveError("store/damaged", `A record in extent ${file} of the store is damaged.`, offset === undefined ? {} : { offset });
      } else if (outcome !== MORE) return outcome;
    }
  }

  *#fetch(mayBeDamaged: boolean): Operation<void> {
    const pages = this.#store.missing();
    const spans = spansOf(this.#store.missing_spans());
    this.reads += pages.length;
    const [foundPages, foundSpans] = (yield { pages, spans }) ?? [[], []];
    pages.forEach((page, at) => {
      if (!this.#store.provide(page, foundPages[at] ?? NOTHING) && !mayBeDamaged) {
        throw new ArchiveError("store/damaged", "A page of the store is damaged: the index must be built again.", { offset: page * 4096 });
      }
    });
    spans.forEach(({ file, offset, length }, at) => this.#store.provide_span(file, offset, length, foundSpans[at] ?? NOTHING));
  }

  *#writeOut(): Operation<void> {
    const superblock = this.#store.batch_superblock();
    const places = this.#store.batch_appends();
    const appends: Append[] = [];
    for (let n = 0; n < places.length / 2; n++) {
      appends.push({ file: places[2 * n] ?? 0, offset: places[2 * n + 1] ?? 0, bytes: this.#store.batch_append_bytes(n) });
    }
    const batch: Batch = {
      appends,
      pages: this.#store.batch_pages(),
      bytes: this.#store.batch_bytes(),
      ...(superblock && { superblock: { page: this.#store.batch_superblock_page(), bytes: superblock } }),
    };
    yield { write: batch };
    this.#store.confirm();
    yield* this.#prepare();
  }

  /** The extent after the one that is appended to is made ready before it is needed. */
  *#prepare(): Operation<void> {
    const tail = this.#store.tail_file();
    if (tail === this.#prepared) return;
    yield { prepare: tail + 1 };
    this.#prepared = tail;
  }
}

function made(make: MakeStore, { cachePages, expected, inlineBytesMax = -1 }: StoreShape, first: Answer): PageStore {
  // Who chooses the keys must not know the salt, or all of them could be made to lie in one bucket.
  const salt = crypto.getRandomValues(new Uint8Array(16));
  return new make(joined(first), cachePages, salt, expected?.records ?? 0, expected?.bytes ?? 0, inlineBytesMax);
}

/** The superblocks, one after another, whether they are there or not. */
function joined(first: Answer): Uint8Array {
  const superblocks = new Uint8Array(FIRST_PAGES.length * 4096);
  first?.[0].forEach((page, at) => superblocks.set(page, at * 4096));
  return superblocks;
}

function spansOf(numbers: Uint32Array): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [file = 0, offset = 0, length = 0] = numbers.subarray(at, at + 3);
    spans.push({ file, offset, length });
  }
  return spans;
}

/** Runs an operation to its end on a storage that answers at once. What it does with files ahead of need goes on by itself. */
export function runNow<T>(operation: Operation<T>, storage: SyncPageStorage): T {
  let step = operation.next();
  while (!step.done) {
    const need = step.value;
    let answer: Answer;
    if ("pages" in need) answer = [need.pages.length > 0 ? storage.read(need.pages) : [], need.spans.length > 0 ? storage.readSpans(need.spans) : []];
    else void carryOut(need, storage);
    step = operation.next(answer);
  }
  return step.value;
}

/** Runs an operation to its end on any storage. */
export async function run<T>(operation: Operation<T>, storage: PageStorage): Promise<T> {
  let step = operation.next();
  while (!step.done) {
    const need = step.value;
    let answer: Answer;
    if ("pages" in need) {
      const { pages, spans } = need;
      answer = await Promise.all([pages.length > 0 ? storage.read(pages) : [], spans.length > 0 ? storage.readSpans(spans) : []]);
    } else await carryOut(need, storage);
    step = operation.next(answer);
  }
  return step.value;
}

function carryOut(need: Exclude<Need, { readonly pages: Uint32Array }>, storage: PageStorage): void | Promise<void> {
  if ("write" in need) return storage.write(need.write);
  if ("truncate" in need) return storage.truncate(need.truncate);
  if ("remove" in need) return storage.removeExtent(need.remove);
  return storage.prepare(need.prepare);
}
