/** Which places of a list are selected. They are ranges, so that all of a million is one. */

export interface Range {
  readonly from: number;
  /** Behind the last one. */
  readonly to: number;
}

export class Selection {
  /** In order, and none touches the next. */
  ranges: readonly Range[] = [];
  /** From where a range is drawn. */
  #anchor = 0;

  get count(): number {
    return this.ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  has(place: number): boolean {
    return this.ranges.some(({ from, to }) => place >= from && place < to);
  }

  clear(): void {
    this.ranges = [];
  }

  all(count: number): void {
    this.ranges = count === 0 ? [] : [{ from: 0, to: count }];
  }

  /** Where the next range begins. */
  startAt(place: number): void {
    this.#anchor = place;
  }

  toggle(place: number): void {
    this.#anchor = place;
    if (this.has(place)) this.ranges = this.ranges.flatMap((range) => without(range, place));
    else this.ranges = joined([...this.ranges, { from: place, to: place + 1 }]);
  }

  /** From the place that was chosen last to this one, and nothing else. */
  drawTo(place: number): void {
    this.ranges = [{ from: Math.min(this.#anchor, place), to: Math.max(this.#anchor, place) + 1 }];
  }
}

function without({ from, to }: Range, place: number): Range[] {
  if (place < from || place >= to) return [{ from, to }];
  return [{ from, to: place }, { from: place + 1, to }].filter((range) => range.to > range.from);
}

/** Sorted, and those that touch are one. */
export function joined(ranges: readonly Range[]): Range[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}
