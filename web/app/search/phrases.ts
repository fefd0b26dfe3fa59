/**
 * What is marked where phrases alone are asked for: the engine marks each of their words wherever it is, and only those
 * that stand together as they were asked for are places of a phrase.
 */
import type { Hit, Stretch } from "stackroom/library";

import { wordsOf } from "./terms.js";

/** Its words, in languages that put gaps between them. */
export const partsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");

/** As the engine compares words, but for the letters of which it knows more: where this finds nothing, all stays marked. */
const folded = (text: string): string => partsOf(text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()).join(" ");

/** None where words are asked for by themselves too. */
function phrasesOf(query: string): string[] {
  const texts = wordsOf(query);
  return texts.every((text) => partsOf(text).length > 1) ? texts : [];
}

/** Marks with nothing but gaps between them become one; those that hold no phrase are taken away. */
function joined(stretches: readonly Stretch[], phrases: readonly string[]): Stretch[] {
  const runs: { text: string; isMarked: boolean }[] = [];
  stretches.forEach(({ text, isMarked }, at) => {
    const last = runs.at(-1);
    const isGap = !isMarked && last?.isMarked === true && stretches[at + 1]?.isMarked === true && partsOf(text).length === 0;
    if (last !== undefined && (isGap || last.isMarked === isMarked)) last.text += text;
    else runs.push({ text, isMarked });
  });
  return runs.map(({ text, isMarked }) => ({ text, isMarked: isMarked && phrases.some((phrase) => ` ${folded(text)}`.includes(` ${phrase}`)) }));
}

export function withPhrases(hit: Hit, query: string): Hit {
  const phrases = phrasesOf(query).map(folded);
  if (phrases.length === 0) return hit;
  const title = hit.title && joined(hit.title, phrases);
  const passages = hit.passages?.map((passage) => joined(passage, phrases));
  const hasPlace = [title ?? [], ...(passages ?? [])].flat().some(({ isMarked }) => isMarked);
  return hasPlace ? { ...hit, ...(title && { title }), ...(passages && { passages }) } : hit;
}

/** The words of phrases, each for itself. */
export function patternOfWords(query: string): RegExp | undefined {
  const words = new Set(phrasesOf(query).flatMap(partsOf));
  return words.size === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...words].join("|")})(?![\\p{L}\\p{N}])`, "giu");
}
