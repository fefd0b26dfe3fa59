/** The values of a column with their counts, those with the most records first; one of them can be chosen. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Group, SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { base, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { counted } from "./liststyles.js";
import type { Choice } from "./orders.js";
import { words } from "./words.js";

type Column = "status" | "mime" | "type";

interface Value extends Group {
  /** Where its records begin in the order of the column. */
  readonly from: number;
}

const valuesAtOnce = 500;
/** Nobody reads on; what comes behind can be got to by sorting. */
const valuesMax = 5_000;

const nameless: Readonly<Record<Column, string>> = { mime: words.noMime, status: words.noStatus, type: "" };
const said: Readonly<Record<Column, (name: string) => string>> = { mime: words.ofMime, status: words.ofStatus, type: words.ofType };

export class Values extends LitElement {
  static override properties = { store: { attribute: false }, index: { attribute: false }, column: { attribute: false }, label: {}, values: { state: true }, active: { state: true }, hasFailed: { state: true } };
  static override styles = [base, messages, counted];
  declare store: Store;
  declare index: SharedIndex;
  declare column: Column;
  declare label: string;
  declare values: readonly Value[] | undefined;
  declare active: number;
  declare hasFailed: boolean;

  constructor() {
    super();
    this.active = 0;
    this.hasFailed = false;
    new Watch(this, "library");
  }

  override willUpdate(changes: PropertyValues): void {
    if (!changes.has("index") && !changes.has("column")) return;
    this.values = undefined;
    this.active = 0;
    this.hasFailed = false;
    void this.#load(this.index, this.column);
  }

  async #load(index: SharedIndex, column: Column): Promise<void> {
    const values: Value[] = [];
    let from = 0;
    let after: Uint8Array | undefined;
    try {
      for (;;) {
        const some = await index.values(column, { count: valuesAtOnce, after });
        for (const value of some) {
          values.push({ ...value, from });
          from += value.records;
        }
        after = some.at(-1)?.behind;
        if (some.length < valuesAtOnce || values.length >= valuesMax) break;
      }
    } catch {
      this.hasFailed = true;
    }
    if (index === this.index && column === this.column) this.values = values.sort((a, b) => b.records - a.records);
  }

  override render(): TemplateResult {
    const { values } = this;
    if (this.hasFailed) return html`<p class="message" role="alert">${words.browseFailed}</p>`;
    if (values === undefined) return html`<p class="message">${words.loading}</p>`;
    const most = values[0]?.records ?? 1;
    return html`
      <div role="listbox" tabindex="0" aria-label=${this.label} aria-activedescendant=${values.length > 0 ? `value-${this.active}` : nothing} @keydown=${this.#onKey} @click=${this.#onClick}>
        ${values.map((value, at) => this.#value(value, at, most))}
      </div>
    `;
  }

  #value({ name, records, bytes }: Value, at: number, most: number): TemplateResult {
    const shown = name === "" ? nameless[this.column] : visible(name, 200);
    return html`
      <div id="value-${at}" role="option" class="item ${at === this.active ? "active" : ""}" aria-selected=${this.store.library?.choice?.key === this.#key(name) ? "true" : "false"} data-at=${at}>
        <span class="name" dir="ltr">${shown}</span>
        <span class="share"><i style="inline-size: ${(records / most) * 100}%"></i></span>
        <span class="number">${formatCount(records)}</span>
        <span class="number">${formatBytes(bytes)}</span>
      </div>
    `;
  }

  #key(name: string): string {
    return `${this.column}:${name}`;
  }

  #choose(at: number): void {
    const value = this.values?.[at];
    const { library } = this.store;
    if (value === undefined || library === undefined) return;
    this.active = at;
    const { name, from, records } = value;
    const choice: Choice = { key: this.#key(name), column: this.column, from, count: records, what: said[this.column](name === "" ? nameless[this.column] : name) };
    library.choose(library.choice?.key === choice.key ? undefined : choice);
  }

  #onClick(event: Event): void {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-at]") : null;
    if (item !== null) this.#choose(Number(item.dataset["at"]));
  }

  #onKey(event: KeyboardEvent): void {
    const last = (this.values?.length ?? 1) - 1;
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: last, PageDown: this.active + 6, PageUp: this.active - 6 }[event.key];
    if (to !== undefined) {
      this.active = Math.max(0, Math.min(to, last));
      void this.updateComplete.then(() => this.renderRoot.querySelector(".active")?.scrollIntoView({ block: "nearest" }));
    } else if (event.key === "Enter" || event.key === " ") this.#choose(this.active);
    else return;
    event.preventDefault();
  }
}

customElements.define("stackroom-values", Values);
