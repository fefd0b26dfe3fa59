/**
 * The kept index of an archive: its rows in the order of the files and of each column, and how many there are of what;
 * and the documents that are kept beside them.
 *
 * I1  The rows that a manifest tells of are durable with the commit that keeps the manifest.
 * I2  Files that are of no use are removed only after a manifest without them is kept.
 * Operations go one after another; merges and checks, which take long, let others read meanwhile.
 */

import { ArchiveError } from "../errors.js";
import type { Capture, RecordRow } from "../shapes.js";
import type { Finding } from "../store/packing.js";
import type { KeptIndex } from "../wasm/store.js";
import { decodeCaptures, decodeGroups, decodeRows, typeName } from "../wire.js";
import { countDocuments, documentOf, linksOf, listDocuments, textOf, type DocumentCounts, type DocumentLink, type DocumentsAsked, type KeptDocument } from "./documents.js";
import { searchWith, type SearchStep, type SearchStepAsked } from "./examining.js";
import type { Files } from "./files.js";
import { Lane } from "./lane.js";
import type { SearchAsked, SearchFound, SearchOptions } from "./search.js";
import { Searching } from "./searching.js";
import { DONE, MORE, randomId, SegmentFiles } from "./segmentfiles.js";

const CACHE_BYTES = 8 * 1024 * 1024;
/**
 * An operation begins anew where it misses something, so that what it needs must be resident together: long ones are
 * done in parts. Rows in the order of a column may each lie in a block of their own.
 */
const ROWS_AT_ONCE = 500;
const SORTED_AT_ONCE = 40;
const GROUPS_AT_ONCE = 10;
const NO_TIME = 0xffffffff;
/** A search waits so long for what is kept and cannot be searched yet. */
const SETTLE_MS = 150;
/** While an archive is read, what was found is searched no more often anew: each time makes a segment. */
const FLUSH_MS = 2_000;
/** What is together in groups, numbered as the engine does. */
const [OF_VALUES, OF_HOSTS, OF_WHOLE_HOSTS] = [0, 1, 2];

/** What rows can be sorted by, numbered as the engine does. */
const COLUMNS = ["url", "time", "status", "mime", "type", "size"] as const;
export type SortColumn = (typeof COLUMNS)[number];

export interface SortedRows {
  readonly column: SortColumn;
  readonly from: number;
  readonly count: number;
  /** Counted and told from the end. */
  readonly isDescending?: boolean | undefined;
}

export interface NearestAsked {
  /** Milliseconds since 1970; without it the first ones are told. */
  readonly captured?: number | undefined;
  readonly count?: number | undefined;
}

/** Records of one value, host or time. */
export interface Tally {
  readonly records: number;
  /** Bytes that they take in their files. */
  readonly bytes: number;
}

/** A value of a column, or a host by its labels from the last to the first, with commas. */
export interface Group extends Tally {
  readonly name: string;
  /** There is none below it. */
  readonly isLeaf: boolean;
  /** Where the list goes on. */
  readonly behind: Uint8Array;
}

export interface GroupsAsked {
  /** At most so many. */
  readonly count: number;
  /** `behind` of the last one that is known. */
  readonly after?: Uint8Array | undefined;
}

/** What tells of the segments of an index, to be committed in the same storage. */
export interface IndexManifests {
  readonly manifest: Uint8Array;
  /** Where documents are kept. */
  readonly documents?: Uint8Array | undefined;
  /** Where it can be searched. */
  readonly search?: Uint8Array | undefined;
}

export interface IndexOptions extends Partial<IndexManifests> {
  readonly cacheBytes?: number | undefined;
  /** What was kept could not be searched, or not all of it, and now can: the manifest is to be committed. */
  readonly onSearchable?: ((search: Uint8Array) => Promise<void>) | undefined;
}

/** The engine's `KeptIndex`, once its module is loaded; by its own name it would ask more of a user's compiler than the rest does. */
export type MakeIndex = new (cacheBytes: number) => object;

export class ArchiveIndex {
  readonly #engine: KeptIndex;
  readonly #segments: SegmentFiles;
  readonly #searching: Searching;
  readonly #onSearchable: IndexOptions["onSearchable"];
  #flushedAt = -Infinity;
  readonly #lane = new Lane(() => {
    if (this.#segments.failure !== undefined) throw this.#segments.failure;
  });

  private constructor(make: MakeIndex, files: Files, { cacheBytes = CACHE_BYTES, onSearchable }: IndexOptions) {
    this.#onSearchable = onSearchable;
    this.#engine = new make(cacheBytes) as KeptIndex;
    this.#segments = new SegmentFiles(this.#engine, files);
    this.#searching = new Searching(this.#engine, this.#segments);
  }

  /** Opens what manifests tell of; without them it is empty. Files that they do not name are removed. */
  static async open(make: MakeIndex, files: Files, options: IndexOptions = {}): Promise<ArchiveIndex> {
    const { manifest, documents, search } = options;
    const index = new ArchiveIndex(make, files, options);
    const engine = index.#engine;
    if (manifest) await index.#segments.run(() => engine.open(manifest));
    if (documents) await index.#segments.run(() => engine.open_documents(documents));
    if (search) await index.#segments.run(() => engine.open_search(search));
    // What can be searched is made of what is kept: it is made again where it is of an earlier version, or of more.
    if (!search || engine.search_end() > engine.kept_count()) engine.begin_search();
    await index.#segments.begin();
    return index;
  }

  /** Records, those that are not kept yet included. */
  get count(): number {
    return this.#engine.count();
  }

  /** Records that a manifest tells of. */
  get keptCount(): number {
    return this.#engine.kept_count();
  }

  /** Bytes of its files. */
  get bytes(): number {
    return this.#engine.bytes();
  }

  /** Adds rows with the keys of their URLs, as the engine hands them out. True when there are enough of them to be kept. */
  add(rows: Uint8Array): Promise<boolean> {
    return this.#lane.next(async () => {
      this.#engine.add(rows);
      await this.#settle();
      return this.#engine.is_full();
    });
  }

  /** Up to which row there are documents; undefined where none are kept. */
  get documentsEnd(): number | undefined {
    return this.#engine.has_documents() ? this.#engine.documents_end() : undefined;
  }

  /**
   * Adds documents as the engine tells them, all there are of rows from `from` to `upTo`; those that came before are passed
   * over. They begin with the rows: false where rows are kept without them, or those in between are missing.
   */
  addDocuments(from: number, upTo: number, documents: Uint8Array): Promise<boolean> {
    return this.#lane.next(async () => {
      if (!this.#engine.has_documents() && this.#engine.kept_count() === 0) this.#engine.begin_documents();
      if (!this.#engine.has_documents() || from > this.#engine.documents_end()) return false;
      if (!this.#engine.add_documents(documents, from, upTo)) throw new ArchiveError("documents/malformed", "What was told of documents is none.");
      await this.#settle();
      return true;
    });
  }

  /** Writes what is not kept yet, and gives what is to be committed. Where all rows are there, or nothing more comes, as few segments stay as may be. */
  keep({ isWhole = false, isLast = isWhole }: { readonly isWhole?: boolean; readonly isLast?: boolean } = {}): Promise<IndexManifests> {
    return this.#lane.next(async () => {
      await this.#flush();
      await this.#flushDocuments();
      if (isLast) await this.#flushSearch();
      while (this.#engine.begin_merge(randomId(), false)) await this.#merge();
      while (this.#engine.begin_merge_documents(randomId(), false)) await this.#merge();
      if (isWhole && this.#engine.begin_merge(randomId(), true)) await this.#merge();
      while (isLast && this.#engine.begin_merge_documents(randomId(), true)) await this.#merge();
      await this.#mergeSearch(isLast);
      return { manifest: this.#engine.manifest(), documents: this.#engine.has_documents() ? this.#engine.documents_manifest() : undefined, search: this.#engine.search_manifest() };
    });
  }

  /** Gives back the space of what the last manifest, which is durable by now, does not name. */
  tidy(): Promise<void> {
    return this.#segments.tidy();
  }

  /** Rows in the order of the files. */
  rows(from: number, count: number): Promise<RecordRow[]> {
    return this.#lane.read(async () => {
      const rows: RecordRow[] = [];
      const to = Math.min(from + count, this.count);
      for (let at = from; at < to; at += ROWS_AT_ONCE) {
        await this.#segments.run(() => this.#engine.rows(at, Math.min(ROWS_AT_ONCE, to - at)));
        rows.push(...decodeRows(this.#engine.take_value()));
      }
      return rows;
    });
  }

  /** Rows in the order of the files, as `reopenArchive` takes them back. */
  storedRows(from: number, count: number): Promise<Uint8Array> {
    return this.#lane.read(async () => {
      this.#engine.begin_stored();
      await this.#segments.run(() => this.#engine.stored_rows(from, count));
      return this.#engine.take_value();
    });
  }

  /** Rows in the order of a column, of those that are kept. */
  sorted({ column, from, count, isDescending = false }: SortedRows): Promise<RecordRow[]> {
    return this.#lane.read(() => this.#sorted(COLUMNS.indexOf(column), from, count, isDescending));
  }

  /** All records of a URL, by its key as `surt` gives it, in the order of time. */
  captures(urlKey: string, { from = 0, count = Infinity }: { readonly from?: number; readonly count?: number } = {}): Promise<{ readonly total: number; readonly rows: RecordRow[] }> {
    return this.#lane.read(async () => {
      const key = encoder.encode(`${urlKey} `);
      const [first, last] = [await this.#rank(0, key), await this.#rank(0, joined(key, BEHIND_TIMES))];
      const total = last.records - first.records;
      return { total, rows: await this.#sorted(0, first.records + from, Math.max(0, Math.min(count, total - from)), false) };
    });
  }

  /** Where the captures of a URL lie that are nearest to a time, the nearest first: mostly one block is read. Of those that are kept. */
  nearest(urlKey: string, { captured, count = 1 }: NearestAsked = {}): Promise<Capture[]> {
    return this.#lane.read(async () => {
      const seconds = captured === undefined ? undefined : Math.max(0, Math.min(NO_TIME - 1, Math.round(captured / 1000)));
      await this.#segments.run(() => this.#engine.nearest(encoder.encode(urlKey), seconds, count));
      return decodeCaptures(this.#engine.take_value());
    });
  }

  /** How many records there are between each time and the next, in milliseconds since 1970. */
  timeline(times: readonly number[]): Promise<Tally[]> {
    return this.#lane.read(async () => {
      const ranks: Tally[] = [];
      for (const time of times) ranks.push(await this.#rank(COLUMNS.indexOf("time"), timeKey(time)));
      return ranks.slice(1).map((after, at) => difference(after, ranks[at] ?? after));
    });
  }

  /** The first time and the last that a record has, in milliseconds since 1970. */
  period(): Promise<{ readonly from: number; readonly to: number } | undefined> {
    return this.#lane.read(async () => {
      const column = COLUMNS.indexOf("time");
      const { records } = await this.#rank(column, TIMELESS);
      if (records === 0) return undefined;
      const [first] = await this.#sorted(column, 0, 1, false);
      const [last] = await this.#sorted(column, records - 1, 1, false);
      return first?.captured === undefined || last?.captured === undefined ? undefined : { from: first.captured, to: last.captured };
    });
  }

  /** Hosts one level below a host, and schemes without hosts at the top, with all that is below them. */
  hosts(under: string, asked: GroupsAsked): Promise<Group[]> {
    return this.#lane.read(() => this.#groups(0, OF_HOSTS, under, asked));
  }

  /** How many hosts records are of; so many at most. */
  hostCount(countMax: number): Promise<number> {
    return this.#lane.read(async () => (await this.#groups(0, OF_WHOLE_HOSTS, "", { count: countMax })).filter(({ name }) => !name.endsWith(":") && name !== "-").length);
  }

  /** The values of a column in its order. */
  values(column: "status" | "mime" | "type", asked: GroupsAsked): Promise<Group[]> {
    return this.#lane.read(() => this.#groups(COLUMNS.indexOf(column), OF_VALUES, "", asked));
  }

  /** Web pages in an order, or documents of another kind, with their records; of those that are kept. */
  documents(asked: DocumentsAsked): Promise<KeptDocument[]> {
    return this.#lane.read(() => listDocuments(this.#engine, this.#segments.run, asked));
  }

  /** Whatever a record says, redirects and fragments too. */
  documentOf(row: number): Promise<KeptDocument | undefined> {
    return this.#lane.read(() => documentOf(this.#engine, this.#segments.run, row));
  }

  /** Blocks of text, a line each; empty where there is none or it is not kept. */
  text(row: number): Promise<string> {
    return this.#lane.read(() => textOf(this.#engine, this.#segments.run, row));
  }

  links(row: number): Promise<DocumentLink[]> {
    return this.#lane.read(() => linksOf(this.#engine, this.#segments.run, row));
  }

  /** How many documents there are of what; undefined where none are kept with this index. */
  documentCounts(): Promise<DocumentCounts | undefined> {
    return this.#lane.read(async () => (this.#engine.has_documents() ? countDocuments(this.#engine, this.#segments.run) : undefined));
  }

  /**
   * Goes on for a while with a search; until it is done, the same is to be asked again. Of what is searchable by then. What
   * only records tell (`raw:`, `header.NAME:`, `method:`, parts of digests) is read from the `archive`.
   */
  search(asked: SearchAsked, options: SearchOptions = {}): Promise<SearchFound> {
    return searchWith((step) => this.searchStep(step), asked, options);
  }

  /** The same, where records that are to be read are named and not read. */
  searchStep(asked: SearchStepAsked): Promise<SearchStep> {
    return this.#lane.read(async () => {
      const isAll = this.#lane.isUnderWay ? this.#engine.search_end() === this.#engine.count() : await this.#makeSearchable();
      const found = await this.#searching.search(asked);
      return { ...found, isDone: found.isDone && isAll };
    });
  }

  /** Everything that is wrong with what is kept: each file is read in full. */
  verify(): Promise<Finding[]> {
    return this.#lane.next(async () => {
      const findings: Finding[] = [];
      this.#engine.begin_check();
      const onDamage = ({ code, message }: ArchiveError): void => void findings.push({ code, message });
      await this.#lane.atLength((onStep) => this.#segments.stepThrough(() => this.#engine.check(), { onStep, onDamage }));
      return findings;
    });
  }

  /** After what was asked for. */
  close(): Promise<void> {
    return this.#lane.next(async () => {
      this.#engine.free();
      this.#segments.failure = new ArchiveError("read/not-open", "The index was closed.");
    });
  }

  async #sorted(column: number, from: number, count: number, isDescending: boolean): Promise<RecordRow[]> {
    const rows: RecordRow[] = [];
    const to = Math.min(from + count, this.keptCount);
    for (let at = from; at < to; at += SORTED_AT_ONCE) {
      await this.#segments.run(() => this.#engine.sorted(column, at, Math.min(SORTED_AT_ONCE, to - at), isDescending));
      rows.push(...decodeRows(this.#engine.take_value()));
    }
    return rows;
  }

  async #rank(column: number, key: Uint8Array): Promise<Tally> {
    await this.#segments.run(() => this.#engine.rank(column, key));
    return { records: this.#engine.rank_entries(), bytes: this.#engine.rank_weight() };
  }

  async #groups(column: number, grouping: number, under: string, { count, after = NOTHING }: GroupsAsked): Promise<Group[]> {
    const groups: Group[] = [];
    for (let from = after; groups.length < count; from = groups.at(-1)?.behind ?? from) {
      const wanted = Math.min(GROUPS_AT_ONCE, count - groups.length);
      await this.#segments.run(() => this.#engine.groups(column, grouping, encoder.encode(under), from, wanted));
      const some = decodeGroups(this.#engine.take_value());
      groups.push(...some.map(({ name, ...group }) => ({ ...group, name: nameOf(COLUMNS[column], name) })));
      if (some.length < wanted) break;
    }
    return groups;
  }

  async #flush(): Promise<void> {
    const rows = this.#engine.count() - this.#engine.kept_count();
    await this.#settle();
    await this.#segments.written(this.#engine.flush(randomId()), (file, bytes) => this.#engine.adopt(file, bytes, rows));
  }

  /** What of documents is in drafts becomes segments. They are of the last commit only when the next one names them. */
  async #flushDocuments(): Promise<void> {
    for (const isOfTexts of [false, true]) {
      await this.#segments.written(this.#engine.flush_documents(isOfTexts, randomId()), (file, bytes) => this.#engine.adopt_documents(isOfTexts, file, bytes));
    }
  }

  /** What can be searched and is in a draft becomes a segment. */
  async #flushSearch(): Promise<void> {
    await this.#segments.written(this.#engine.flush_search(randomId()), (file, bytes) => this.#engine.adopt_search(file, bytes));
    this.#flushedAt = performance.now();
    this.#searching.changed();
  }

  async #mergeSearch(isAll: boolean): Promise<void> {
    while (this.#engine.begin_merge_search(randomId(), isAll)) {
      await this.#merge();
      this.#searching.changed();
    }
  }

  #merge(): Promise<void> {
    return this.#lane.atLength((onStep) => this.#segments.merge(onStep));
  }

  /** Takes in documents whose rows are there by now, and makes rows searchable; true when there is nothing left to be taken in. */
  async #settle(turnMs = Infinity): Promise<boolean> {
    for (const end = performance.now() + turnMs; performance.now() < end; ) {
      const outcome = await this.#segments.step(() => this.#engine.settle());
      if (outcome === DONE) return true;
      if (outcome !== MORE) continue;
      if (this.#engine.is_search_full()) await this.#flushSearch();
      else await this.#flushDocuments();
    }
    return false;
  }

  /** Goes on with what is kept and cannot be searched yet, as an earlier version or a crash has left it; true when it is all that there is. */
  async #makeSearchable(): Promise<boolean> {
    const engine = this.#engine;
    const before = engine.search_end();
    const isAll = await this.#settle(SETTLE_MS);
    const pending = engine.search_rows() - engine.search_end();
    const isComplete = engine.search_rows() === engine.kept_count();
    if (pending > 0 && (isComplete || performance.now() - this.#flushedAt > FLUSH_MS)) {
      // A search asks the columns of rows too, which only segments have.
      if (engine.count() > engine.kept_count()) await this.#flush();
      await this.#flushSearch();
    }
    if (engine.search_end() > before) await this.#onSearchable?.(engine.search_manifest());
    return isAll;
  }
}

const NOTHING = new Uint8Array(0);
/** Records without a date are behind all others. */
const TIMELESS = new Uint8Array(4).fill(0xff);
/** Behind every time. */
const BEHIND_TIMES = new Uint8Array(5).fill(0xff);
const NO_STATUS = 0xffff;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Records are dated to the second: those of a second that began before the time are before it. */
function timeKey(milliseconds: number): Uint8Array {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, Math.max(0, Math.min(NO_TIME, Math.ceil(milliseconds / 1000))));
  return key;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function nameOf(column: SortColumn | undefined, name: Uint8Array): string {
  if (column === "type") return typeName(name[0] ?? 0);
  if (column !== "status") return decoder.decode(name);
  const status = (name[0] ?? 0) * 256 + (name[1] ?? 0);
  return status === NO_STATUS ? "" : String(status);
}

const difference = (after: Tally, before: Tally): Tally => ({ records: after.records - before.records, bytes: after.bytes - before.bytes });
