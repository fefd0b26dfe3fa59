/**
 * The record list: a grid of fixed-height rows of which only those on screen exist.
 * Owns the active row, the keyboard inside the list and the columns; rows come from `rows.ts`, positions from `scroll.ts`.
 * Everything archived enters as text nodes or as the text of a tooltip.
 */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Archive, RecordRow } from "stackroom";
import type { SortColumn } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes, formatCaptured, formatCount } from "../format.js";
import { arrived } from "../parts.js";
import type { RowPages } from "../rows.js";
import { Scroll } from "../scroll.js";
import type { Selection } from "../selection.js";
import type { Listing, Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import "./pages.js";
import { grid } from "./recordstyles.js";
import { base, controls, messages } from "./styles.js";

const rowHeight = 28;
const stackedRowHeight = 48;
/** Narrower lists put the URL on a line of its own. */
const stackedBelow = 480;
const headHeight = 28;
/** Rows drawn beyond the screen on both sides, so that a quick scroll shows rows and not paper. */
const spareRows = 8;
const restMs = 140;
/** How long after a turn of the wheel the list may still be moving by it. */
const wheelMs = 400;
const followMs = 70;
/** Longer cells cost layout and nobody reads them there. */
const cellCharsMax = 500;

/** With the column of a library by which records are sorted. */
const columns: readonly (readonly [name: string, column?: SortColumn])[] = [
  [words.columnType, "type"],
  [words.columnStatus, "status"],
  [words.columnMime, "mime"],
  [words.columnSize, "size"],
  [words.columnCaptured, "time"],
  [words.columnUrl, "url"],
];
/** The file matters where there are several. */
const columnsOfMany: typeof columns = [...columns, [words.columnPart]];
/** A list of more is of no use to anybody. */
const partChoicesMax = 2_000;

/** Which colour a media type gets; decoration only. */
function mimeKind(mime: string): string {
  if (mime.includes("html")) return "document";
  if (mime.startsWith("image/")) return "image";
  if (mime.includes("css") || mime.startsWith("font/") || mime.includes("font-")) return "style";
  if (mime.includes("javascript") || mime.includes("ecmascript")) return "script";
  if (mime.includes("json") || mime.includes("xml") || mime.startsWith("text/") || mime.includes("pdf")) return "data";
  return "other";
}

/** The last step of a path, of a member too. */
const baseName = (name: string): string => name.split(/[/!]/).at(-1) || name;

function statusClass(status: number | undefined): string {
  if (status === undefined) return "";
  return status >= 500 ? "failed" : status >= 400 ? "missing" : status >= 300 ? "moved" : "";
}

export class Records extends LitElement {
  static override properties = { store: { attribute: false } };
  static override styles = [base, controls, messages, grid];
  declare store: Store;
  readonly #scroll = new Scroll();
  #active = 0;
  /** Where in the archive the active row stands, whatever the list. */
  #place = 0;
  #archive: Archive | undefined;
  #rows: RowPages | undefined;
  #isBarDue = false;
  #width = 0;
  #height = 0;
  #restTimer = 0;
  #wheeledAt = -Infinity;
  #followTimer = 0;
  #followAbort = new AbortController();
  #sizes: ResizeObserver | undefined;

  constructor() {
    super();
    new Watch(this, "rows", "record", "phase", "parts", "library");
  }

  get #grid(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>("#grid");
  }

  override firstUpdated(): void {
    const element = this.#grid;
    if (element === null) return;
    this.#sizes = new ResizeObserver(() => {
      this.#width = element.clientWidth;
      this.#height = Math.max(0, element.clientHeight - headHeight);
      this.#isBarDue = true;
      this.requestUpdate();
    });
    this.#sizes.observe(element);
    element.addEventListener("wheel", (event) => this.#onWheel(event), { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes?.disconnect();
    window.clearTimeout(this.#restTimer);
    window.clearTimeout(this.#followTimer);
    this.#followAbort.abort();
  }

  focusList(): void {
    const other = this.renderRoot.querySelector<HTMLElement & { focusList(): void }>(".instead");
    if (other === null) this.#grid?.focus();
    else other.focusList();
  }

  /** What the library lists is there as long as it is. */
  get #listing(): Listing {
    const { listing, library } = this.store;
    return listing === "pages" || library?.list(listing) !== undefined ? listing : "records";
  }

  get #isStacked(): boolean {
    return this.#width > 0 && this.#width < stackedBelow;
  }

  override willUpdate(): void {
    const { rows } = this.store;
    const count = rows?.count ?? 0;
    this.#scroll.fit(count, this.#isStacked ? stackedRowHeight : rowHeight, this.#height);
    if (rows !== this.#rows) {
      this.#rows = rows;
      this.#startList();
    }
    this.#active = Math.max(0, Math.min(this.#active, count - 1));
    this.#place = rows?.get(this.#active)?.row ?? this.#place;
    if (count > 0) rows?.want(this.#scroll.first - spareRows, this.#scroll.last + spareRows);
  }

  /** A filtered list starts at its top; the whole archive, after a filter, at the record that was open or active. */
  #startList(): void {
    const { view, arrangement } = this.store;
    const isWhole = view === undefined && arrangement === undefined && this.store.archive === this.#archive;
    this.#archive = this.store.archive;
    this.#active = isWhole ? (this.store.record?.row.row ?? this.#place) : 0;
    this.#scroll.center(this.#active);
    this.#isBarDue = true;
  }

  get #columns(): typeof columns {
    return this.store.filled.length > 1 ? columnsOfMany : columns;
  }

  override render(): TemplateResult {
    const count = this.#rows?.count ?? 0;
    const listing = this.#listing;
    const other = this.store.library?.list(listing);
    const isOther = other !== undefined;
    const isActiveDrawn = count > 0 && this.#active >= this.#firstDrawn && this.#active <= this.#lastDrawn(count);
    return html`
      <div class="top ${this.store.arrangement?.what === undefined ? "" : "chosen"}">
        ${this.#heading()}
        ${isOther ? nothing : html`<span class="count" data-testid="count">${this.#count(count)}</span>`}
        ${listing === "records" ? this.#selected() : nothing}
        ${this.store.filled.length > 1 && !isOther ? this.#partChoice() : nothing}
        ${this.store.library === undefined || isOther ? nothing : html`<stackroom-arrange .store=${this.store}></stackroom-arrange>`}
        <span class="hidden" role="status">${this.store.isIndexing || this.store.view?.isComplete === false ? "" : this.#count(count)}</span>
      </div>
      ${this.#rows?.hasFailed === true
        ? html`<p class="failed-rows" role="alert">${words.rowsFailed} <button class="link" @click=${() => this.#rows?.retry()}>${words.retry}</button></p>`
        : nothing}
      ${this.store.library?.isBrowsing === true && !isOther ? html`<stackroom-browse .store=${this.store}></stackroom-browse>` : nothing}
      ${listing === "pages" ? html`<stackroom-pages .store=${this.store}></stackroom-pages>` : nothing}
      ${other ?? nothing}
      <div
        id="grid"
        ?hidden=${listing !== "records"}
        class=${`${this.#isStacked ? "stacked" : ""}${this.store.filled.length > 1 ? " many" : ""}`}
        role="grid"
        tabindex="0"
        aria-label=${words.recordList}
        aria-multiselectable="true"
        aria-rowcount=${count + 1}
        aria-colcount=${this.#columns.length}
        aria-activedescendant=${isActiveDrawn ? `row-${this.#active}` : nothing}
        aria-busy=${this.store.isIndexing ? "true" : "false"}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
      >
        <div class="head row" role="row" aria-rowindex="1">
          ${this.#columns.map(([name, column], at) => this.#columnHead(name, column, at))}
        </div>
        <div id="body" role="rowgroup" @click=${this.#onClick} @mousedown=${this.#onPress}>
          <div id="window" role="presentation">${this.#drawn(count)}</div>
        </div>
        ${count === 0 ? this.#empty() : nothing}
      </div>
    `;
  }

  /** A click sorts where there is a library; with keys that is done by the menu above. */
  #columnHead(name: string, column: SortColumn | undefined, at: number): TemplateResult {
    const { arrangement, library } = this.store;
    const isSorted = column !== undefined && arrangement?.column === column;
    const order = isSorted ? (arrangement.isDescending === true ? "descending" : "ascending") : nothing;
    const mark = isSorted ? (arrangement.isDescending === true ? " \u2193" : " \u2191") : "";
    return html`
      <span
        role="columnheader"
        aria-colindex=${at + 1}
        aria-sort=${order}
        class="cell c${at}${library !== undefined && column !== undefined ? " sorts" : ""}"
        @click=${() => column !== undefined && library?.sortBy(column)}
        >${name}${mark}</span
      >
    `;
  }

  /** With pages there are lists to choose from. */
  #heading(): TemplateResult {
    const { store } = this;
    const pages = store.progress?.pages ?? 0;
    const others = store.library?.listings(pages > 0) ?? [];
    if (pages === 0 && others.length === 0) return html`<h2>${words.records}</h2>`;
    const button = (listing: Listing, name: string): TemplateResult =>
      html`<button class="list-choice" aria-pressed=${this.#listing === listing ? "true" : "false"} @click=${() => store.choose(listing)}>${name}</button>`;
    return html`
      <h2 class="hidden">${words.records}</h2>
      <div class="choices" role="group" aria-label=${words.listing}>
        ${button("records", words.records)}${pages === 0 ? nothing : button("pages", `${words.pages} ${formatCount(pages)}`)}
        ${others.map(([listing, name]) => button(listing, name))}
      </div>
    `;
  }

  #count(count: number): string {
    const total = this.store.progress?.records ?? 0;
    const { view, arrangement } = this.store;
    if (view === undefined && arrangement?.what === undefined) return formatCount(total);
    const found = words.recordCountOf(formatCount(count), formatCount(total));
    return view?.isComplete !== false ? found : `${found} \u00b7 ${words.stillLooking}`;
  }

  /** How many are selected, and what is done with them or with all. */
  #selected(): TemplateResult {
    const count = this.#rows?.selection.count ?? 0;
    return html`
      ${count === 0 ? nothing : html`<button class="link" data-testid="selected" title=${words.selectNone} @click=${() => this.#select((selection) => selection.clear())}>${words.selectedCount(formatCount(count))}</button>`}
      <button class="quiet icon" title=${words.saveRecords} aria-label=${words.saveRecords} ?disabled=${(this.#rows?.count ?? 0) === 0} @click=${this.#save}>${icons.save}</button>
    `;
  }

  #save(): void {
    void arrived(this.store, import("../saving/dialog.js")).then((saving) => saving?.askToSave(this.store));
  }

  #select(change: (selection: Selection) => void): void {
    if (this.#rows === undefined) return;
    change(this.#rows.selection);
    this.requestUpdate();
  }

  #empty(): TemplateResult {
    const { view, filterText, isIndexing } = this.store;
    if (view !== undefined && filterText === "") return html`<p class="message">${view.isComplete ? words.noneInPart : words.noRecordsYet}</p>`;
    if (view !== undefined) {
      const text = visible(filterText, 200);
      return html`<p class="message">${view.isComplete ? words.noMatches(text) : words.noMatchesYet(text)}</p>`;
    }
    if (isIndexing) return html`<p class="message">${words.noRecordsYet}</p>`;
    return html`<div class="message"><strong>${words.noRecords}</strong><span>${words.noRecordsHint}</span></div>`;
  }

  get #firstDrawn(): number {
    return Math.max(0, this.#scroll.first - spareRows);
  }

  #lastDrawn(count: number): number {
    return Math.min(count - 1, this.#scroll.last + spareRows);
  }

  #drawn(count: number): TemplateResult[] {
    const drawn: TemplateResult[] = [];
    if (count === 0) return drawn;
    const open = this.store.record?.row.row;
    const selection = this.#rows?.selection;
    for (let at = this.#firstDrawn; at <= this.#lastDrawn(count); at += 1) drawn.push(this.#row(at, open, selection));
    return drawn;
  }

  #row(at: number, open: number | undefined, selection: Selection | undefined): TemplateResult {
    const row = this.#rows?.get(at);
    const isOpen = row !== undefined && row.row === open;
    const isAside = row !== undefined && row.type !== "response" && row.type !== "resource";
    const isPicked = selection?.has(at) === true;
    const state = `row${at === this.#active ? " active" : ""}${isOpen ? " open" : ""}${isAside ? " aside" : ""}${isPicked ? " picked" : ""}`;
    // Where nothing else is, the record that is open is what is selected.
    const isSelected = selection === undefined || selection.ranges.length === 0 ? isOpen : isPicked;
    return html`
      <div id="row-${at}" class=${state} role="row" data-index=${at} aria-rowindex=${at + 2} aria-selected=${isSelected ? "true" : "false"} aria-current=${isOpen ? "true" : nothing}>
        ${row === undefined ? this.#ghost() : this.#cells(row)}
      </div>
    `;
  }

  #ghost(): TemplateResult {
    return html`${this.#columns.map((_, at) => html`<span role="gridcell" aria-colindex=${at + 1} class="cell c${at}"><i class="ghost"></i></span>`)}`;
  }

  #cells(row: RecordRow): TemplateResult {
    const url = row.url === "" ? words.noUrl : visible(row.url, cellCharsMax);
    const scheme = /^https?:\/\//.exec(url)?.[0] ?? "";
    return html`
      <span role="gridcell" aria-colindex="1" class="cell c0">${row.type}</span>
      <span role="gridcell" aria-colindex="2" class="cell c1 ${statusClass(row.status)}">${row.status ?? ""}</span>
      <span role="gridcell" aria-colindex="3" class="cell c2">${row.mime === undefined ? "" : this.#mime(row.mime)}</span>
      <span role="gridcell" aria-colindex="4" class="cell c3 ${row.size === 0 ? "none" : ""}">${formatBytes(row.size)}</span>
      <span role="gridcell" aria-colindex="5" class="cell c4">${formatCaptured(row.captured)}</span>
      <span role="gridcell" aria-colindex="6" class="cell c5 ${row.url === "" ? "none" : ""}" title=${url} dir="ltr"
        ><span class="scheme">${scheme}</span>${url.slice(scheme.length)}</span
      >
      ${this.#part(row)}
    `;
  }

  #part(row: RecordRow): TemplateResult | typeof nothing {
    const part = this.store.partOf(row);
    if (part === undefined) return nothing;
    const name = visible(part.name, cellCharsMax);
    return html`<span role="gridcell" aria-colindex="7" class="cell c6" title=${name} dir="ltr">${baseName(name)}</span>`;
  }

  #partChoice(): TemplateResult {
    const { filled: parts, filterPart } = this.store;
    return html`
      <select aria-label=${words.partChoice} @change=${this.#onPart}>
        <option value="" ?selected=${filterPart === undefined}>${words.allParts(formatCount(parts.length))}</option>
        ${parts
          .slice(0, partChoicesMax)
          .map(({ part, name }) => html`<option value=${part} ?selected=${filterPart === part}>${visible(name, 120)}</option>`)}
      </select>
    `;
  }

  #onPart(event: Event): void {
    if (event.target instanceof HTMLSelectElement) this.store.choosePart(event.target.value === "" ? undefined : Number(event.target.value));
  }

  #mime(mime: string): TemplateResult {
    return html`<i class="dot ${mimeKind(mime)}"></i>${visible(mime, 80)}`;
  }

  override updated(_changes: PropertyValues): void {
    const element = this.#grid;
    const body = this.renderRoot.querySelector<HTMLElement>("#body");
    const drawn = this.renderRoot.querySelector<HTMLElement>("#window");
    if (element === null || body === null || drawn === null) return;
    body.style.blockSize = `${this.#scroll.height}px`;
    // Before the first measurement there is nothing to scroll, and asking for the position would force a layout.
    if (this.#isBarDue && this.#height > 0) {
      this.#isBarDue = false;
      this.#putBar(element);
    }
    drawn.style.transform = `translateY(${this.#scroll.place(this.#firstDrawn)}px)`;
  }

  #putBar(element: HTMLElement): void {
    const want = this.#scroll.bar;
    if (Math.abs(element.scrollTop - want) >= 1) element.scrollTop = want;
    this.#scroll.settled(element.scrollTop);
  }

  #onWheel(event: WheelEvent): void {
    const now = performance.now();
    if (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL) this.#scroll.wheeled(event.deltaY, now - this.#wheeledAt < wheelMs);
    this.#wheeledAt = now;
  }

  #onScroll(event: Event): void {
    const element = event.currentTarget;
    if (!(element instanceof HTMLElement)) return;
    if (this.#scroll.moved(element.scrollTop, performance.now() - this.#wheeledAt < wheelMs)) this.#isBarDue = true;
    window.clearTimeout(this.#restTimer);
    this.#restTimer = window.setTimeout(() => {
      this.#isBarDue = true;
      this.requestUpdate();
    }, restMs);
    this.requestUpdate();
  }

  // Choosing rows

  /** A range of rows is meant, not of their text. */
  #onPress(event: MouseEvent): void {
    if (!event.shiftKey) return;
    event.preventDefault();
    this.focusList();
  }

  #onClick(event: MouseEvent): void {
    const target = event.composedPath()[0];
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
    if (row === null) return;
    const place = Number(row.dataset["index"]);
    this.#active = place;
    this.requestUpdate();
    if (event.shiftKey) return this.#select((selection) => selection.drawTo(place));
    if (event.ctrlKey || event.metaKey) return this.#select((selection) => selection.toggle(place));
    this.#select((selection) => selection.startAt(place));
    void this.#open(true);
  }

  #go(index: number): void {
    const count = this.#rows?.count ?? 0;
    if (count === 0) return;
    this.#active = Math.max(0, Math.min(index, count - 1));
    this.#scroll.reveal(this.#active);
    this.#isBarDue = true;
    this.requestUpdate();
    if (this.store.record === undefined) return;
    // With a record open the detail follows, once the keys rest.
    window.clearTimeout(this.#followTimer);
    this.#followTimer = window.setTimeout(() => void this.#open(false), followMs);
  }

  async #open(isChosen: boolean): Promise<void> {
    const rows = this.#rows;
    this.#followAbort.abort();
    const abort = new AbortController();
    this.#followAbort = abort;
    const row = await rows?.row(this.#active, abort.signal).catch(() => undefined);
    if (row === undefined || abort.signal.aborted || rows !== this.#rows) return;
    const wasOpen = this.store.record?.row.row === row.row;
    this.store.openRecord(row);
    if (isChosen) this.dispatchEvent(new CustomEvent("stackroom-chosen", { bubbles: true, composed: true, detail: { wasOpen } }));
  }

  /** True where the key was one that selects. */
  #onSelectingKey(event: KeyboardEvent): boolean {
    const count = this.#rows?.count ?? 0;
    const { key, shiftKey } = event;
    const isControl = event.ctrlKey || event.metaKey;
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (isControl && key.toLowerCase() === "a") this.#select((selection) => selection.all(count));
    else if (isControl) return false;
    else if (shiftKey && step !== 0) {
      if (this.#rows?.selection.count === 0) this.#select((selection) => selection.startAt(this.#active));
      this.#go(this.#active + step);
      this.#select((selection) => selection.drawTo(this.#active));
    } else if (key === "x") this.#select((selection) => selection.toggle(this.#active));
    else if (key === "Escape" && (this.#rows?.selection.count ?? 0) > 0) this.#select((selection) => selection.clear());
    else if (key === "s") this.#save();
    else return false;
    return true;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey) return;
    if (this.#onSelectingKey(event)) {
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const screen = this.#scroll.rowsInView - 1 || 1;
    const last = (this.#rows?.count ?? 0) - 1;
    const to: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      j: this.#active + 1,
      ArrowUp: this.#active - 1,
      k: this.#active - 1,
      PageDown: this.#active + screen,
      PageUp: this.#active - screen,
      Home: 0,
      End: last,
    };
    const index = to[event.key];
    if (index !== undefined) {
      event.preventDefault();
      this.#go(index);
    } else if (event.key === "Enter") {
      event.preventDefault();
      void this.#open(true);
    } else if (event.key === " ") {
      event.preventDefault();
      this.#go(this.#active + (event.shiftKey ? -screen : screen));
    }
  }
}

customElements.define("stackroom-records", Records);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-records": Records;
  }
}
