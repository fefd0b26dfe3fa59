/** Captures by the days on which they were made, and the days of a month by weeks. In UTC. */
import type { RecordRow } from "stackroom";

export interface Day {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  /** When it begins. */
  readonly time: number;
  readonly rows: readonly RecordRow[];
}

const dayMs = 24 * 3_600_000;

/** Days that have any, in order; records without a time are of none. */
export function byDay(rows: readonly RecordRow[]): Day[] {
  const days = new Map<number, RecordRow[]>();
  for (const row of rows) {
    if (row.captured === undefined) continue;
    const time = Math.floor(row.captured / dayMs) * dayMs;
    const known = days.get(time);
    if (known === undefined) days.set(time, [row]);
    else known.push(row);
  }
  return [...days]
    .sort(([a], [b]) => a - b)
    .map(([time, some]) => {
      const day = new Date(time);
      return { year: day.getUTCFullYear(), month: day.getUTCMonth(), date: day.getUTCDate(), time, rows: some };
    });
}

/** The day that a time is in, or the one that is nearest to it. */
export function nearest(days: readonly Day[], time: number): Day | undefined {
  const distance = (day: Day): number => Math.max(day.time - time, time - (day.time + dayMs - 1), 0);
  return days.reduce<Day | undefined>((best, day) => (best === undefined || distance(day) < distance(best) ? day : best), undefined);
}

/** Weeks from Monday on, with the days of the month that are in them. */
export function monthOf(year: number, month: number): (number | undefined)[][] {
  const first = new Date(0);
  first.setUTCFullYear(year, month, 1);
  const before = (first.getUTCDay() + 6) % 7;
  const last = new Date(0);
  last.setUTCFullYear(year, month + 1, 0);
  const cells = [...Array.from<undefined>({ length: before }), ...Array.from({ length: last.getUTCDate() }, (_, at) => at + 1)];
  const weeks: (number | undefined)[][] = [];
  for (let at = 0; at < cells.length; at += 7) weeks.push(Array.from({ length: 7 }, (_, day) => cells[at + day]));
  return weeks;
}
