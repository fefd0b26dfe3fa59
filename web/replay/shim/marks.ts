/**
 * Marks in the page what the viewer looks for, and goes to one of the places. The page is left as it is: marks are a
 * highlight, and where the browser has none the place is selected. The viewer brings this along when it is wanted; see
 * ./asked.ts. Which place is wanted is counted from either end, round and round.
 */

import type { Asked } from "./asked.js";

declare const __wa$asked: Asked;

const MARKS_MAX = 2_000;
const MARK = "wa-mark";
const HERE = "wa-here";
const LOOKS = `::highlight(${MARK}){background:#ffe08a;color:#201a00}::highlight(${HERE}){background:#1d5c50;color:#fff}`;

/** Not yet in the types of the language. */
interface Highlights {
  readonly CSS?: { readonly highlights?: { has(name: string): boolean; set(name: string, ranges: object): void } };
  readonly Highlight?: new (...ranges: Range[]) => object;
}

function places(pattern: RegExp): Range[] {
  const found: Range[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && found.length < MARKS_MAX; node = walker.nextNode()) {
    for (const { 0: text, index } of (node.nodeValue ?? "").matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      // What is not drawn has no place.
      if (text !== "" && range.getClientRects().length > 0) found.push(range);
    }
  }
  return found;
}

function draw(ranges: readonly Range[], here: Range | undefined): void {
  const { CSS: { highlights } = {}, Highlight } = globalThis as Highlights;
  if (highlights && Highlight) {
    if (!highlights.has(MARK)) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(LOOKS);
      document.adoptedStyleSheets.push(sheet);
    }
    highlights.set(MARK, new Highlight(...ranges));
    highlights.set(HERE, new Highlight(...(here ? [here] : [])));
  } else if (here) {
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(here);
  }
  here?.startContainer.parentElement?.scrollIntoView({ block: "center" });
}

const { marks, at: wanted, say } = __wa$asked;
const ranges = marks === "" ? [] : places(new RegExp(marks, "giu"));
const at = ranges.length > 0 ? ((wanted % ranges.length) + ranges.length) % ranges.length : 0;
draw(ranges, ranges[at]);
say({ wa: "marks", count: ranges.length, at });
