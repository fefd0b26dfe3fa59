/** What is asked of full text and fields, and what is found: types, and how the engine's answers are read. */

import type { Archive } from "../archive.js";
import type { RecordRow } from "../shapes.js";
import { Reader, readRow, type Writable } from "../wire.js";
import type { SortColumn } from "./archiveindex.js";
import { decodeFacts, type DocumentFacts } from "./documents.js";

/** By how well they fit, as they lie in the files, or by a column. */
export type HitOrder = "rank" | "file" | SortColumn;

/** What hits have in common that are shown as one. */
export type HitGroup = "url" | "host" | "digest";

export interface FacetAsked {
  readonly field: string;
  /** At most so many values, those of most hits first. */
  readonly count: number;
  /** Values that begin so. */
  readonly prefix?: string | undefined;
}

export interface SearchAsked {
  /** In the query language; nothing asks for every record. */
  readonly query: string;
  /** The first hit that is wanted, and how many; none where it is left out. */
  readonly from?: number | undefined;
  readonly count?: number | undefined;
  /** By rank, where it is left out. */
  readonly order?: HitOrder | undefined;
  readonly isDescending?: boolean | undefined;
  /** Of hits that have this in common, the first alone is told, with how many there are. */
  readonly group?: HitGroup | undefined;
  /** Words are found in their other forms too, in the language of each document; so where it is left out. */
  readonly isStemmed?: boolean | undefined;
  /** With passages of the text in which the words are. */
  readonly withPassages?: boolean | undefined;
  readonly facets?: readonly FacetAsked[] | undefined;
  /** With what was done to find them. */
  readonly withPlan?: boolean | undefined;
}

/** What only the records themselves tell is read from their archive, which is open. */
export interface SearchOptions {
  readonly archive?: Pick<Archive, "examine"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Text, and whether it is what was asked for. */
export interface Stretch {
  readonly text: string;
  readonly isMarked: boolean;
}

export interface Hit {
  readonly record: RecordRow;
  /** What the record says, where it is a document. */
  readonly document?: DocumentFacts | undefined;
  /** The more, the better it fits; 0 where only fields were asked for. */
  readonly score: number;
  /** Hits that it stands for, itself among them; 1 where they are not grouped. */
  readonly count: number;
  readonly title?: readonly Stretch[] | undefined;
  /** Where the words are, in the order of the text. */
  readonly passages?: readonly (readonly Stretch[])[] | undefined;
  /** Different texts that expressions match in it, some of those in the first quarter of a megabyte. */
  readonly matches?: readonly string[] | undefined;
}

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

export interface PlanStep {
  readonly what: string;
  /** Which character of the query it is asked for at, counted from 0. */
  readonly at: number;
  /** Rows that were left after it. */
  readonly rows: number;
  /** Entries, postings and records that were looked at. */
  readonly work: number;
  readonly milliseconds: number;
}

export interface SearchFound {
  /** Hits so far. */
  readonly total: number;
  /** Otherwise ask again: it goes on where it was. */
  readonly isDone: boolean;
  /** Of texts or records that must be read to know, how many were, where there are any. */
  readonly read: number;
  readonly toRead: number;
  /** Records of which it is not known whether they are hits: without their archive they are not read, or they cannot be. */
  readonly unread: number;
  /** Records that were searched, of so many that are kept. */
  readonly searched: number;
  readonly records: number;
  readonly hits: readonly Hit[];
  /** In the order in which they were asked for. */
  readonly facets: readonly { readonly field: string; readonly values: readonly FacetValue[] }[];
  readonly plan: readonly PlanStep[];
}

/** `KeptIndex`, as far as it is searched. A query is known by a number. */
export interface SearchEngine {
  begin_query(query: string, isStemmed: boolean): number;
  end_query(query: number): void;
  /** Goes on for a while. */
  query(query: number): number;
  query_error(query: number): string | undefined;
  query_total(query: number): number;
  query_read(query: number): number;
  query_to_read(query: number): number;
  query_to_examine(query: number, count: number): Uint32Array;
  query_examined(query: number, outcomes: Uint32Array, milliseconds: number): void;
  query_unread(query: number): number;
  query_hits(query: number, order: number, isDescending: boolean, group: number, from: number, count: number): number;
  query_passages(query: number, row: number): number;
  query_facet(query: number, field: string, prefix: string, count: number): number;
  query_plan(query: number): Uint8Array;
  search_end(): number;
  kept_count(): number;
  take_value(): Uint8Array;
}

/** Rows as the engine tells them, each with the facts of its document where it has one, score and count. */
export function decodeHits(bytes: Uint8Array): Hit[] {
  const reader = new Reader(bytes);
  const hits: Hit[] = [];
  while (!reader.isAtEnd) {
    const record = readRow(reader);
    const facts = reader.inner();
    const score = reader.number() / 1000;
    const count = reader.number();
    const hit: Writable<Hit> = { record, score, count };
    if (!facts.isAtEnd) hit.document = decodeFacts(facts, record.url);
    hits.push(hit);
  }
  return hits;
}

/** The title, what expressions match, and passages of the text: each stretches, marked or not. */
export function decodePassages(bytes: Uint8Array): { readonly title: Stretch[]; readonly matches?: string[]; readonly passages: Stretch[][] } {
  const reader = new Reader(bytes);
  const stretches = (): Stretch[] => {
    const found: Stretch[] = [];
    for (let left = reader.number(); left > 0; left--) found.push({ isMarked: reader.number() === 1, text: reader.text() });
    return found;
  };
  const title = stretches();
  const matches = Array.from({ length: reader.number() }, () => reader.text());
  const passages: Stretch[][] = [];
  while (!reader.isAtEnd) passages.push(stretches());
  return { title, passages, ...(matches.length > 0 && { matches }) };
}

export function decodeValues(bytes: Uint8Array): FacetValue[] {
  const reader = new Reader(bytes);
  const values: FacetValue[] = [];
  while (!reader.isAtEnd) values.push({ value: reader.text(), count: reader.number() });
  return values;
}

export function decodePlan(bytes: Uint8Array): PlanStep[] {
  const reader = new Reader(bytes);
  const steps: PlanStep[] = [];
  while (!reader.isAtEnd) steps.push({ what: reader.text(), at: reader.number(), rows: reader.number(), work: reader.number(), milliseconds: reader.number() / 1000 });
  return steps;
}
