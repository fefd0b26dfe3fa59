/**
 * Searches of one index, gone on with a little at a time: what is asked again goes on where it was, and what was found
 * stays for its next pages.
 */

import { errorFromWire, errorToWire } from "../errors.js";
import { decodeHits, decodePassages, decodePlan, decodeValues, type FacetAsked, type Hit, type HitGroup, type HitOrder, type SearchAsked, type SearchEngine, type SearchFound } from "./search.js";
import type { SearchStep, SearchStepAsked } from "./examining.js";
import { DONE, type SegmentFiles } from "./segmentfiles.js";

/** Numbered as the engine does. */
const ORDERS: readonly HitOrder[] = ["rank", "file", "url", "time", "status", "mime", "type", "size"];
const GROUPS: readonly HitGroup[] = ["url", "host", "digest"];
const NO_GROUP = GROUPS.length;

/** What was found is kept of so many queries: some tabs, and what somebody goes back to. */
const QUERIES_KEPT = 4;
/** How long a search goes on before it tells how far it is. */
const TURN_MS = 200;
/** Records that are named at once to be read. */
const EXAMINED_AT_ONCE = 256;
/** Each may lie in blocks of its own, which must be there together. */
const HITS_AT_ONCE = 20;

interface Query {
  readonly number: number;
  /** Of the segments that it is a search of. */
  readonly generation: number;
  isDone: boolean;
}

export class Searching {
  readonly #engine: SearchEngine;
  readonly #segments: SegmentFiles;
  /** Those that were used last come last. */
  readonly #queries = new Map<string, Query>();
  #generation = 0;

  constructor(engine: SearchEngine, segments: SegmentFiles) {
    this.#engine = engine;
    this.#segments = segments;
  }

  /** The segments are others: what was found in them before is not all there is. */
  changed(): void {
    this.#generation++;
  }

  async search(asked: SearchStepAsked): Promise<SearchStep> {
    const { facets = [], withPlan = false, canExamine = false, examined } = asked;
    const query = this.#queryOf(asked);
    const { number } = query;
    if (examined) this.#engine.query_examined(number, examined.outcomes, examined.milliseconds);
    await this.#goOn(query);
    const failure = this.#engine.query_error(number);
    if (failure !== undefined) throw errorFromWire(errorToWire(failure));
    const hits = await this.#hits(number, asked);
    const toExamine = canExamine && query.isDone ? this.#engine.query_to_examine(number, EXAMINED_AT_ONCE) : NONE;
    const isDone = query.isDone && toExamine.length === 0;
    const values = [];
    if (isDone) for (const facet of facets) values.push(await this.#facet(number, facet));
    return {
      total: this.#engine.query_total(number),
      isDone,
      read: this.#engine.query_read(number),
      toRead: this.#engine.query_to_read(number),
      unread: this.#engine.query_unread(number),
      searched: this.#engine.search_end(),
      records: this.#engine.kept_count(),
      hits,
      facets: values,
      plan: withPlan ? decodePlan(this.#engine.query_plan(number)) : [],
      toExamine,
    };
  }

  #queryOf({ query: text, isStemmed = true, from = 0 }: SearchAsked): Query {
    const key = `${isStemmed ? "+" : "-"}${text}`;
    const known = this.#queries.get(key);
    // Whoever reads on wants the rest of what was found; whoever begins, what there is now.
    const isOfUse = known && (known.generation === this.#generation || (known.isDone && from > 0));
    if (known && !isOfUse) this.#engine.end_query(known.number);
    const query = isOfUse ? known : { number: begun(() => this.#engine.begin_query(text, isStemmed)), generation: this.#generation, isDone: false };
    this.#queries.delete(key);
    this.#queries.set(key, query);
    for (const [oldest, { number }] of this.#queries) {
      if (this.#queries.size <= QUERIES_KEPT) break;
      this.#queries.delete(oldest);
      this.#engine.end_query(number);
    }
    return query;
  }

  async #goOn(query: Query): Promise<void> {
    const end = performance.now() + TURN_MS;
    while (!query.isDone && performance.now() < end) {
      query.isDone = (await this.#segments.step(() => this.#engine.query(query.number))) === DONE;
    }
  }

  async #hits(number: number, { order = "rank", isDescending = false, group, from = 0, count = 0, withPassages = false }: SearchAsked): Promise<Hit[]> {
    const found: Hit[] = [];
    while (found.length < count) {
      const wanted = Math.min(HITS_AT_ONCE, count - found.length);
      await this.#segments.stepThrough(() => this.#engine.query_hits(number, ORDERS.indexOf(order), isDescending, group ? GROUPS.indexOf(group) : NO_GROUP, from + found.length, wanted));
      const some = decodeHits(this.#engine.take_value());
      for (const hit of some) found.push(withPassages && hit.document ? await this.#withPassages(number, hit) : hit);
      if (some.length < wanted) break;
    }
    return found;
  }

  async #withPassages(number: number, hit: Hit): Promise<Hit> {
    await this.#segments.stepThrough(() => this.#engine.query_passages(number, hit.record.row));
    return { ...hit, ...decodePassages(this.#engine.take_value()) };
  }

  async #facet(number: number, { field, prefix = "", count }: FacetAsked): Promise<SearchFound["facets"][number]> {
    await this.#segments.stepThrough(() => this.#engine.query_facet(number, field, prefix, count));
    return { field, values: decodeValues(this.#engine.take_value()) };
  }
}

const NONE = new Uint32Array(0);

/** Of a query that is not understood the engine says where in it, as the error's offset. */
function begun(begin: () => number): number {
  try {
    return begin();
  } catch (error) {
    throw errorFromWire(errorToWire(error));
  }
}
