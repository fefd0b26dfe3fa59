/** Bars of a histogram over time: from years down to seconds, each beginning where the calendar says. Arithmetic in UTC. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Shortest last. Months and years have no fixed length; theirs is the usual one. */
export const units = [
  { name: "year", length: 365 * day },
  { name: "month", length: 30 * day },
  { name: "day", length: day },
  { name: "hour", length: hour },
  { name: "minute", length: minute },
  { name: "second", length: second },
] as const;
export type Unit = (typeof units)[number]["name"];

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** More bars than this are too thin to be hit. */
const barsMax = 100;

/** The shortest unit of which the span has not too many. */
export function unitFor({ from, to }: Span): Unit {
  return [...units].reverse().find(({ length }) => (to - from) / length <= barsMax)?.name ?? "year";
}

/** Where the unit begins that the time is in, or one that is so many units later. */
export function startOf(unit: Unit, time: number, later = 0): number {
  const date = new Date(time);
  const parts = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const at = units.findIndex(({ name }) => name === unit);
  const [year = 0, month = 0, dayOfMonth = 1, ...rest] = parts.map((part, place) => (place < at ? part : place > at ? (place === 2 ? 1 : 0) : part + later));
  const whole = new Date(0);
  whole.setUTCFullYear(year, month, dayOfMonth);
  const [hours = 0, minutes = 0, seconds = 0] = rest;
  whole.setUTCHours(hours, minutes, seconds);
  return whole.getTime();
}

/** Where each bar begins, and where the last one ends. */
export function edgesOf(span: Span, unit: Unit): number[] {
  const edges = [startOf(unit, span.from)];
  for (let at = edges[0] ?? 0; at < span.to; ) {
    at = startOf(unit, at, 1);
    edges.push(at);
  }
  // A single moment has one bar.
  if (edges.length === 1) edges.push(startOf(unit, span.from, 1));
  return edges;
}

const pad = (value: number, width = 2): string => String(value).padStart(width, "0");

/** As much of a time as the unit needs: `2014`, `2014-03`, `2014-03-09 14:05`. */
export function timeName(unit: Unit, time: number): string {
  const date = new Date(time);
  const depth = units.findIndex(({ name }) => name === unit);
  const days = [pad(date.getUTCFullYear(), 4), pad(date.getUTCMonth() + 1), pad(date.getUTCDate())].slice(0, depth + 1).join("-");
  if (depth < 3) return days;
  const hours = [pad(date.getUTCHours()), depth === 3 ? "00" : pad(date.getUTCMinutes())];
  if (depth === 5) hours.push(pad(date.getUTCSeconds()));
  return `${days} ${hours.join(":")}`;
}
