/** The list of pages that an archive states, in place of its records: titles, and the way to each page's record. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { ArchivePage } from "stackroom";

import { visible } from "../content/visible.js";
import { formatCaptured, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { base, controls, messages } from "./styles.js";

const step = 200;

export class Pages extends LitElement {
  static override properties = { store: { attribute: false }, found: { state: true }, wanted: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: block;
        overflow: auto;
        background: var(--paper);
      }
      ol {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li button {
        display: grid;
        gap: 1px;
        justify-items: start;
        inline-size: 100%;
        min-block-size: 46px;
        padding: 5px 12px;
        border: 0;
        border-block-end: 1px solid var(--line-soft);
        border-radius: 0;
        background: none;
        text-align: start;
      }
      li button:hover:not(:disabled) {
        background: var(--paper-hover);
      }
      li button:focus-visible {
        outline-offset: -2px;
      }
      .open {
        background: var(--accent-wash);
        box-shadow: inset 3px 0 var(--accent);
      }
      .title,
      .where {
        max-inline-size: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        unicode-bidi: isolate;
      }
      .title {
        color: var(--ink);
        font-size: var(--text);
      }
      .where {
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .more {
        margin: 8px 12px;
      }
    `,
  ];
  declare store: Store;
  declare found: readonly ArchivePage[];
  declare wanted: number;
  #isFetching = false;

  constructor() {
    super();
    this.found = [];
    this.wanted = step;
    new Watch(this, "progress", "record");
  }

  override updated(_changes: PropertyValues): void {
    const due = Math.min(this.wanted, this.store.progress?.pages ?? 0);
    if (this.found.length < due && !this.#isFetching) void this.#fetch(due);
  }

  async #fetch(due: number): Promise<void> {
    const { archive } = this.store;
    if (archive === undefined) return;
    this.#isFetching = true;
    const more = await archive.pages(this.found.length, due - this.found.length).catch(() => []);
    this.#isFetching = false;
    if (archive === this.store.archive && more.length > 0) this.found = [...this.found, ...more];
  }

  override render(): TemplateResult {
    const count = this.store.progress?.pages ?? 0;
    return html`
      <ol aria-label=${words.pageList}>
        ${this.found.map((page) => this.#page(page))}
      </ol>
      ${count > this.wanted
        ? html`<button class="more" @click=${() => (this.wanted += step)}>${words.morePages(formatCount(count - this.wanted))}</button>`
        : nothing}
    `;
  }

  #page(page: ArchivePage): TemplateResult {
    const url = visible(page.url, 400);
    const isOpen = (this.store.replaying?.url ?? this.store.record?.row.url) === page.url;
    const when = formatCaptured(page.captured);
    return html`
      <li>
        <button class=${isOpen ? "open" : ""} aria-current=${isOpen ? "true" : "false"} @click=${() => this.store.replay(page)}>
          <span class="title">${page.title === undefined || page.title.trim() === "" ? url : visible(page.title, 300)}</span>
          <span class="where" dir="ltr" title=${url}>${when === "" ? url : `${when} \u00b7 ${url}`}</span>
        </button>
      </li>
    `;
  }
}

customElements.define("stackroom-pages", Pages);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-pages": Pages;
  }
}
