/**
 * Where in a text the words of a search are: from what the engine marked of the hit, and from the query itself.
 * Expressions are the engine's alone, which takes no longer for any: of them only what it marked is marked.
 */
import type { Hit } from "stackroom/library";

import { partsOf } from "./phrases.js";
import { wordsOf } from "./terms.js";

/** More than these are not marked. */
const marksMax = 2_000;

/** Texts between marks and in them, in turn: the first is before the first mark. */
export type Pieces = readonly string[];

export function patternOf(hit: Hit, query: string): RegExp | undefined {
  const marked = [hit.title ?? [], ...(hit.passages ?? [])].flat().filter(({ isMarked }) => isMarked);
  const { matches = [] } = hit;
  // What an expression matches is marked in passages too, and may be less than a word.
  const texts = new Set([...marked.map(({ text }) => text), ...wordsOf(query)].filter((text) => !matches.includes(text)).map((text) => text.trim().toLowerCase()).filter((text) => text !== ""));
  const [found, asked] = [matches.map(escaped), [...texts].map(formOf)];
  const forms = [...found, ...asked].sort((a, b) => b.length - a.length);
  return forms.length === 0 ? undefined : new RegExp(forms.join("|"), "giu");
}

/** Whole words, but for stars and for writing that has no gaps between them. */
function formOf(text: string): string {
  // What stands between the words of a phrase is of no account.
  const parts = partsOf(text);
  if (parts.length > 1 && !text.includes("*")) return `(?<![\\p{L}\\p{N}])${parts.join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}])`;
  const form = text.split("*").map(escaped).join("[\\p{L}\\p{N}]*");
  const isGapless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text);
  return isGapless ? form : `(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])`;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/\s+/g, "\\s+");

export function piecesOf(text: string, pattern: RegExp): Pieces {
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (found === "" || pieces.length >= 2 * marksMax) continue;
    pieces.push(text.slice(at, index), found);
    at = index + found.length;
  }
  return [...pieces, text.slice(at)];
}
