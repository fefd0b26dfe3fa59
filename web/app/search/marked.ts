/** Text with what was asked for marked, nothing of it hidden, cut where it is long. */
import { html, type TemplateResult } from "lit";
import type { Stretch } from "stackroom/library";

import { visible } from "../content/visible.js";

export function marked(stretches: readonly Stretch[], charsMax: number): TemplateResult[] {
  let left = charsMax;
  return stretches.map(({ text, isMarked }) => {
    const shown = visible(text.replace(/\s+/g, " ").slice(0, Math.max(0, left)), Infinity);
    left -= text.length;
    return isMarked ? html`<mark>${shown}</mark>` : html`${shown}`;
  });
}
