// Figures of a benchmark: gathered, printed as a table for people or as one JSON line each for programs.

const round = (value) => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

export class Figures {
  /** `tell` hears of every figure as soon as it is there: a long run is watched. */
  constructor(bench, tell = () => undefined) {
    this.bench = bench;
    this.tell = tell;
    this.all = [];
  }

  /** `ratio`: how many times better than the peer. */
  add(name, metric, value, unit, { peer, ratio } = {}) {
    const figure = { bench: this.bench, case: name, metric, value: round(value), unit };
    if (peer !== undefined) figure.peer = peer;
    if (ratio !== undefined) figure.ratio = typeof ratio === "number" ? round(ratio) : ratio;
    this.all.push(figure);
    this.tell(figure);
  }

  lines() {
    return this.all.map((figure) => JSON.stringify(figure));
  }

  table() {
    const rows = this.all.map(({ case: name, metric, value, unit, peer, ratio }) => [name, metric, String(value), unit, ratio === undefined ? "" : `${ratio}x`, peer ?? ""]);
    const all = [["case", "metric", "value", "unit", "better by", "than"], ...rows];
    const widths = all[0].map((_, idx) => Math.max(...all.map((row) => row[idx].length)));
    return all.map((row) => row.map((cell, idx) => (idx === 2 || idx === 4 ? cell.padStart(widths[idx]) : cell.padEnd(widths[idx]))).join("  ").trimEnd()).join("\n");
  }
}
