/** The web pages that were found in an archive, in place of its records: by title, time or as they lie in the files. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { DocumentCounts, DocumentOrder, KeptDocument, SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCaptured, formatCount } from "../format.js";
import { RowPages } from "../rows.js";
import { Scroll } from "../scroll.js";
import type { Store } from "../state.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { languageName } from "./languages.js";
import type { Shelf } from "./shelf.js";
import { words } from "./words.js";

const itemHeight = 46;
/** While pages come, the list is made anew no more often. */
const countedMs = 2_000;
/** Drawn beyond the screen on both sides. */
const spare = 6;
/** With a record open it follows once the keys rest. */
const followMs = 70;
const wheelMs = 400;

interface Order {
  readonly order: DocumentOrder;
  readonly isDescending: boolean;
  readonly name: string;
}

const orders: readonly Order[] = [
  { order: "file", isDescending: false, name: words.fileOrder },
  { order: "title", isDescending: false, name: words.titleUp },
  { order: "title", isDescending: true, name: words.titleDown },
  { order: "time", isDescending: false, name: words.timeUp },
  { order: "time", isDescending: true, name: words.timeDown },
];

export class Found extends LitElement {
  static override properties = { store: { attribute: false }, order: { state: true }, language: { state: true }, counts: { state: true }, active: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-inline-size: 0;
        background: var(--paper);
      }
      .bar {
        display: flex;
        flex: none;
        gap: 8px;
        padding: 4px 12px;
        border-block-end: 1px solid var(--line-soft);
      }
      .bar select {
        min-inline-size: 0;
        max-inline-size: 50%;
        min-block-size: 26px;
        padding: 0 4px;
        font-size: var(--text-small);
        text-overflow: ellipsis;
      }
      .coming,
      .lacks {
        margin: 0;
        padding: 6px 12px;
        border-block-end: 1px solid var(--line-soft);
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      #list {
        position: relative;
        flex: 1;
        min-block-size: 0;
        overflow: auto;
        overflow-anchor: none;
        contain: strict;
      }
      #list:focus-visible {
        outline-offset: -2px;
      }
      #body {
        position: relative;
        overflow: hidden;
      }
      .item {
        position: absolute;
        inset-inline: 0;
        display: grid;
        align-content: center;
        gap: 1px;
        block-size: ${itemHeight}px;
        padding-inline: 12px;
        border-block-end: 1px solid var(--line-soft);
        cursor: default;
        contain: strict;
      }
      .item:hover {
        background: var(--paper-hover);
      }
      #list:focus-visible .active {
        outline: 2px solid var(--focus, var(--accent));
        outline-offset: -2px;
      }
      .item.open {
        background: var(--accent-wash);
        box-shadow: inset 3px 0 var(--accent);
      }
      .title,
      .where {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        unicode-bidi: isolate;
      }
      .title {
        color: var(--ink);
        text-align: start;
      }
      .where {
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      @media (forced-colors: active) {
        .item.open {
          outline: 1px solid Highlight;
          outline-offset: -1px;
        }
      }
    `,
  ];
  declare store: Store;
  declare order: number;
  /** Of all languages where it is empty. */
  declare language: string;
  declare counts: DocumentCounts | undefined;
  declare active: number;
  readonly #scroll = new Scroll();
  #index: SharedIndex | undefined;
  #key = "";
  #pages: RowPages<KeptDocument> | undefined;
  #height = 0;
  #isBarDue = false;
  #wheeledAt = -Infinity;
  #followTimer = 0;
  /** Of which number of pages the list is. */
  #counted: number | undefined;
  #countedAt = -Infinity;
  #countTimer = 0;
  #sizes: ResizeObserver | undefined;

  constructor() {
    super();
    this.order = 0;
    this.language = "";
    this.active = 0;
    new Watch(this, "library", "record");
  }

  focusList(): void {
    this.renderRoot.querySelector<HTMLElement>("#list")?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes?.disconnect();
    this.#sizes = undefined;
    window.clearTimeout(this.#followTimer);
    window.clearTimeout(this.#countTimer);
    this.#pages?.close();
    this.#pages = undefined;
    this.#key = "";
  }

  override willUpdate(): void {
    const index = this.store.library?.index;
    if (index !== this.#index) {
      this.#index = index;
      this.#key = "";
      this.language = "";
      this.counts = undefined;
      this.#counted = undefined;
    }
    if (index !== undefined) this.#countAgain(index);
    const { order, language } = this;
    if (index !== undefined && this.counts !== undefined && this.#key !== `${order} ${language}`) {
      this.#key = `${order} ${language}`;
      this.#list(index);
    }
    const count = this.#pages?.count ?? 0;
    this.#scroll.fit(count, itemHeight, this.#height);
    if (count > 0 && this.#height > 0) this.#pages?.want(this.#scroll.first - spare, this.#scroll.last + spare);
  }

  /** Pages come while they are read. */
  #countAgain(index: SharedIndex): void {
    const documents = this.store.library?.kept?.documents;
    const left = this.#countedAt + countedMs - performance.now();
    window.clearTimeout(this.#countTimer);
    if (this.#counted === documents) return;
    if (this.#counted !== undefined && left > 0) {
      this.#countTimer = window.setTimeout(() => this.requestUpdate(), left);
      return;
    }
    this.#counted = documents;
    this.#countedAt = performance.now();
    void this.#count(index);
  }

  async #count(index: SharedIndex): Promise<void> {
    const counts = await index.documentCounts().catch(() => undefined);
    if (index !== this.#index) return;
    const isMore = this.counts !== undefined;
    this.counts = counts;
    if (isMore) this.#list(index, true);
  }

  #list(index: SharedIndex, isMore = false): void {
    const { counts, language } = this;
    const { order, isDescending } = orders[this.order] ?? { order: "file", isDescending: false };
    const count = language === "" ? counts?.pages : counts?.languages.find((one) => one.language === language)?.count;
    const asked = { order, isDescending, ...(language !== "" && { language }) };
    this.#pages?.close();
    this.#pages = new RowPages({ count: count ?? 0, rows: (from, some) => index.documents({ ...asked, from, count: some }) }, () => this.requestUpdate());
    if (isMore) return;
    this.active = 0;
    this.#scroll.fit(count ?? 0, itemHeight, this.#height);
    this.#scroll.reveal(0);
    this.#isBarDue = true;
  }

  override render(): TemplateResult | typeof nothing {
    const { library } = this.store;
    if (library?.found === undefined) return nothing;
    if (library.found.count === undefined) return html`<div class="message"><span>${words.pagesNotKept}</span>${this.#again()}</div>`;
    const pages = this.#pages;
    const count = pages?.count ?? 0;
    return html`
      <div class="bar">
        <select aria-label=${words.sort} @change=${(event: Event) => (this.order = Number(valueOf(event)))}>
          ${orders.map(({ name }, at) => html`<option value=${at} ?selected=${at === this.order}>${name}</option>`)}
        </select>
        ${this.#languages()}
      </div>
      ${this.#rest(library)}
      ${pages?.hasFailed === true ? html`<p class="lacks" role="alert">${words.browseFailed}</p>` : nothing}
      <div
        id="list"
        role="listbox"
        tabindex="0"
        aria-label=${words.foundPages}
        aria-activedescendant=${this.#isDrawn(this.active, count) ? `item-${this.active}` : nothing}
        @scroll=${this.#onScroll}
        @wheel=${{ handleEvent: (event: WheelEvent) => this.#onWheel(event), passive: true }}
        @keydown=${this.#onKey}
        @click=${this.#onClick}
      >
        <div id="body">${this.#drawn(count)}</div>
      </div>
    `;
  }

  /** What is still to come, or will not come by itself. */
  #rest({ kept, shareOfPages: share }: Shelf): TemplateResult | typeof nothing {
    if (share !== undefined) return html`<p class="coming">${words.pagesComing(String(Math.floor(share * 100)))}</p>`;
    return kept?.documentsEnd === undefined ? nothing : html`<p class="lacks">${words.pagesLack} ${this.#again()}</p>`;
  }

  #again(): TemplateResult {
    return html`<button @click=${() => void this.store.library?.indexAgain()}>${words.indexAgain}</button>`;
  }

  #languages(): TemplateResult | typeof nothing {
    const { counts } = this;
    if (counts === undefined || counts.languages.length < 2) return nothing;
    const sorted = [...counts.languages].sort((a, b) => b.count - a.count);
    return html`
      <select aria-label=${words.language} @change=${(event: Event) => (this.language = valueOf(event))}>
        <option value="" ?selected=${this.language === ""}>${words.allLanguages(formatCount(counts.pages))}</option>
        ${sorted.map(({ language, count }) => html`<option value=${language} ?selected=${language === this.language}>${languageName(language)} (${formatCount(count)})</option>`)}
      </select>
    `;
  }

  #isDrawn(at: number, count: number): boolean {
    return count > 0 && at >= this.#scroll.first - spare && at <= this.#scroll.last + spare;
  }

  #drawn(count: number): TemplateResult[] {
    const drawn: TemplateResult[] = [];
    const last = Math.min(count - 1, this.#scroll.last + spare);
    for (let at = Math.max(0, this.#scroll.first - spare); at <= last; at += 1) drawn.push(this.#item(at, count));
    return drawn;
  }

  #item(at: number, count: number): TemplateResult {
    const found = this.#pages?.get(at);
    const isOpen = found !== undefined && this.store.record?.row.row === found.record.row;
    return html`
      <div
        id="item-${at}"
        role="option"
        class="item${at === this.active ? " active" : ""}${isOpen ? " open" : ""}"
        style="transform: translateY(${this.#scroll.place(at)}px)"
        aria-selected=${isOpen ? "true" : "false"}
        aria-posinset=${at + 1}
        aria-setsize=${count}
        data-at=${at}
      >
        ${found === undefined ? nothing : this.#said(found)}
      </div>
    `;
  }

  #said({ record, document }: KeptDocument): TemplateResult {
    const url = record.url === "" ? words.noUrl : visible(record.url, 400);
    const title = visible(document.title ?? "", 300).trim();
    const about = [formatCaptured(record.captured), document.language === undefined ? "" : languageName(document.language)].filter((text) => text !== "");
    return html`
      <span class="title" dir=${title === "" ? "ltr" : "auto"} title=${title === "" ? url : title}>${title === "" ? url : title}</span>
      <span class="where" dir="ltr" title=${url}>${[...about, url].join(" \u00b7 ")}</span>
    `;
  }

  override updated(): void {
    const list = this.renderRoot.querySelector<HTMLElement>("#list");
    const body = this.renderRoot.querySelector<HTMLElement>("#body");
    if (list === null || body === null) return;
    if (this.#sizes === undefined) {
      this.#sizes = new ResizeObserver(() => {
        this.#height = list.clientHeight;
        this.#isBarDue = true;
        this.requestUpdate();
      });
      this.#sizes.observe(list);
    }
    body.style.blockSize = `${this.#scroll.height}px`;
    if (!this.#isBarDue || this.#height === 0) return;
    this.#isBarDue = false;
    if (Math.abs(list.scrollTop - this.#scroll.bar) >= 1) list.scrollTop = this.#scroll.bar;
    this.#scroll.settled(list.scrollTop);
  }

  #onWheel(event: WheelEvent): void {
    const now = performance.now();
    if (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL) this.#scroll.wheeled(event.deltaY, now - this.#wheeledAt < wheelMs);
    this.#wheeledAt = now;
  }

  #onScroll(event: Event): void {
    if (!(event.currentTarget instanceof HTMLElement)) return;
    if (this.#scroll.moved(event.currentTarget.scrollTop, performance.now() - this.#wheeledAt < wheelMs)) this.#isBarDue = true;
    this.requestUpdate();
  }

  #onClick(event: Event): void {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-at]") : null;
    if (item === null) return;
    this.active = Number(item.dataset["at"]);
    void this.#open(true);
  }

  async #open(isChosen: boolean): Promise<void> {
    const pages = this.#pages;
    const found = await pages?.row(this.active, new AbortController().signal).catch(() => undefined);
    if (found === undefined || pages !== this.#pages) return;
    const wasOpen = this.store.record?.row.row === found.record.row;
    this.store.openRecord(found.record);
    // Behind the page is its record.
    if (isChosen) this.store.replay(found.record);
    if (isChosen) this.dispatchEvent(new CustomEvent("stackroom-chosen", { bubbles: true, composed: true, detail: { wasOpen } }));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const screen = Math.max(1, this.#scroll.rowsInView - 1);
    const { active } = this;
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + screen, PageUp: active - screen, Home: 0, End: Infinity }[event.key];
    if (to !== undefined) this.#go(to);
    else if (event.key === "Enter" || event.key === " ") void this.#open(true);
    else return;
    event.preventDefault();
  }

  #go(to: number): void {
    const count = this.#pages?.count ?? 0;
    if (count === 0) return;
    this.active = Math.max(0, Math.min(to, count - 1));
    this.#scroll.reveal(this.active);
    this.#isBarDue = true;
    if (this.store.record === undefined || this.store.replaying !== undefined) return;
    window.clearTimeout(this.#followTimer);
    this.#followTimer = window.setTimeout(() => void this.#open(false), followMs);
  }
}

const valueOf = (event: Event): string => (event.target instanceof HTMLSelectElement ? event.target.value : "");

customElements.define("stackroom-found", Found);
