/** The ways to browse the records, one at a time: over time, by host, media type, status and type of record. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import type { Store } from "../state.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import "./hosts.js";
import "./timeline.js";
import "./values.js";
import { words } from "./words.js";

const ways = ["times", "hosts", "mime", "status", "type"] as const;
type Way = (typeof ways)[number];

const names: Readonly<Record<Way, string>> = {
  times: words.browseTimes,
  hosts: words.browseHosts,
  mime: words.browseMimes,
  status: words.browseStatuses,
  type: words.browseTypes,
};

export class Browse extends LitElement {
  static override properties = { store: { attribute: false }, way: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        block-size: 216px;
        border-block-end: 1px solid var(--line);
        background: var(--paper);
      }
      [role="tablist"] {
        display: flex;
        flex: none;
        gap: 2px;
        padding-inline: 4px;
        border-block-end: 1px solid var(--line-soft);
        overflow-x: auto;
        scrollbar-width: none;
      }
      [role="tab"] {
        position: relative;
        min-block-size: 30px;
        padding: 0 8px;
        border: 0;
        background: none;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      [role="tab"]:focus-visible {
        outline-offset: -3px;
      }
      [role="tab"][aria-selected="true"] {
        color: var(--ink);
        font-weight: 600;
      }
      [role="tab"][aria-selected="true"]::after {
        content: "";
        position: absolute;
        inset-inline: 7px;
        inset-block-end: 0;
        block-size: 2.5px;
        background: var(--accent);
      }
      [role="tabpanel"] {
        display: flex;
        flex: 1;
        min-block-size: 0;
        flex-direction: column;
      }
      [role="tabpanel"] > * {
        flex: 1;
        min-block-size: 0;
      }
      @media (forced-colors: active) {
        [role="tab"][aria-selected="true"]::after {
          background: Highlight;
        }
      }
      @media (max-height: 560px) {
        :host {
          block-size: 150px;
        }
      }
    `,
  ];
  declare store: Store;
  declare way: Way;

  constructor() {
    super();
    this.way = "times";
    new Watch(this, "library", "phase");
  }

  override render(): TemplateResult {
    const why = this.store.library?.why;
    return html`
      <div role="tablist" aria-label=${words.browsePanel} @keydown=${this.#onKey}>
        ${ways.map(
          (one) => html`
            <button role="tab" id="tab-${one}" aria-controls="panel" aria-selected=${one === this.way ? "true" : "false"} tabindex=${one === this.way ? 0 : -1} @click=${() => (this.way = one)}>
              ${names[one]}
            </button>
          `,
        )}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby="tab-${this.way}">${why === undefined ? this.#panel() : html`<p class="message" role="status">${why}</p>`}</div>
    `;
  }

  #panel(): TemplateResult | typeof nothing {
    const { store, way } = this;
    const index = store.library?.index;
    if (index === undefined) return nothing;
    if (way === "times") return html`<stackroom-timeline .store=${store} .index=${index}></stackroom-timeline>`;
    if (way === "hosts") return html`<stackroom-hosts .store=${store} .index=${index}></stackroom-hosts>`;
    return html`<stackroom-values .store=${store} .index=${index} .column=${way} label=${names[way]}></stackroom-values>`;
  }

  #onKey(event: KeyboardEvent): void {
    const at = ways.indexOf(this.way);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ways.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.way = ways[(to + ways.length) % ways.length] ?? this.way;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus());
  }
}

customElements.define("stackroom-browse", Browse);
