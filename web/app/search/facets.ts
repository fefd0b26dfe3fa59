/** Ways to narrow hits down: the values of their columns with counts, and bars over time that can be selected. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { FacetValue } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCount } from "../format.js";
import { languageName } from "../library/languages.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import "./bars.js";
import { isAsked, replaced, termsOf, toggled } from "./terms.js";
import { words } from "./words.js";

const columns = ["host", "mime", "status", "lang", "type", "ext"] as const;
type Column = (typeof columns)[number];

/** Where a column has one value alone there is nothing to choose. */
const isOfUse = (values: readonly FacetValue[], isChosen: boolean): boolean => values.length > 1 || isChosen;

export class Facets extends LitElement {
  static override properties = { store: { attribute: false } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        overflow: auto;
        padding: 6px 0 10px;
        background: var(--paper);
      }
      h3 {
        padding: 8px 10px 2px;
        color: var(--ink-soft);
        font: 400 var(--text-small) / 1.4 var(--sans);
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        position: relative;
      }
      .value {
        flex: 1;
        justify-content: flex-start;
        gap: 8px;
        min-inline-size: 0;
        min-block-size: 24px;
        padding: 0 10px;
        border: 0;
        border-radius: 0;
        background: none;
        font-size: var(--text-small);
        text-align: start;
      }
      .value span {
        overflow: hidden;
        line-height: 1.5;
        text-overflow: ellipsis;
        unicode-bidi: isolate;
      }
      .value small {
        margin-inline-start: auto;
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .value[aria-pressed="true"] {
        background: var(--accent-wash);
        box-shadow: inset 3px 0 var(--accent);
        font-weight: 600;
      }
      .value.not span {
        text-decoration: line-through;
      }
      .value:focus-visible,
      .without:focus-visible {
        outline-offset: -2px;
      }
      .without {
        position: absolute;
        inset-block: 1px;
        inset-inline-end: 4px;
        min-inline-size: 24px;
        min-block-size: 22px;
        padding: 0;
        opacity: 0;
      }
      li:hover .without,
      .without:focus-visible {
        opacity: 1;
      }
      .without svg {
        inline-size: 12px;
        block-size: 12px;
      }
      @media (hover: none) {
        .without {
          position: static;
          margin-inline-end: 4px;
          border-color: transparent;
          opacity: 1;
        }
      }
      @media (forced-colors: active) {
        .value[aria-pressed="true"] {
          forced-color-adjust: none;
          background: Highlight;
          color: HighlightText;
        }
        .value[aria-pressed="true"] small {
          color: HighlightText;
        }
      }
    `,
  ];
  declare store: Store;

  constructor() {
    super();
    new Watch(this, "library");
  }

  override render(): TemplateResult | typeof nothing {
    const search = this.store.library?.searchBar.search;
    if (search === undefined) return nothing;
    const valuesOf = (field: string): readonly FacetValue[] => search.facets.find((facet) => facet.field === field)?.values ?? [];
    return html`
      <section aria-label=${words.facets}>
        <stackroom-bars .months=${valuesOf("month")} .query=${search.query} @stackroom-span=${(event: CustomEvent<string>) => this.#ask(replaced(search.query, "date", event.detail || undefined))}></stackroom-bars>
        ${columns.map((column) => this.#column(search.query, column, valuesOf(column)))}
      </section>
    `;
  }

  #column(query: string, column: Column, values: readonly FacetValue[]): TemplateResult | typeof nothing {
    const chosen = termsOf(query).filter((term) => term.column === column && term.depth === 0);
    // What is asked for is there to be taken away, even where nothing has it.
    const asked = chosen.filter(({ value, isNegated }) => value !== "*" && isAsked(query, column, value, isNegated) && (isNegated || !values.some((one) => one.value === value)));
    if (!isOfUse(values, chosen.length > 0) || values.length + asked.length === 0) return nothing;
    return html`
      <h3 id=${column}>${words.facetNames[column]}</h3>
      <ul aria-labelledby=${column}>
        ${values.map(({ value, count }) => this.#value(query, column, value, count))}
        ${asked.map(({ value, isNegated }) => this.#value(query, column, value, undefined, isNegated))}
      </ul>
    `;
  }

  #value(query: string, column: Column, value: string, count: number | undefined, isNegated = false): TemplateResult {
    const name = value === "" ? words.noValue : column === "lang" ? languageName(value) : visible(value, 120);
    const isPressed = isAsked(query, column, value, isNegated);
    return html`
      <li>
        <button
          class="value ${isNegated ? "not" : ""}"
          aria-pressed=${isPressed ? "true" : "false"}
          aria-label=${isNegated ? words.exclude(name) : nothing}
          title=${`${name}\n${words.facetHint}`}
          @click=${(event: MouseEvent) => this.#ask(toggled(query, column, value, isNegated || event.altKey))}
        >
          <span dir="ltr">${name}</span>${count === undefined ? nothing : html`<small>${formatCount(count)}</small>`}
        </button>
        ${isPressed || isNegated
          ? nothing
          : html`<button class="icon without" title=${words.exclude(name)} aria-label=${words.exclude(name)} @click=${() => this.#ask(toggled(query, column, value, true))}>${icons.close}</button>`}
      </li>
    `;
  }

  #ask(query: string): void {
    this.store.library?.searchBar.ask(query);
  }
}

customElements.define("stackroom-facets", Facets);
