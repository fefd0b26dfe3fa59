/** What a search found, in place of the records: with titles and passages, in orders, folded or not, and ways to narrow it down. */
import { LitElement, html, nothing, type TemplateResult } from "lit";
import type { Hit, HitGroup, HitOrder } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCaptured, formatCount, formatDuration } from "../format.js";
import { readSetting, writeSetting } from "../library/settings.js";
import { arrived } from "../parts.js";
import { Scroll } from "../scroll.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import "./facets.js";
import { styles } from "./hitstyles.js";
import { plan, starOff, starOn, narrow } from "./icons.js";
import { marked } from "./marked.js";
import { star, starred } from "./remembered.js";
import type { Search } from "./search.js";
import "./thumb.js";
import { words } from "./words.js";

const itemHeight = 88;
/** Where no hit has a passage. */
const plainHeight = 48;
const spare = 4;
const followMs = 90;
const wheelMs = 400;
/** So wide, what narrows hits down stands beside them. */
const wide = 600;

const orders: Readonly<Record<string, { readonly order: HitOrder; readonly isDescending: boolean }>> = {
  rank: { order: "rank", isDescending: false },
  "time-": { order: "time", isDescending: true },
  "time+": { order: "time", isDescending: false },
  url: { order: "url", isDescending: false },
  "size-": { order: "size", isDescending: true },
  file: { order: "file", isDescending: false },
};
const groups: readonly (HitGroup | "")[] = ["", "url", "host", "digest"];

export class Hits extends LitElement {
  static override properties = { store: { attribute: false }, active: { state: true }, isNarrowing: { state: true } };
  static override styles = [base, controls, messages, styles];
  declare store: Store;
  declare active: number;
  /** Whether the facets are shown; where nobody said, by the room that there is. */
  declare isNarrowing: boolean | undefined;
  readonly #scroll = new Scroll();
  #query = "";
  #height = 0;
  #width = 0;
  #isBarDue = false;
  #wheeledAt = -Infinity;
  #followTimer = 0;
  #sizes: ResizeObserver | undefined;

  constructor() {
    super();
    this.active = 0;
    const kept = readSetting("facets");
    this.isNarrowing = kept === undefined ? undefined : kept === "on";
    new Watch(this, "library", "record");
  }

  get #search(): Search | undefined {
    return this.store.library?.searchBar.search;
  }

  focusList(): void {
    this.renderRoot.querySelector<HTMLElement>("#list")?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes?.disconnect();
    this.#sizes = undefined;
    window.clearTimeout(this.#followTimer);
  }

  get #rowHeight(): number {
    return this.#search?.isPlain === true ? plainHeight : itemHeight;
  }

  get #isShowingFacets(): boolean {
    return this.isNarrowing ?? this.#width >= wide;
  }

  override willUpdate(): void {
    const search = this.#search;
    const count = search?.pages?.count ?? 0;
    const key = `${search?.answered ?? ""}\n${JSON.stringify(search?.arranged)}`;
    this.#scroll.fit(count, this.#rowHeight, this.#height);
    if (key !== this.#query) {
      this.#query = key;
      this.active = 0;
      this.#scroll.reveal(0);
      this.#isBarDue = true;
    }
    this.active = Math.max(0, Math.min(this.active, count - 1));
    if (count > 0 && this.#height > 0) search?.pages?.want(this.#scroll.first - spare, this.#scroll.last + spare);
  }

  override render(): TemplateResult | typeof nothing {
    const search = this.#search;
    if (search === undefined || search.query === "") return nothing;
    const count = search.pages?.count ?? 0;
    const isBeside = this.#isShowingFacets && this.#width >= wide;
    return html`
      ${this.#bar(search)} ${this.#rest(search)}
      <div class="both ${isBeside ? "beside" : ""}">
        ${this.#isShowingFacets && search.facets.length > 0 ? html`<stackroom-facets .store=${this.store}></stackroom-facets>` : nothing}
        <div
          id="list"
          class=${search.answered === search.query ? "" : "old"}
          role=${count > 0 ? "listbox" : "group"}
          tabindex="0"
          aria-label=${words.hitList}
          aria-busy=${search.isRunning ? "true" : "false"}
          aria-activedescendant=${this.#isDrawn(count) ? `hit-${this.active}` : nothing}
          @scroll=${this.#onScroll}
          @wheel=${{ handleEvent: (event: WheelEvent) => this.#onWheel(event), passive: true }}
          @keydown=${this.#onKey}
          @click=${this.#onClick}
        >
          <div id="body" role="presentation">${this.#drawn(search, count)}</div>
          ${count === 0 ? this.#none(search) : nothing}
        </div>
      </div>
    `;
  }

  // Above the list

  #bar(search: Search): TemplateResult {
    const { order, isDescending, group } = search.arranged;
    const isKept = starred().includes(search.query);
    const chosen = Object.keys(orders).find((name) => orders[name]?.order === order && orders[name]?.isDescending === isDescending);
    const icon = (name: string, drawing: TemplateResult, act: () => void, isPressed?: boolean): TemplateResult =>
      html`<button class="quiet icon" title=${name} aria-label=${name} aria-pressed=${isPressed === undefined ? nothing : isPressed ? "true" : "false"} @click=${act}>${drawing}</button>`;
    return html`
      <div class="bar">
        <span class="count" role="status" data-testid="hits">${this.#count(search)}</span>
        ${search.isRunning && search.elapsedMs > 300 ? html`<button @click=${() => search.stop()}>${words.stop}</button>` : nothing}
        ${search.isStopped ? html`<button @click=${() => search.goOn()}>${words.goOn}</button>` : nothing}
        <span class="ways">
          <select aria-label=${words.order} @change=${(event: Event) => search.arrange({ ...search.arranged, ...(orders[valueOf(event)] ?? { order: "rank", isDescending: false }) })}>
            ${Object.keys(orders).map((name) => html`<option value=${name} ?selected=${name === chosen}>${words.orders[name]}</option>`)}
          </select>
          <select aria-label=${words.group} @change=${(event: Event) => search.arrange({ ...search.arranged, group: groups.find((one) => one !== "" && one === valueOf(event)) || undefined })}>
            ${groups.map((name) => html`<option value=${name} ?selected=${name === (group ?? "")}>${words.groups[name]}</option>`)}
          </select>
          ${icon(isKept ? words.unstar : words.star, isKept ? starOn : starOff, () => this.#star(search.query, !isKept), isKept)}
          <button class="quiet icon" title=${words.saveHits} aria-label=${words.saveHits} ?disabled=${search.isRunning} @click=${() => this.#save(search)}>${icons.save}</button>
          ${icon(words.plan, plan, () => void this.#plan(search))}
          ${icon(words.facets, narrow, () => this.#switchFacets(), this.#isShowingFacets)}
        </span>
      </div>
    `;
  }

  #count(search: Search): string {
    const { found } = search;
    // What was found before says nothing of a query that is not understood.
    if (search.wrong !== undefined) return "";
    if (found === undefined) return words.searching;
    const hits = words.hitsCount(formatCount(found.total), found.total === 1);
    if (search.isRunning) return `${hits} ${words.soFar}${found.toRead > 0 ? ` \u00b7 ${words.readTexts(formatCount(found.read), formatCount(found.toRead))}` : ""}`;
    if (search.isStopped) return `${hits} \u00b7 ${words.stopped}`;
    return search.isPartial ? `${hits} ${words.soFar}` : `${hits} ${words.took(formatDuration(search.elapsedMs))}`;
  }

  /** What is not searched yet, or will not be by itself. */
  #rest({ found, wrong, isPartial }: Search): TemplateResult | typeof nothing {
    if (wrong !== undefined && wrong.offset === undefined) return html`<p class="rest" role="alert">${words.failed} ${visible(wrong.message, 300)}</p>`;
    if (found?.isDone === true && found.unread > 0) return html`<p class="rest" data-testid="unread">${words.unread(formatCount(found.unread))}</p>`;
    if (found === undefined || found.searched >= found.records) return nothing;
    const searched = formatCount(found.searched);
    const records = formatCount(found.records);
    const { library } = this.store;
    if (isPartial) return html`<p class="rest" data-testid="partial">${words.partial(searched, records)}</p>`;
    return html`<p class="rest">${words.lacks(searched, records)} <button @click=${() => void library?.indexAgain()}>${words.indexAgain}</button></p>`;
  }

  #none(search: Search): TemplateResult | typeof nothing {
    if (search.isRunning || search.isStopped || search.isPartial || search.wrong !== undefined || search.found?.total !== 0) return nothing;
    return html`<div class="message"><strong>${words.none(visible(search.query, 200))}</strong><span>${words.noneHint}</span></div>`;
  }

  #star(query: string, isOn: boolean): void {
    star(query, isOn);
    this.requestUpdate();
  }

  #save(search: Search): void {
    const { rows } = search;
    if (rows !== undefined && !search.isRunning) void arrived(this.store, import("../saving/dialog.js")).then((saving) => saving?.askToSave(this.store, rows));
  }

  async #plan(search: Search): Promise<void> {
    const [views, found] = await Promise.all([arrived(this.store, import("./plan.js")), search.plan().catch(() => undefined)]);
    if (found !== undefined) views?.showPlan(search.query, found.plan);
  }

  #switchFacets(): void {
    this.isNarrowing = !this.#isShowingFacets;
    writeSetting("facets", this.isNarrowing ? "on" : "off");
  }

  // The list

  #isDrawn(count: number): boolean {
    return count > 0 && this.active >= this.#scroll.first - spare && this.active <= this.#scroll.last + spare;
  }

  #drawn(search: Search, count: number): TemplateResult[] {
    const drawn: TemplateResult[] = [];
    const last = Math.min(count - 1, this.#scroll.last + spare);
    for (let at = Math.max(0, this.#scroll.first - spare); at <= last; at += 1) drawn.push(this.#item(search, at, count));
    return drawn;
  }

  #item(search: Search, at: number, count: number): TemplateResult {
    const hit = search.hit(at);
    const isOpen = hit !== undefined && this.store.record?.row.row === hit.record.row;
    return html`
      <div
        id="hit-${at}"
        role="option"
        class="item${at === this.active ? " active" : ""}${isOpen ? " open" : ""}"
        style="block-size: ${this.#rowHeight}px; transform: translateY(${this.#scroll.place(at)}px)"
        aria-selected=${isOpen ? "true" : "false"}
        aria-posinset=${at + 1}
        aria-setsize=${search.hasMore ? -1 : count}
        data-at=${at}
      >
        ${hit === undefined ? html`<i class="ghost"></i><i class="ghost"></i>` : this.#hit(hit)}
      </div>
    `;
  }

  #hit({ record, document, title = [], passages = [], count }: Hit): TemplateResult {
    const url = record.url === "" ? words.noUrl : visible(record.url, 400);
    const isImage = record.mime?.startsWith("image/") === true && record.type !== "request";
    const hasTitle = title.some(({ text }) => text.trim() !== "") || (document?.title ?? "").trim() !== "";
    const shown = title.length > 0 ? title : [{ text: document?.title ?? "", isMarked: false }];
    const about = [formatCaptured(record.captured), record.status === undefined || record.status === 200 ? "" : String(record.status), hasTitle ? (document === undefined ? (record.mime ?? "") : "") : (record.mime ?? "")];
    return html`
      ${isImage && this.store.archive !== undefined ? html`<stackroom-thumb .archive=${this.store.archive} .row=${record}></stackroom-thumb>` : nothing}
      <div class="said">
        <span class="title" dir=${hasTitle ? "auto" : "ltr"} title=${url}>${hasTitle ? marked(shown, 300) : url}</span>
        <span class="where" dir="ltr" title=${url}
          >${count > 1 ? html`<b class="same">${words.same(formatCount(count - 1))}</b>` : nothing}${[...about.filter((one) => one !== ""), ...(hasTitle ? [url] : [])].join(" \u00b7 ")}</span
        >
        ${passages.length === 0 ? nothing : html`<span class="passages" dir="auto">${passages.slice(0, 3).map((passage, at) => html`${at === 0 ? nothing : html`<i>\u2026</i>`}${marked(passage, 400)}`)}</span>`}
      </div>
    `;
  }

  override updated(): void {
    const list = this.renderRoot.querySelector<HTMLElement>("#list");
    const body = this.renderRoot.querySelector<HTMLElement>("#body");
    if (list === null || body === null) return;
    if (this.#sizes === undefined) {
      this.#sizes = new ResizeObserver(() => {
        this.#height = list.clientHeight;
        this.#width = this.clientWidth;
        this.#isBarDue = true;
        this.requestUpdate();
      });
      this.#sizes.observe(list);
      this.#sizes.observe(this);
    }
    body.style.blockSize = `${this.#scroll.height}px`;
    const bar = this.store.library?.searchBar;
    if (bar?.isListWanted === true) {
      bar.isListWanted = false;
      list.focus();
    }
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

  // Opening

  #onClick(event: Event): void {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-at]") : null;
    if (item === null) return;
    this.active = Number(item.dataset["at"]);
    void this.#open(true);
  }

  async #open(isChosen: boolean): Promise<void> {
    const search = this.#search;
    const pages = search?.pages;
    const hit = search?.hit(this.active) ?? (await pages?.row(this.active, new AbortController().signal).catch(() => undefined));
    if (hit === undefined || pages !== this.#search?.pages) return;
    const wasOpen = this.store.record?.row.row === hit.record.row;
    const bar = this.store.library?.searchBar;
    if (!isChosen) return bar?.open(hit);
    bar?.settle();
    await bar?.show(hit);
    this.dispatchEvent(new CustomEvent("stackroom-chosen", { bubbles: true, composed: true, detail: { wasOpen } }));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const screen = Math.max(1, this.#scroll.rowsInView - 1);
    const { active } = this;
    const to = { ArrowDown: active + 1, j: active + 1, ArrowUp: active - 1, k: active - 1, PageDown: active + screen, PageUp: active - screen, Home: 0, End: Infinity }[event.key];
    const search = this.#search;
    if (to !== undefined) this.#go(to);
    else if (event.key === "Enter" || event.key === " ") void this.#open(true);
    else if (event.key === "Escape") return this.#leave();
    else if (event.key === "s" && search !== undefined) this.#save(search);
    else return;
    event.preventDefault();
  }

  /** The search ends, and with it this list: the keyboard goes back to where it began. What is open is closed first. */
  #leave(): void {
    if (this.store.record === undefined && this.store.replaying === undefined) this.store.library?.searchBar.focusField();
  }

  #go(to: number): void {
    const count = this.#search?.pages?.count ?? 0;
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

customElements.define("stackroom-hits", Hits);
