/** Above the list: what part of it was chosen, in which order it is, and the button that opens the ways to browse. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { SortColumn } from "stackroom/library";

import { visible } from "../content/visible.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import "../views/menu.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import { words } from "./words.js";

const sortable: readonly SortColumn[] = ["url", "time", "status", "mime", "type", "size"];

export class Arrange extends LitElement {
  static override properties = { store: { attribute: false } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        gap: 6px;
        align-items: center;
        /* As high as its neighbours are low. */
        margin-block-start: -3px;
      }
      button {
        min-block-size: 26px;
        font-size: var(--text-small);
      }
      .browse,
      stackroom-menu {
        flex: none;
      }
      .chip {
        min-inline-size: 0;
        max-inline-size: 300px;
        margin-inline-end: auto;
        flex-shrink: 1;
        border-color: var(--accent-line);
        background: var(--accent-wash);
      }
      .chip span {
        overflow: hidden;
        text-overflow: ellipsis;
        line-height: 1.4;
        unicode-bidi: isolate;
      }
      .chip svg {
        inline-size: 12px;
        block-size: 12px;
      }
      hr {
        margin: 4px 0;
        border: 0;
        border-block-start: 1px solid var(--line);
      }
      .browse[aria-expanded="true"] {
        background: var(--accent-wash);
        font-weight: 600;
      }
    `,
  ];
  declare store: Store;

  constructor() {
    super();
    new Watch(this, "rows", "library", "phase");
  }

  override render(): TemplateResult | typeof nothing {
    const { library, arrangement } = this.store;
    if (library === undefined) return nothing;
    const { isBrowsing } = library;
    const column = sortable.find((one) => one === arrangement?.column);
    return html`
      ${arrangement?.what === undefined ? nothing : this.#chip(arrangement.what)}
      <stackroom-menu label=${column === undefined ? words.sort : words.sortedBy(words.columns[column])} text=${column === undefined ? words.sortShort : words.columns[column]}>
        ${this.#item(words.fileOrder, column === undefined, () => void library.sort(undefined, false))}
        ${sortable.map((one) => this.#item(words.columns[one], column === one, () => void library.sort(one, arrangement?.isDescending === true)))}
        <hr />
        <button
          role="menuitemcheckbox"
          aria-checked=${arrangement?.isDescending === true ? "true" : "false"}
          ?disabled=${column === undefined}
          @click=${() => void library.sort(column, arrangement?.isDescending !== true)}
        >
          <span>${words.descending}</span>${arrangement?.isDescending === true ? icons.check : nothing}
        </button>
      </stackroom-menu>
      <button class="browse" aria-expanded=${isBrowsing ? "true" : "false"} title=${words.browseHint} @click=${() => library.setBrowsing(!isBrowsing)}>
        ${words.browse}
      </button>
    `;
  }

  #item(name: string, isChosen: boolean, choose: () => void): TemplateResult {
    return html`<button role="menuitemradio" aria-checked=${isChosen ? "true" : "false"} @click=${choose}><span>${name}</span>${isChosen ? icons.check : nothing}</button>`;
  }

  #chip(what: string): TemplateResult {
    const name = visible(what, 300);
    return html`<button class="chip" title=${words.showAll} @click=${() => this.store.library?.choose(undefined)}>
      <span>${name}</span>${icons.close}<span class="hidden">${words.showAll}</span>
    </button>`;
  }
}

customElements.define("stackroom-arrange", Arrange);
