/** Searches that were made, the last ones first, and those that somebody wants to keep. */
import { readSetting, writeSetting } from "../library/settings.js";

const recentMax = 20;
const starredMax = 200;

type List = "searches" | "starred";

function read(list: List): string[] {
  try {
    const kept: unknown = JSON.parse(readSetting(list) ?? "[]");
    return Array.isArray(kept) ? kept.filter((query) => typeof query === "string") : [];
  } catch {
    // Whatever else lies there.
    return [];
  }
}

function write(list: List, queries: readonly string[]): void {
  writeSetting(list, queries.length === 0 ? undefined : JSON.stringify(queries));
}

export const recent = (): string[] => read("searches");
export const starred = (): string[] => read("starred");

export function remember(query: string): void {
  if (query !== "") write("searches", [query, ...recent().filter((one) => one !== query)].slice(0, recentMax));
}

export function star(query: string, isOn: boolean): void {
  const others = starred().filter((one) => one !== query);
  write("starred", (isOn ? [query, ...others] : others).slice(0, starredMax));
}

export function forget(query: string): void {
  write("searches", recent().filter((one) => one !== query));
  star(query, false);
}
