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
import { findingsOf, packedLength, packEntries, packKeys, valuesOf, type Finding } from "./packing.js";
import { isSync, PAGE_BYTES, type Append, type Batch, type ExtentFile, type PageStorage, type Span, type SyncPageStorage } from "./storage.js";
import { giveWay, TURN_MS } from "./turns.js";

const DONE = 0;
const MISSING = 1;
const MUST_SPILL = 2;
const TOO_LARGE = 3;
const NOT_THERE = 4;
const FULL = 5;
const DAMAGED = 6;
const MORE = 7;
const MUST_COMMIT = 8;
const A_PART = 9;
const ON_TRAY = 10;
/** Above the outcome of a look-up is the length of what it found. */
const OUTCOME_BITS = 4;
const OUTCOMES = 1 << OUTCOME_BITS;

/** The superblocks: what an opening begins with. */
const FIRST_PAGES = Uint32Array.of(0, 1, 2, 3);
const NOTHING = new Uint8Array(0);
/** Bytes of a value that are handed to the engine at once. */
const PIECE_BYTES = 512 * 1024;
/** The file of pages is cut when so much of it is of no use: cutting costs a call. */
const CUT_SHARE = 0.75;
/** Most keys are shorter. */
const KEY_BYTES = 512;
const CACHE_BYTES = 8 * 1024 * 1024;
/** What there is by now, and no snapshot. */
const NOW = 0;

/** Pages and parts of extents to read: answered, or read at once to where the engine looks for them. */
interface Wanted {
  readonly pages: Uint32Array;
  readonly spans: readonly Span[];
  readonly now?: (storage: SyncPageStorage) => void;
}

/**
 * What an operation waits for: something to be read, or to be done to the storage. What is to be written stands in the
 * engine's memory, which another store's call may move.
 */
export type Need =
  | Wanted
  | { readonly write: Batch }
  | { readonly truncate: number }
  | { readonly remove: number }
  | { readonly prepare: readonly number[] };
type Answer = readonly [pages: Uint8Array[], spans: Uint8Array[]] | undefined;
export type Operation<T> = Generator<Need, T, Answer>;

/** The engine's `PageStore`, once its module is loaded; by its own name it would ask more of a user's compiler than the rest does. */
export type MakeStore = new (superblocks: Uint8Array, cachePages: number, salt: Uint8Array, records: number, bytes: number, inlineBytesMax: number) => object;

export interface StoreShape {
  /** Memory for pages that were read or changed, 8 MiB where it is left out; it is never less than 96 KiB. */
  readonly cacheBytes?: number | undefined;
  /** What a new store is made for; it grows and shrinks with what comes all the same. */
  readonly expected?: { readonly records: number; readonly bytes: number } | undefined;
  /** Longer values of a new store stand in extents; with 0 all do, so that extents alone tell all there is. */
  readonly inlineBytesMax?: number | undefined;
}

export class Pages {
  /** Calls of the engine, and pages read for them. */
  calls = 0;
  reads = 0;
  readonly #store: PageStore;
  readonly #memory: WebAssembly.Memory;
  /** All of the engine's memory; empty once that has moved. */
  #all: Uint8Array = NOTHING;
  /** Where on the desk a key of so many bytes can be put. */
  #keyAt = 0;
  #keyBytes = 0;
  /** Bytes that the last look-up found. */
  #found = 0;
  /** Where short values stand that were found. */
  readonly #trayAt: number;
  /** The landing, for a page. */
  #page: Uint8Array = NOTHING;
  #cursor = 0;
  #filePages = 0;
  #prepared = -1;

  private constructor(store: PageStore) {
    this.#store = store;
    this.#memory = (store.constructor as unknown as { memory(): WebAssembly.Memory }).memory();
    this.#trayAt = store.tray();
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
    const length = packedLength(entries);
    packEntries(entries, this.#bytes(this.#store.desk(length), length));
    this.#store.bring(length);
    const outcome = yield* this.#attempt(() => this.#store.put_many());
    // The desk may stand elsewhere by now.
    this.#keyBytes = 0;
    if (outcome === DONE) return;
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
    const outcome = yield* this.#run(() => this.#find(key, 0, Infinity, view));
    if (outcome === NOT_THERE) return undefined;
    const first = this.#foundBytes(outcome);
    if (outcome !== A_PART) return first;
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
    const outcome = yield* this.#run(() => this.#find(key, from, length, view));
    if (outcome === NOT_THERE) return undefined;
    return { bytes: this.#foundBytes(outcome), total: outcome === A_PART ? this.#store.value_bytes() : this.#found };
  }

  /** As much of a value as `into` has room for, and the length of the whole. */
  *getInto(key: Uint8Array, into: Uint8Array, view = NOW): Operation<number | undefined> {
    let at = 0;
    do {
      const outcome = yield* this.#run(() => this.#find(key, at, into.length - at, view));
      if (outcome === NOT_THERE) return undefined;
      into.set(this.#foundHere(outcome), at);
      if (outcome !== A_PART) return this.#found;
      at += this.#found;
    } while (this.#found > 0 && at < into.length);
    return this.#store.value_bytes();
  }

  /** Values of many keys, undefined where there is none; what is absent for them is read at once. */
  *getMany(keys: readonly Uint8Array[], view = NOW): Operation<(Uint8Array | undefined)[]> {
    this.#store.ask(packKeys(keys));
    yield* this.#run(() => this.#store.get_many(view));
    const values = valuesOf(this.#value());
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
    const outcome = this.#find(key, 0, Infinity, NOW);
    if (outcome === NOT_THERE) return null;
    return outcome === ON_TRAY || outcome === DONE ? this.#foundBytes(outcome) : undefined;
  }

  /** The value, or undefined where there is none, from a storage that answers at once. */
  getNow(key: Uint8Array, storage: SyncPageStorage): Uint8Array | undefined {
    for (;;) {
      this.calls += 1;
      const outcome = this.#find(key, 0, Infinity, NOW);
      if (outcome === ON_TRAY || outcome === DONE) return this.#foundBytes(outcome);
      if (outcome === NOT_THERE) return undefined;
      if (outcome !== MISSING) return runNow(this.get(key), storage);
      this.#fetchNow(storage, false);
    }
  }

  /** As `getInto`, from a storage that answers at once. */
  getIntoNow(key: Uint8Array, into: Uint8Array, storage: SyncPageStorage): number | undefined {
    for (;;) {
      this.calls += 1;
      const outcome = this.#find(key, 0, into.length, NOW);
      if (outcome === ON_TRAY || outcome === DONE) {
        into.set(this.#foundHere(outcome));
        return this.#found;
      }
      if (outcome === NOT_THERE) return undefined;
      if (outcome !== MISSING) return runNow(this.getInto(key, into), storage);
      this.#fetchNow(storage, false);
    }
  }

  /** The next entries of the scan as the engine writes them (see `rowsOf`); empty at its end. */
  *scan(limit: number, view = NOW): Operation<Uint8Array> {
    yield* this.#run(() => this.#store.scan(view, this.#cursor, limit));
    this.#cursor = this.#store.cursor();
    return this.#value();
  }

  /** Where the scan goes on. */
  get cursor(): number {
    return this.#cursor;
  }

  rewind(cursor = 0): void {
    this.#cursor = cursor;
  }

  /** A view of the last commit, for as long as it is not released. That must be settled. */
  snapshot(): number {
    return this.#store.snapshot();
  }

  /** Whether the last commit has all pages written, and no log. */
  get isSettled(): boolean {
    return this.#store.is_settled();
  }

  release(view: number): void {
    this.#store.release(view);
  }

  *commit(): Operation<void> {
    this.#store.commit();
    yield* this.#committed();
  }

  /** Commits with all pages written and no log, however much there is to write. */
  *settle(): Operation<void> {
    this.#store.settle();
    yield* this.#committed();
  }

  *#committed(): Operation<void> {
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
      yield* this.settle();
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

  /** All of the engine's memory. */
  #here(): Uint8Array {
    if (this.#all.length === 0) this.#all = new Uint8Array(this.#memory.buffer);
    return this.#all;
  }

  /** Bytes of it, until the engine's next call. */
  #bytes(at: number, length: number): Uint8Array {
    return this.#here().subarray(at, at + length);
  }

  /** What the last operation gave. */
  #value(): Uint8Array {
    const at = this.#store.value_at();
    return this.#here().slice(at, at + this.#store.value_length());
  }

  #foundAt(outcome: number): number {
    return outcome === ON_TRAY ? this.#trayAt : this.#store.value_at();
  }

  #foundBytes(outcome: number): Uint8Array {
    const at = this.#foundAt(outcome);
    return this.#here().slice(at, at + this.#found);
  }

  /** The same where it stands, until the engine's next call. */
  #foundHere(outcome: number): Uint8Array {
    return this.#bytes(this.#foundAt(outcome), this.#found);
  }

  #find(key: Uint8Array, from: number, length: number, view: number): number {
    if (key.length > this.#keyBytes) {
      this.#keyBytes = Math.max(key.length, KEY_BYTES);
      this.#keyAt = this.#store.desk(this.#keyBytes);
    }
    this.#here().set(key, this.#keyAt);
    const outcome = this.#store.get(view, key.length, from, length);
    this.#found = outcome >>> OUTCOME_BITS;
    return outcome & (OUTCOMES - 1);
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
    const store = this.#store;
    const answer = yield {
      get pages() {
        return store.missing();
      },
      get spans() {
        return spansOf(store.missing_spans());
      },
      now: (storage) => this.#fetchNow(storage, mayBeDamaged),
    };
    if (!answer) return;
    const [pages, spans] = [store.missing(), spansOf(store.missing_spans())];
    const [foundPages, foundSpans] = answer;
    this.reads += pages.length;
    pages.forEach((page, at) => {
      if (!store.provide(page, foundPages[at] ?? NOTHING) && !mayBeDamaged) throw damagedPage(page);
    });
    spans.forEach(({ file, offset, length }, at) => store.provide_span(file, offset, length, foundSpans[at] ?? NOTHING));
  }

  /** Reads what is missing straight into the engine's memory. */
  #fetchNow(storage: SyncPageStorage, mayBeDamaged: boolean): void {
    const count = this.#store.missing_count();
    this.reads += count;
    for (let n = 0; n < count; n++) {
      const page = this.#store.missing_page(n);
      const at = this.#store.landing();
      if (this.#page.length === 0 || this.#page.byteOffset !== at) this.#page = this.#bytes(at, PAGE_BYTES);
      const found = storage.readPage(page, this.#page);
      if (found < PAGE_BYTES) this.#page.fill(0, found);
      if (!this.#store.provide_landed(page) && !mayBeDamaged) throw damagedPage(page);
    }
    const spans = this.#store.missing_span_count();
    for (let n = 0; n < spans; n++) {
      const [file, offset, length] = [this.#store.missing_span(3 * n), this.#store.missing_span(3 * n + 1), this.#store.missing_span(3 * n + 2)];
      const found = storage.readSpan(file, offset, this.#bytes(this.#store.span_landing(length), length));
      this.#store.provide_landed_span(file, offset, length, found);
    }
  }

  *#writeOut(): Operation<void> {
    const superblock = this.#store.batch_superblock();
    const places = this.#store.batch_appends();
    const appends: Append[] = [];
    for (let n = 0; n < places.length / 2; n++) {
      const bytes = this.#bytes(this.#store.batch_append_at(n), this.#store.batch_append_length(n));
      appends.push({ file: places[2 * n] ?? 0, offset: places[2 * n + 1] ?? 0, bytes });
    }
    const pages = this.#store.batch_pages();
    const batch: Batch = {
      appends,
      pages,
      bytes: this.#bytes(this.#store.batch_bytes_at(), pages.length * PAGE_BYTES),
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
    yield { prepare: [tail, tail + 1] };
    this.#prepared = tail;
  }
}

function made(make: MakeStore, { cacheBytes = CACHE_BYTES, expected, inlineBytesMax = -1 }: StoreShape, first: Answer): PageStore {
  // Who chooses the keys must not know the salt, or all of them could be made to lie in one bucket.
  const salt = crypto.getRandomValues(new Uint8Array(16));
  return new make(joined(first), Math.floor(cacheBytes / PAGE_BYTES), salt, expected?.records ?? 0, expected?.bytes ?? 0, inlineBytesMax) as PageStore;
}

/** The superblocks, one after another, whether they are there or not. */
function joined(first: Answer): Uint8Array {
  const superblocks = new Uint8Array(FIRST_PAGES.length * 4096);
  first?.[0].forEach((page, at) => superblocks.set(page, at * 4096));
  return superblocks;
}

function damagedPage(page: number): ArchiveError {
  return new ArchiveError("store/damaged", "A page of the store is damaged: the index must be built again.", { offset: page * PAGE_BYTES });
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
    if (!("pages" in need)) void carryOut(need, storage);
    else if (need.now) need.now(storage);
    else answer = [storage.read(need.pages), storage.readSpans(need.spans)];
    step = operation.next(answer);
  }
  return step.value;
}

/**
 * Runs an operation to its end on any storage. On one that answers at once nothing else has its turn meanwhile; one that
 * may take long gives way, since a worker that says nothing for seconds counts as frozen.
 */
export async function run<T>(operation: Operation<T>, storage: PageStorage, mayTakeLong = false): Promise<T> {
  let step = operation.next();
  let turn = performance.now();
  while (!step.done) {
    const need = step.value;
    let answer: Answer;
    if (!("pages" in need)) await carryOut(need, storage);
    else if (need.now && isSync(storage)) need.now(storage);
    else {
      const { pages, spans } = need;
      answer = await Promise.all([pages.length > 0 ? storage.read(pages) : [], spans.length > 0 ? storage.readSpans(spans) : []]);
    }
    // Not before: what is written stands where another store's call may move it.
    if (mayTakeLong && performance.now() - turn > TURN_MS) {
      await giveWay();
      turn = performance.now();
    }
    step = operation.next(answer);
  }
  return step.value;
}

function carryOut(need: Exclude<Need, Wanted>, storage: PageStorage): void | Promise<void> {
  if ("write" in need) return storage.write(isSync(storage) ? need.write : copied(need.write));
  if ("truncate" in need) return storage.truncate(need.truncate);
  if ("remove" in need) return storage.removeExtent(need.remove);
  return storage.prepare(need.prepare);
}

/** A batch that stays as it is while it is waited for. */
function copied({ appends = [], pages, bytes, superblock }: Batch): Batch {
  return {
    appends: appends.map((append) => ({ ...append, bytes: append.bytes.slice() })),
    pages,
    bytes: bytes.slice(),
    ...(superblock && { superblock }),
  };
}
