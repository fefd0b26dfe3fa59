/**
 * JSON as lines of a tree, of which only the unfolded ones exist. Big lists are split into ranges of `rangeSize`, ranges of
 * ranges above that. Parsing and flattening only; drawn by `views/json.ts`.
 *
 * T1  Flattening is iterative: no nesting depth can exhaust the stack.
 * T2  A number that a double cannot hold is kept as it is written.
 */

export const rangeSize = 100;
export const depthMax = 200;
/** Reading numbers exactly visits every value a second time; above this many characters it is not worth a dropped frame. */
const exactCharsMax = 262_144;

/** A number as it is written. */
export class Exact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A stretch of the entries of a list or object. */
export class Range {
  readonly entries: readonly Entry[];
  readonly first: number;
  constructor(entries: readonly Entry[], first: number) {
    this.entries = entries;
    this.first = first;
  }
}

export type Entry = readonly [name: string, value: unknown];

export interface Line {
  readonly level: number;
  /** Absent for the root and for ranges. */
  readonly name?: string;
  readonly value: unknown;
  /** Entries below it; 0 where there is nothing to unfold. */
  readonly count: number;
  readonly isOpen: boolean;
  readonly isTooDeep: boolean;
}

type ReviverContext = { readonly source?: string };

function keepExact(_name: string, value: unknown, context?: ReviverContext): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || Number.isSafeInteger(value)) return value;
  return String(value) === source || source.length < 16 ? value : new Exact(source);
}

/** Throws SyntaxError where the text is not JSON. */
export function parseJson(text: string): unknown {
  const clean = text.replace(/^\ufeff/, "");
  if (clean.length <= exactCharsMax && /\d{16}/.test(clean)) {
    try {
      // The third argument is newer than the declared type of JSON.parse.
      return JSON.parse(clean, keepExact as (name: string, value: unknown) => unknown);
    } catch (error) {
      // Nested too deep for a reviver; without one the parser does not recurse.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return JSON.parse(clean) as unknown;
}

const ranges = new WeakMap<object, readonly Range[]>();

function split(entries: readonly Entry[], first: number): readonly Range[] {
  let size = rangeSize;
  while (entries.length / size > rangeSize) size *= rangeSize;
  const parts: Range[] = [];
  for (let at = 0; at < entries.length; at += size) parts.push(new Range(entries.slice(at, at + size), first + at));
  return parts;
}

function entriesOf(value: object): readonly Entry[] {
  if (value instanceof Range) return value.entries;
  if (Array.isArray(value)) return value.map((one: unknown, at) => [String(at), one] as const);
  return Object.entries(value);
}

/** What unfolds below a value: entries, or ranges of them where there are many. */
function below(value: object): readonly (Entry | Range)[] {
  const kept = ranges.get(value);
  if (kept !== undefined) return kept;
  const entries = entriesOf(value);
  if (entries.length <= rangeSize) return entries;
  const parts = split(entries, value instanceof Range ? value.first : 0);
  ranges.set(value, parts);
  return parts;
}

export function isFoldable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof Exact);
}

function countOf(value: unknown): number {
  if (!isFoldable(value)) return 0;
  if (value instanceof Range) return value.entries.length;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The lines that are unfolded, at most `linesMax`. */
export function linesOf(root: unknown, open: ReadonlySet<object>, linesMax: number): Line[] {
  const lines: Line[] = [];
  const stack: { readonly level: number; readonly name?: string; readonly value: unknown }[] = [{ level: 1, value: root }];
  while (lines.length < linesMax) {
    const next = stack.pop();
    if (next === undefined) break;
    const { value } = next;
    const count = countOf(value);
    const isTooDeep = next.level > depthMax && count > 0;
    const isOpen = count > 0 && !isTooDeep && isFoldable(value) && open.has(value);
    lines.push({ ...next, count, isOpen, isTooDeep });
    if (!isOpen) continue;
    const level = next.level + 1;
    const children = below(value);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child instanceof Range) stack.push({ level, value: child });
      else if (child !== undefined) stack.push({ level, name: child[0], value: child[1] });
    }
  }
  return lines;
}
