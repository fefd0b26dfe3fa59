/** Hits over time, in months or years: bars that are selected with a drag or with Shift and arrow keys. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { FacetValue } from "stackroom/library";

import { formatCount } from "../format.js";
import { base, controls } from "../views/styles.js";
import { termsOf } from "./terms.js";
import { words } from "./words.js";

interface Bar {
  /** `2014` or `2014-03`. */
  readonly name: string;
  readonly count: number;
}

/** More months than this are shown as years. */
const monthsMax = 36;

export class Bars extends LitElement {
  static override properties = { months: { attribute: false }, query: { attribute: false }, active: { state: true }, anchor: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        padding: 4px 10px 2px;
      }
      .bars {
        display: flex;
        align-items: stretch;
        block-size: 56px;
        border-block-end: 1px solid var(--line);
        outline-offset: 3px;
        touch-action: none;
        user-select: none;
      }
      .bar {
        display: flex;
        flex: 1 1 0;
        align-items: flex-end;
        min-inline-size: 1px;
        max-inline-size: 40px;
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
        justify-content: space-between;
        align-items: center;
        gap: 6px;
        min-block-size: 24px;
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
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
  declare months: readonly FacetValue[];
  declare query: string;
  declare active: number;
  declare anchor: number | undefined;
  #bars: readonly Bar[] = [];

  constructor() {
    super();
    this.months = [];
    this.active = 0;
  }

  override willUpdate(changes: PropertyValues): void {
    if (!changes.has("months") || this.months === changes.get("months")) return;
    this.#bars = barsOf(this.months);
    this.anchor = undefined;
    this.active = Math.min(this.active, Math.max(0, this.#bars.length - 1));
  }

  override render(): TemplateResult | typeof nothing {
    const bars = this.#bars;
    const isNarrowed = termsOf(this.query).some(({ column, depth, isNegated }) => column === "date" && depth === 0 && !isNegated);
    if (bars.length === 0 && !isNarrowed) return nothing;
    const most = Math.max(1, ...bars.map(({ count }) => count));
    return html`
      <div
        class="bars"
        role="listbox"
        aria-orientation="horizontal"
        aria-multiselectable="true"
        tabindex="0"
        aria-label=${words.timeline}
        aria-activedescendant=${bars.length > 0 ? `bar-${this.active}` : nothing}
        @keydown=${this.#onKey}
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerup=${this.#onUp}
        @pointercancel=${() => (this.anchor = undefined)}
      >
        ${bars.map((bar, at) => this.#bar(bar, at, most))}
      </div>
      <div class="foot">
        ${isNarrowed ? html`<button class="link" @click=${() => this.#say()}>${words.allTimes}</button>` : html`<span>${bars[0]?.name}</span>`}
        <span>${bars.length === 1 && !isNarrowed && this.anchor === undefined ? nothing : this.#said}</span>
      </div>
    `;
  }

  #bar({ name, count }: Bar, at: number, most: number): TemplateResult {
    const { from, to } = this.#selection;
    const said = words.timeBar(name, formatCount(count));
    // What is there is seen, however little it is.
    const height = count === 0 ? 0 : Math.max(3, (count / most) * 100);
    return html`
      <div id="bar-${at}" class="bar ${at === this.active ? "active" : ""}" role="option" aria-selected=${at >= from && at < to ? "true" : "false"} aria-label=${said} title=${said}>
        <i style="block-size: ${height}%"></i>
      </div>
    `;
  }

  /** The bars that are selected, the last one excluded. */
  get #selection(): { readonly from: number; readonly to: number } {
    const { anchor, active } = this;
    return anchor === undefined ? { from: 0, to: 0 } : { from: Math.min(anchor, active), to: Math.max(anchor, active) + 1 };
  }

  get #said(): string {
    const { from, to } = this.#selection;
    const bars = this.#bars;
    if (to === from) return bars.at(-1)?.name ?? words.noDates;
    const [first, last] = [bars[from]?.name ?? "", bars[to - 1]?.name ?? ""];
    const count = bars.slice(from, to).reduce((sum, bar) => sum + bar.count, 0);
    return words.timeBar(first === last ? first : `${first} \u2013 ${last}`, formatCount(count));
  }

  /** Asks for the times that are selected. */
  #take(): void {
    const { from, to } = this.#selection;
    const [first, last] = [this.#bars[from]?.name, this.#bars[to - 1]?.name];
    if (first !== undefined && last !== undefined && to > from) this.#say(first === last ? first : `${first}..${last}`);
  }

  /** Of no span, all times. */
  #say(span = ""): void {
    this.dispatchEvent(new CustomEvent("stackroom-span", { detail: span }));
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#bars.length - 1;
    const to = { ArrowRight: this.active + 1, ArrowLeft: this.active - 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      this.anchor = event.shiftKey ? (this.anchor ?? this.active) : undefined;
      this.active = Math.max(0, Math.min(to, last));
    } else if (event.key === "Enter" || event.key === " ") {
      this.anchor ??= this.active;
      this.#take();
    } else if (event.key === "Escape" || event.key === "Backspace") {
      if (this.anchor === undefined) this.#say();
      this.anchor = undefined;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #at(event: PointerEvent): number | undefined {
    const bars = event.currentTarget;
    const first = bars instanceof HTMLElement ? bars.querySelector("#bar-0")?.getBoundingClientRect() : undefined;
    if (first === undefined || first.width === 0) return undefined;
    return Math.max(0, Math.min(Math.floor((event.clientX - first.left) / first.width), this.#bars.length - 1));
  }

  #onDown(event: PointerEvent): void {
    const at = this.#at(event);
    if (at === undefined || event.button !== 0) return;
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.setPointerCapture(event.pointerId);
    this.anchor = at;
    this.active = at;
  }

  #onMove(event: PointerEvent): void {
    const isDragging = event.currentTarget instanceof HTMLElement && event.currentTarget.hasPointerCapture(event.pointerId);
    const at = this.#at(event);
    if (isDragging && at !== undefined) this.active = at;
  }

  #onUp(event: PointerEvent): void {
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.releasePointerCapture(event.pointerId);
    this.#take();
  }
}

const monthOf = (number: number): string => `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`;

/** All from the first to the last, those without hits too. */
function barsOf(months: readonly FacetValue[]): Bar[] {
  const counts = new Map<number, number>();
  for (const { value, count } of months) {
    const [, year, month] = /^(\d{4})-(\d\d)$/.exec(value) ?? [];
    if (year !== undefined && month !== undefined) counts.set(Number(year) * 12 + Number(month) - 1, count);
  }
  if (counts.size === 0) return [];
  const all = [...counts.keys()];
  const [first, last] = [Math.min(...all), Math.max(...all)];
  if (last - first < monthsMax) return Array.from({ length: last - first + 1 }, (_, at) => ({ name: monthOf(first + at), count: counts.get(first + at) ?? 0 }));
  const years = new Map<number, number>();
  for (const [month, count] of counts) years.set(Math.floor(month / 12), (years.get(Math.floor(month / 12)) ?? 0) + count);
  const from = Math.floor(first / 12);
  return Array.from({ length: Math.floor(last / 12) - from + 1 }, (_, at) => ({ name: String(from + at).padStart(4, "0"), count: years.get(from + at) ?? 0 }));
}

customElements.define("stackroom-bars", Bars);
