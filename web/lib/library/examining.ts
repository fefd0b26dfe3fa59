/**
 * Searches that ask what only the records themselves tell: the index says which may do, the archive, which is open where
 * this is asked, reads them a while at a time, and the index takes note of what came of it.
 */

import type { SearchAsked, SearchFound, SearchOptions } from "./search.js";

/** With what was read of the records that were named before. */
export interface SearchStepAsked extends SearchAsked {
  /** Whether records that are to be read shall be named. */
  readonly canExamine?: boolean | undefined;
  readonly examined?: { readonly outcomes: Uint32Array; readonly milliseconds: number } | undefined;
}

export interface SearchStep extends SearchFound {
  readonly toExamine: Uint32Array;
}

/** How long records are read before it is told what was found. */
const TURN_MS = 300;

/** One step of a search, and of what is to be read for it. */
export async function searchWith(step: (asked: SearchStepAsked) => Promise<SearchStep>, asked: SearchAsked, { archive, signal }: SearchOptions = {}): Promise<SearchFound> {
  const first = await step({ ...asked, canExamine: archive !== undefined });
  if (!archive || first.toExamine.length === 0) return found(first);
  const begun = performance.now();
  const outcomes: number[] = [];
  // A record is read to its end, however long that takes: else it would be begun again and again.
  for await (const some of archive.examine(asked.query, first.toExamine, { signal })) {
    for (const number of some) outcomes.push(number);
    if (outcomes.length > 0 && performance.now() - begun > TURN_MS) break;
  }
  const examined = { outcomes: Uint32Array.from(outcomes), milliseconds: performance.now() - begun };
  return found(await step({ ...asked, canExamine: true, examined }));
}

function found({ toExamine: _, ...rest }: SearchStep): SearchFound {
  return rest;
}
