/** Drawings that only archived pages need. */
import { svg, html, type SVGTemplateResult, type TemplateResult } from "lit";

const icon = (paths: SVGTemplateResult): TemplateResult => html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`;

export const icons = {
  forward: icon(svg`<path d="M5 12h14M13 6l6 6-6 6"/>`),
  reload: icon(svg`<path d="M19 12a7 7 0 1 1-2.2-5.1M19 3.500v4.500h-4.500"/>`),
  earlier: icon(svg`<path d="m14 6-6 6 6 6"/>`),
  later: icon(svg`<path d="m10 6 6 6-6 6"/>`),
  wide: icon(svg`<path d="M4 12h16M8 8l-4 4 4 4M16 8l4 4-4 4"/>`),
} as const;
