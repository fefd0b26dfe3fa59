/** The drawings of the viewer: its own mark and a dozen line icons on a 24-unit square. All are decoration, never the only label. */
import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit";

function icon(paths: SVGTemplateResult): TemplateResult {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`;
}

export const icons = {
  /** Three shelves of boxes with their labels. */
  mark: icon(svg`<g stroke-width="1.5"><path d="M3.5 3.5h17v17h-17z"/><path d="M3.5 9.2h17M3.5 14.8h17M10 6.4h4M10 12h4M10 17.6h4"/></g>`),
  search: icon(svg`<circle cx="11" cy="11" r="6.5"/><path d="m20 20-4.2-4.2"/>`),
  close: icon(svg`<path d="M6 6l12 12M18 6 6 18"/>`),
  open: icon(svg`<path d="M3 19V6a1 1 0 0 1 1-1h5l2 2.5h8a1 1 0 0 1 1 1V10"/><path d="M3 19.5 6 11h16l-3 8.5z"/>`),
  menu: icon(svg`<path d="M4 7h16M4 12h16M4 17h16"/>`),
  back: icon(svg`<path d="M19 12H5M11 6l-6 6 6 6"/>`),
  down: icon(svg`<path d="m7 10 5 5 5-5"/>`),
  copy: icon(svg`<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3"/>`),
  save: icon(svg`<path d="M12 4v11M7 10.5l5 5 5-5M4.5 20h15"/>`),
  warning: icon(svg`<path d="M12 4 2.8 19.5h18.4z"/><path d="M12 10v4.5M12 17.2v.1"/>`),
  check: icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`),
  file: icon(svg`<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5"/>`),
  shield: icon(svg`<path d="M12 3 4.5 6v5.5c0 4.6 3 8 7.5 9.5 4.5-1.5 7.5-4.9 7.5-9.500V6z"/><path d="m8.7 12 2.4 2.4 4.3-4.6"/>`),
  drop: icon(svg`<path d="M3.5 14v5a1.5 1.5 0 0 0 1.5 1.500h14a1.5 1.5 0 0 0 1.5-1.500v-5"/><path d="M12 3.500v11M7.5 10l4.5 4.5 4.5-4.5"/>`),
} as const;
