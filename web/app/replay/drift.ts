/** How far the time of a resource is from that of its page, in words. */
import { formatCount } from "../format.js";
import { words } from "./words.js";

const second = 1_000;
const units = [
  ["year", 365.25 * 86_400 * second],
  ["day", 86_400 * second],
  ["hour", 3_600 * second],
  ["minute", 60 * second],
  ["second", second],
] as const;

export function drift(of: number | undefined, from: number | undefined): string {
  if (of === undefined || from === undefined) return "";
  const span = Math.abs(of - from);
  if (span < second) return words.same;
  const [unit, length] = units.find(([, each]) => span >= each) ?? ["second", second];
  const count = Math.round(span / length);
  const text = words.spans[unit](formatCount(count), count === 1);
  return of < from ? words.earlier(text) : words.later(text);
}
