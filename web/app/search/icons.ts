/** Drawings of the list of hits, on the same square as those of the viewer. */
import { html, type TemplateResult } from "lit";

const icon = (path: string, isFull = false): TemplateResult => html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${path} fill=${isFull ? "currentColor" : "none"} /></svg>`;

const star = "m12 3.8 2.5 5.2 5.700.8-4.100 4 1 5.700L12 16.800l-5.100 2.700 1-5.700-4.100-4 5.700-.8z";

export const starOff = icon(star);
export const starOn = icon(star, true);
/** Steps, one below the other. */
export const plan = icon("M4 6h3M10 6h10M7 12h3M13 12h7M10 18h3M16 18h4");
/** A funnel. */
export const narrow = icon("M4 5h16l-6.200 7.500V19l-3.600-2v-4.500z");
