/** The pages that stand where the archive has nothing, or nothing that can be read: inert, styled by themselves, with ways on. */

import type { RecordRow } from "../lib/index.js";

export interface Missing {
  /** As it was asked for, with a scheme. */
  readonly url: string;
  /** The archive is still being read. */
  readonly isIncomplete: boolean;
  /** Captures of the same path, or of like addresses, and where each is replayed. */
  readonly similar: readonly { readonly row: RecordRow; readonly address: string }[];
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:12vh auto;padding:0 1.2rem}
h1{font-size:1.35rem;margin:0 0 .6rem}code{overflow-wrap:anywhere;font-size:.92em}ul{padding-left:1.2rem}li{margin:.3rem 0;overflow-wrap:anywhere}
small{opacity:.75}.rule{border-top:1px solid currentColor;opacity:.25;margin:1.6rem 0}`;

export function missingPage({ url, isIncomplete, similar }: Missing): string {
  const others = similar.map(({ row, address }) => `<li><a href="${escaped(address)}">${escaped(row.url)}</a>${dated(row)}</li>`);
  const list = others.length === 0 ? "" : `<p>The archive has these, which are like it:</p><ul>${others.join("")}</ul>`;
  const coming = isIncomplete ? "<p>The archive is still being read: this page may be found later.</p>" : "";
  return pageOf("missing", "Not in the archive", `<h1>This page is not in the archive</h1><p><code>${escaped(url)}</code></p>${coming}${list}`);
}

/** What it is that could not be read, and why. */
export const unreadablePage = (url: string, why: string): string =>
  pageOf("unreadable", "Cannot be read", `<h1>This page cannot be read</h1><p><code>${escaped(url)}</code></p><p>It is in the archive, but: ${escaped(why)}</p>`);

const pageOf = (kind: string, title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body data-wa="${kind}">${body}
<div class="rule"></div><p><small>Nothing was asked of the live web. The page may still be there, under the address above.</small></p></body></html>`;

const dated = ({ captured }: RecordRow): string =>
  captured === undefined ? "" : ` <small>${new Date(captured).toISOString().slice(0, 10)}</small>`;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);
