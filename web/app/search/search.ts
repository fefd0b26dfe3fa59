/**
 * The search in the open archive: what is asked, what was found so far, and its pages. It goes on a while at a time;
 * answers to what is asked no more are dropped. Draws nothing.
 */
import { ArchiveError, type Archive, type RecordRow } from "stackroom";
import type { FacetAsked, Hit, HitGroup, HitOrder, SearchAsked, SearchFound, SharedIndex } from "stackroom/library";

import { RowPages, type RowSource } from "../rows.js";
import { withPhrases } from "./phrases.js";

/** Hits that are asked for at once: some screens; each has passages, which are read from its text. */
export const hitsAtOnce = 20;
/** While more is indexed, how often it is looked whether there are more hits. */
const growMs = 1_500;
/** How long a search that did not get on is let be. */
const waitMs = 150;
/** Months of eighty years. */
const monthsMax = 1_000;

const facetsAsked: readonly FacetAsked[] = [
  { field: "host", count: 12 },
  { field: "mime", count: 8 },
  { field: "status", count: 8 },
  { field: "lang", count: 8 },
  { field: "type", count: 6 },
  { field: "ext", count: 8 },
  { field: "month", count: monthsMax },
];

export interface Wrong {
  readonly message: string;
  /** Which letter of the query it is at, where it is the query that is wrong. */
  readonly offset?: number | undefined;
}

export interface Arranged {
  readonly order: HitOrder;
  readonly isDescending: boolean;
  readonly group?: HitGroup | undefined;
}

export class Search {
  /** What is asked; empty where nothing is. */
  query = "";
  arranged: Arranged = { order: "rank", isDescending: false };
  /** The last answer; while another one is on its way, that to what was asked before. */
  found?: SearchFound | undefined;
  /** The last one that had them. */
  facets: SearchFound["facets"] = [];
  wrong?: Wrong | undefined;
  pages?: RowPages<Hit> | undefined;
  /** What was shown until the first of `pages` are there. */
  before?: RowPages<Hit> | undefined;
  /** How long the search took, or has taken so far. */
  elapsedMs = 0;
  isStopped = false;
  /** No hit says anything but what its record is. */
  isPlain = false;
  /** The query that was found is this one. */
  answered = "";
  readonly #onChange: () => void;
  /** Whether more of the archive will be searchable. */
  readonly #isComing: () => boolean;
  /** From which records are read that tell what the library does not know. */
  readonly #archive: () => Archive | undefined;
  #stopper = new AbortController();
  #index: SharedIndex | undefined;
  #asked = 0;
  #timer = 0;
  /** Groups are counted as they are reached. */
  #reach = 0;
  #listedAt = -Infinity;
  #isGiven = false;
  /** When it was asked last more of the archive was still to come; when what was found was asked for. */
  #mayGrow = false;
  #isEarly = false;

  constructor(onChange: () => void, isComing: () => boolean, archive: () => Archive | undefined) {
    this.#onChange = onChange;
    this.#isComing = isComing;
    this.#archive = archive;
  }

  get index(): SharedIndex | undefined {
    return this.#index;
  }

  /** Whether an answer is still on its way. */
  get isRunning(): boolean {
    return this.query !== "" && this.wrong === undefined && !this.isStopped && (this.answered !== this.query || this.found?.isDone !== true);
  }

  /** Whether what was found was asked for before all of the archive was there. */
  get isPartial(): boolean {
    const { found } = this;
    return found !== undefined && found.searched < found.records && (this.#isEarly || this.#isComing());
  }

  /** Asks once more where the rest of the archive is there now. */
  catchUp(): void {
    if (this.#index === undefined || !this.#mayGrow || this.isStopped || this.wrong !== undefined || this.#isComing()) return;
    void this.#run(this.#index, this.query);
  }

  begin(index: SharedIndex, query: string): void {
    if (index !== this.#index) this.end();
    if (query === this.query) return;
    this.#index = index;
    this.query = query;
    this.wrong = undefined;
    this.isStopped = false;
    void this.#run(index, query);
    this.#onChange();
  }

  end(): void {
    this.#asked += 1;
    this.#stopper.abort();
    window.clearTimeout(this.#timer);
    this.#index = undefined;
    this.query = "";
    this.answered = "";
    this.found = undefined;
    this.facets = [];
    this.wrong = undefined;
    this.#forget();
  }

  #forget(): void {
    this.before?.close();
    this.before = undefined;
    this.pages?.close();
    this.pages = undefined;
    this.#reach = 0;
  }

  /** What was found so far is all. */
  stop(): void {
    this.#asked += 1;
    this.#stopper.abort();
    window.clearTimeout(this.#timer);
    this.isStopped = true;
    this.#onChange();
  }

  goOn(): void {
    if (this.#index === undefined) return;
    this.isStopped = false;
    void this.#run(this.#index, this.query);
    this.#onChange();
  }

  arrange(arranged: Arranged): void {
    this.arranged = arranged;
    this.#forget();
    if (this.#index !== undefined) this.#list(this.#index);
    this.#onChange();
  }

  async #run(index: SharedIndex, query: string): Promise<void> {
    window.clearTimeout(this.#timer);
    const asked = (this.#asked += 1);
    const begun = performance.now();
    const isEarly = (this.#mayGrow = this.#isComing());
    this.#stopper.abort();
    const { signal } = (this.#stopper = new AbortController());
    for (let isDone = false; !isDone; ) {
      try {
        const found = await index.search({ query, facets: facetsAsked }, { archive: this.#archive(), signal });
        if (asked !== this.#asked) return;
        isDone = found.isDone;
        const isOn = query !== this.answered || found.read !== this.found?.read || found.searched !== this.found.searched;
        this.elapsedMs = performance.now() - begun;
        this.#isEarly = isEarly;
        this.#take(index, query, found);
        this.#onChange();
        // Nothing came of it: what it waits for takes its time.
        if (!isDone && !isOn) await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (asked !== this.#asked) return;
      } catch (error) {
        if (asked === this.#asked) this.#fail(error);
        return;
      }
    }
    const { searched, records } = this.found ?? { searched: 0, records: 0 };
    if (searched < records && this.#isComing()) this.#timer = window.setTimeout(() => void this.#run(index, query), growMs);
  }

  #take(index: SharedIndex, query: string, found: SearchFound): void {
    const isOther = query !== this.answered;
    const last = this.found;
    const isMore = found.total !== last?.total || found.searched !== last.searched || found.isDone !== last.isDone;
    // Until a search is done its hits may not be given: what is listed stays, unless they are.
    const isNow = found.isDone || this.pages === undefined || this.pages.count === 0 || (this.#isGiven && performance.now() - this.#listedAt > growMs);
    this.found = found;
    this.answered = query;
    if (found.isDone) this.facets = found.facets;
    if (isOther) this.#forget();
    if (isOther || (isMore && isNow)) this.#list(index);
  }

  #fail(error: unknown): void {
    const { message } = error instanceof Error ? error : { message: String(error) };
    const isOfQuery = error instanceof ArchiveError && error.code.startsWith("query/");
    this.wrong = { message, ...(isOfQuery && { offset: error.offset ?? 0 }) };
    this.#onChange();
  }

  /** The list anew; what it had stays until that is there. */
  #list(index: SharedIndex): void {
    const { query, arranged, found } = this;
    const total = found?.total ?? 0;
    this.before?.close();
    this.before = this.pages;
    this.#listedAt = performance.now();
    this.#isGiven = false;
    this.#reach = arranged.group === undefined ? total : Math.min(total, Math.max(this.#reach, hitsAtOnce));
    const count = (): number => this.#reach;
    const source: RowSource<Hit> = {
      get count() {
        return count();
      },
      rows: async (from, some) => {
        const { hits } = await index.search({ query, ...asked(arranged), from, count: some, withPassages: true });
        if (this.pages?.source === source) this.#reached(from, some, hits.length, total);
        this.#isGiven ||= hits.length > 0;
        if (from === 0) this.isPlain = hits.every(({ passages = [] }) => passages.length === 0);
        return hits.map((hit) => withPhrases(hit, query));
      },
    };
    this.pages = new RowPages(source, () => this.#onChange(), hitsAtOnce);
  }

  /** There are fewer groups than hits: how many is known where they end. Of a search that is not done some may be given. */
  #reached(from: number, wanted: number, got: number, total: number): void {
    if (got < Math.min(wanted, this.#reach - from) || (got < wanted && this.arranged.group !== undefined)) this.#reach = from + got;
    else if (this.arranged.group !== undefined && from + got >= this.#reach) this.#reach = Math.min(total, from + got + hitsAtOnce);
  }

  /** Where groups are listed, whether there are more than were counted so far. */
  get hasMore(): boolean {
    return this.arranged.group !== undefined && this.#reach > 0 && this.#reach % hitsAtOnce === 0 && this.#reach < (this.found?.total ?? 0);
  }

  hit(place: number): Hit | undefined {
    return this.pages?.get(place) ?? this.before?.get(place);
  }

  /** All hits as rows, folded or not. */
  get rows(): RowSource<RecordRow> | undefined {
    const { query, found } = this;
    const index = this.#index;
    if (index === undefined || found === undefined) return undefined;
    const { order, isDescending } = this.arranged;
    return {
      count: found.total,
      rows: async (from, count, { signal }) => {
        const { hits } = await index.search({ query, order, isDescending, from, count });
        signal.throwIfAborted();
        return hits.map(({ record }) => record);
      },
    };
  }

  /** What was done to find them. */
  async plan(): Promise<SearchFound | undefined> {
    return this.#index?.search({ query: this.query, withPlan: true });
  }
}

function asked({ order, isDescending, group }: Arranged): Partial<SearchAsked> {
  return { order, isDescending, ...(group !== undefined && { group }) };
}
