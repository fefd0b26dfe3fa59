/**
 * Numbers, sizes, times and dates as people read them, in the language of the browser.
 * Pure functions; knows nothing of archives. Wording is in `words.ts`.
 */

const integer = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

export function formatCount(count: number): string {
  return integer.format(count);
}

const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** Decimal units, because file managers and drives count so: `999 B`, `1.4 kB`, `18 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? integer.format(value) : oneDigit.format(value);
  return `${digits}\u00a0${units[unit] ?? "B"}`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}

/**
 * `2024-03-09 14:05:59`, in UTC as archives state it: the digits sort, line up and match the record.
 * Hand-written because the list formats thousands a second while scrolling.
 */
export function formatCaptured(ms: number | undefined): string {
  if (ms === undefined) return "";
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  return `${day} ${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`;
}

/** At least `0.1 s`; `12 s`, `3 min`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0.1, ms / 1000);
  if (seconds < 9.95) return `${oneDigit.format(seconds)}\u00a0s`;
  if (seconds < 99.5) return `${integer.format(seconds)}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${integer.format(minutes)}\u00a0min`;
  return `${integer.format(Math.floor(minutes / 60))}\u00a0h ${integer.format(minutes % 60)}\u00a0min`;
}
