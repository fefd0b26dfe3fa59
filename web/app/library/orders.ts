/** The list in an order of its columns: slices of the kept index, and small ones sorted here. */
import type { RecordRow } from "stackroom";
import type { SharedIndex, SortColumn } from "stackroom/library";

import type { RowSource } from "../rows.js";
import type { Arrangement } from "../state.js";

/** Rows that stand together in the order of a column. */
export interface Slice {
  readonly column: SortColumn;
  readonly from: number;
  readonly count: number;
}

/** What somebody chose to see. */
export interface Choice extends Slice {
  /** Tells choices apart. */
  readonly key: string;
  readonly what: string;
  /** Where they are got in another way than by their place. */
  readonly rows?: RowSource | undefined;
}

/** More than this are not sorted in the page. */
export const sortableMax = 20_000;
const rowsAtOnce = 2_000;

export function sliceOf(index: SharedIndex, slice: Slice & { readonly what?: string }, total: number, isDescending: boolean): Arrangement {
  const { column, from, count, what } = slice;
  const first = isDescending ? total - from - count : from;
  return {
    count,
    column,
    isDescending,
    what,
    rows: (start, some) => index.sorted({ column, from: first + start, count: Math.min(some, count - start), isDescending }),
  };
}

/** The rows of a choice in the order of another column, or of the files. */
export async function inOrderOf(index: SharedIndex, choice: Choice, column: SortColumn | undefined, isDescending: boolean): Promise<Arrangement> {
  const rows: RecordRow[] = [];
  const source = choice.rows ?? sliceOf(index, choice, 0, false);
  const { signal } = new AbortController();
  for (let at = 0; at < choice.count; at += rowsAtOnce) rows.push(...(await source.rows(at, Math.min(rowsAtOnce, choice.count - at), { signal })));
  const sign = isDescending ? -1 : 1;
  const keyOf = column === undefined ? (row: RecordRow) => row.row : keys[column];
  rows.sort((a, b) => sign * compare(keyOf(a), keyOf(b)) || a.row - b.row);
  return { count: rows.length, column, isDescending, what: choice.what, rows: async (start, count) => rows.slice(start, start + count) };
}

type Key = string | number | undefined;

const keys: Readonly<Record<SortColumn, (row: RecordRow) => Key>> = {
  url: ({ url }) => url,
  time: ({ captured }) => captured,
  status: ({ status }) => status,
  mime: ({ mime = "" }) => mime,
  type: ({ type }) => type,
  size: ({ size }) => size,
};

/** What is missing comes last, as in the index. */
function compare(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}
