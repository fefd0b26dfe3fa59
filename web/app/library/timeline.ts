/**
 * Records over time: bars from years down to seconds. A drag or Shift with arrow keys selects bars, whose records are
 * listed; going into a selection shows it in shorter bars.
 */
import { LitElement, css, html, type PropertyValues, type TemplateResult } from "lit";
import type { SharedIndex, Tally } from "stackroom/library";

import { formatBytes, formatCount } from "../format.js";
import { words as common } from "../words.js";
import type { Store } from "../state.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { edgesOf, timeName, unitFor, type Span, type Unit } from "./times.js";
import { words } from "./words.js";

interface Shown {
  readonly span: Span;
  readonly unit: Unit;
  readonly edges: readonly number[];
  readonly tallies: readonly Tally[];
}

/** How long a selection may change before its records are listed. */
const restMs = 160;

export class Timeline extends LitElement {
  static override properties = { store: { attribute: false }, index: { attribute: false }, shown: { state: true }, active: { state: true }, anchor: { state: true }, state: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        padding: 8px 12px 6px;
      }
      .bars {
        display: flex;
        flex: 1;
        align-items: stretch;
        min-block-size: 0;
        border-block-end: 1px solid var(--line);
        outline-offset: 3px;
        touch-action: none;
        user-select: none;
      }
      .bar {
        display: flex;
        flex: 1 1 0;
        min-inline-size: 1px;
        max-inline-size: 72px;
        align-items: flex-end;
        padding-inline: clamp(0px, 8%, 2px);
      }
      .bar i {
        inline-size: 100%;
        border-radius: 2px 2px 0 0;
        background: var(--accent-line);
      }
      .bar:hover {
        background: var(--paper-hover);
      }
      .bar[aria-selected="true"] {
        background: var(--accent-wash);
      }
      .bar[aria-selected="true"] i {
        background: var(--accent);
      }
      .bars:focus-visible .active {
        outline: 2px solid var(--focus);
        outline-offset: -1px;
      }
      .foot {
        display: flex;
        align-items: center;
        gap: 8px;
        min-block-size: 30px;
        padding-block-start: 5px;
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .said {
        flex: 1;
        min-inline-size: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .foot button {
        min-block-size: 24px;
        font-size: var(--text-small);
      }
      @media (forced-colors: active) {
        .bar i {
          background: CanvasText;
        }
        .bar[aria-selected="true"] i {
          background: Highlight;
        }
      }
    `,
  ];
  declare store: Store;
  declare index: SharedIndex;
  declare shown: Shown | undefined;
  declare active: number;
  /** Where the selection began; it goes from here to the active bar. */
  declare anchor: number | undefined;
  declare state: "reading" | "there" | "none" | "failed";
  /** What was shown before each step inwards. */
  #outer: Span[] = [];
  #timer = 0;
  #asked = 0;

  constructor() {
    super();
    this.active = 0;
    this.state = "reading";
    new Watch(this, "library");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.clearTimeout(this.#timer);
  }

  override willUpdate(changes: PropertyValues): void {
    if (changes.has("index")) void this.#begin(this.index);
    // What was selected here is chosen no more.
    if (this.anchor !== undefined && this.#timer === 0 && this.store.library?.choice?.column !== "time") this.anchor = undefined;
  }

  async #begin(index: SharedIndex): Promise<void> {
    this.#outer = [];
    this.anchor = undefined;
    this.shown = undefined;
    this.state = "reading";
    try {
      const period = await index.period();
      if (index !== this.index) return;
      if (period === undefined) this.state = "none";
      else await this.#show({ from: period.from, to: period.to + 1_000 });
    } catch {
      this.state = "failed";
    }
  }

  async #show(span: Span): Promise<void> {
    const unit = unitFor(span);
    const edges = edgesOf(span, unit);
    const asked = (this.#asked += 1);
    try {
      const tallies = await this.index.timeline(edges);
      if (asked !== this.#asked) return;
      this.shown = { span, unit, edges, tallies };
      this.state = "there";
      this.anchor = undefined;
      this.active = Math.max(0, tallies.findIndex(({ records }) => records > 0));
    } catch {
      if (asked === this.#asked) this.state = "failed";
    }
  }

  override render(): TemplateResult {
    const { shown, state } = this;
    if (state === "none") return html`<p class="message">${words.noTimes}</p>`;
    if (state === "failed") return html`<p class="message" role="alert">${words.browseFailed}</p>`;
    if (shown === undefined) return html`<p class="message">${words.loading}</p>`;
    const most = Math.max(1, ...shown.tallies.map(({ records }) => records));
    return html`
      <div
        class="bars"
        role="listbox"
        aria-orientation="horizontal"
        aria-multiselectable="true"
        tabindex="0"
        aria-label=${words.timeline}
        aria-activedescendant="bar-${this.active}"
        @keydown=${this.#onKey}
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerup=${this.#onUp}
        @dblclick=${() => void this.#zoomIn()}
      >
        ${shown.tallies.map((tally, at) => this.#bar(shown, tally, at, most))}
      </div>
      <div class="foot">
        <span class="said">${this.#said(shown)}</span>
        <button ?disabled=${!this.#canZoomIn} @click=${() => void this.#zoomIn()}>${words.zoomIn}</button>
        <button ?disabled=${this.#outer.length === 0} @click=${() => void this.#zoomOut()}>${words.zoomOut}</button>
      </div>
    `;
  }

  #bar(shown: Shown, tally: Tally, at: number, most: number): TemplateResult {
    const { from, to } = this.#selection;
    const name = this.#name(shown, at, tally);
    // What is there is seen, however little it is.
    const height = tally.records === 0 ? 0 : Math.max(2, (tally.records / most) * 100);
    return html`
      <div
        id="bar-${at}"
        class="bar ${at === this.active ? "active" : ""}"
        role="option"
        aria-selected=${at >= from && at < to ? "true" : "false"}
        aria-label=${name}
        title=${name}
        data-at=${at}
      >
        <i style="block-size: ${height}%"></i>
      </div>
    `;
  }

  #name({ unit, edges }: Shown, at: number, { records, bytes }: Tally): string {
    return words.timeBar(timeName(unit, edges[at] ?? 0), common.recordCount(formatCount(records), records === 1), formatBytes(bytes));
  }

  /** The bars that are selected, the last one excluded. */
  get #selection(): { from: number; to: number } {
    const { anchor, active } = this;
    if (anchor === undefined) return { from: 0, to: 0 };
    return { from: Math.min(anchor, active), to: Math.max(anchor, active) + 1 };
  }

  #said(shown: Shown): string {
    const { from, to } = this.#selection;
    const { unit, edges, tallies } = shown;
    if (to > from) {
      const records = tallies.slice(from, to).reduce((sum, tally) => sum + tally.records, 0);
      const bytes = tallies.slice(from, to).reduce((sum, tally) => sum + tally.bytes, 0);
      const [first, last] = [timeName(unit, edges[from] ?? 0), timeName(unit, edges[to - 1] ?? 0)];
      return words.timeBar(first === last ? first : `${first} \u2013 ${last}`, common.recordCount(formatCount(records), records === 1), formatBytes(bytes));
    }
    const [first, last] = [timeName(unit, edges[0] ?? 0), timeName(unit, edges.at(-2) ?? 0)];
    return `${first === last ? first : `${first} \u2013 ${last}`} \u00b7 ${words.perUnit[unit]}`;
  }

  // Selecting

  #select(anchor: number, active: number): void {
    this.anchor = anchor;
    this.active = active;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      void this.#list();
    }, restMs);
  }

  /** Lists the records of what is selected. */
  async #list(): Promise<void> {
    const { shown } = this;
    const { from, to } = this.#selection;
    const [first, behind] = [shown?.edges[from], shown?.edges[to]];
    if (shown === undefined || to === from || first === undefined || behind === undefined) return;
    try {
      const [before, within] = await this.index.timeline([0, first, behind]);
      const selection = this.#selection;
      if (before === undefined || within === undefined || this.shown !== shown || selection.from !== from || selection.to !== to) return;
      const { unit, edges } = shown;
      this.store.library?.choose({
        key: `time:${first}-${behind}`,
        column: "time",
        from: before.records,
        count: within.records,
        what: words.ofTime(timeName(unit, first), timeName(unit, edges[to - 1] ?? first)),
      });
    } catch {
      this.store.say(words.browseFailed);
    }
  }

  #clear(): void {
    window.clearTimeout(this.#timer);
    this.#timer = 0;
    this.anchor = undefined;
    if (this.store.library?.choice?.column === "time") this.store.library.choose(undefined);
  }

  // Zoom

  get #canZoomIn(): boolean {
    return this.shown !== undefined && !(this.shown.unit === "second" && this.shown.tallies.length === 1);
  }

  /** Into what is selected, or into the active bar. */
  async #zoomIn(): Promise<void> {
    const { shown } = this;
    if (shown === undefined || !this.#canZoomIn) return;
    const { from, to } = this.anchor === undefined ? { from: this.active, to: this.active + 1 } : this.#selection;
    const [first, behind] = [shown.edges[from], shown.edges[to]];
    if (first === undefined || behind === undefined) return;
    this.#outer.push(shown.span);
    await this.#show({ from: first, to: behind });
  }

  async #zoomOut(): Promise<void> {
    const span = this.#outer.pop();
    if (span !== undefined) await this.#show(span);
  }

  // Keys and pointer

  #onKey(event: KeyboardEvent): void {
    const last = (this.shown?.tallies.length ?? 1) - 1;
    const to = { ArrowRight: this.active + 1, ArrowLeft: this.active - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      const at = Math.max(0, Math.min(to, last));
      if (event.shiftKey) this.#select(this.anchor ?? this.active, at);
      else this.active = at;
      if (!event.shiftKey) this.#keepSelection();
    } else if (event.key === " ") this.#select(this.active, this.active);
    else if (event.key === "Enter" || event.key === "+") void this.#zoomIn();
    else if (event.key === "Backspace" || event.key === "-") void this.#zoomOut();
    else if (event.key === "Escape" && this.anchor !== undefined) this.#clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moving without Shift leaves what was selected. */
  #keepSelection(): void {
    if (this.anchor !== undefined) this.#clear();
  }

  #at(event: PointerEvent): number | undefined {
    const bars = event.currentTarget;
    const count = this.shown?.tallies.length ?? 0;
    if (!(bars instanceof HTMLElement) || count === 0) return undefined;
    const first = bars.querySelector("#bar-0")?.getBoundingClientRect();
    if (first === undefined || first.width === 0) return undefined;
    return Math.max(0, Math.min(Math.floor((event.clientX - first.left) / first.width), count - 1));
  }

  #onDown(event: PointerEvent): void {
    const at = this.#at(event);
    if (at === undefined || event.button !== 0) return;
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.setPointerCapture(event.pointerId);
    if (event.shiftKey && this.anchor !== undefined) this.#select(this.anchor, at);
    else this.#select(at, at);
  }

  #onMove(event: PointerEvent): void {
    const isDragging = event.currentTarget instanceof HTMLElement && event.currentTarget.hasPointerCapture(event.pointerId);
    const at = this.#at(event);
    if (isDragging && at !== undefined && this.anchor !== undefined && at !== this.active) this.#select(this.anchor, at);
  }

  #onUp(event: PointerEvent): void {
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.releasePointerCapture(event.pointerId);
  }
}

customElements.define("stackroom-timeline", Timeline);
