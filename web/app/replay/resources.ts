/** What the archived page loaded: from which time each of it is, and what is missing. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { Entry, Shown } from "stackroom/replay";

import { visible } from "../content/visible.js";
import type { Store } from "../state.js";
import { base, controls } from "../views/styles.js";
import { drift } from "./drift.js";
import { words } from "./words.js";

/** Nobody reads more of them. */
const listedMax = 1_000;

class Resources extends LitElement {
  static override properties = { store: { attribute: false }, shown: { attribute: false } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        overflow: auto;
        border-block-start: 1px solid var(--line);
        background: var(--paper);
        font-size: var(--text-small);
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 8px;
        padding: 2px 10px;
        border-block-end: 1px solid var(--line-soft);
      }
      button.link,
      .url {
        display: block;
        max-inline-size: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        text-align: start;
        unicode-bidi: isolate;
        min-block-size: 24px;
        line-height: 24px;
        font-size: var(--text-small);
      }
      .facts {
        color: var(--ink-soft);
        line-height: 24px;
        white-space: nowrap;
        font-variant-numeric: tabular-nums;
      }
      .missing {
        color: var(--bad);
        font-weight: 600;
      }
      p {
        padding: 8px 10px;
        color: var(--ink-soft);
      }
    `,
  ];
  declare store: Store;
  declare shown: Shown | undefined;

  override render(): TemplateResult {
    const all = this.shown?.resources ?? [];
    if (all.length === 0) return html`<p>${words.none}</p>`;
    const isWanting = ({ row, trouble }: Entry): boolean => row === undefined || trouble !== undefined;
    const listed = [...all.filter(isWanting), ...all.filter((entry) => !isWanting(entry))].slice(0, listedMax);
    return html`<ul aria-label=${words.resourceList}>
      ${listed.map((entry) => this.#one(entry))}
    </ul>`;
  }

  #one(entry: Entry): TemplateResult {
    const url = visible(entry.url, 400);
    const { row, trouble } = entry;
    if (row === undefined) return html`<li><span class="url" dir="ltr" title=${url}>${url}</span><span class="facts missing">${words.missingOne}</span></li>`;
    if (trouble !== undefined) return html`<li><button class="link" dir="ltr" title=${url} @click=${() => void this.#open(row)}>${url}</button><span class="facts missing" title=${visible(trouble, 400)}>${words.unreadOne}</span></li>`;
    const facts = [entry.isFuzzy === true ? words.fuzzyOne : "", String(entry.status ?? ""), drift(entry.captured, this.shown?.document?.captured)].filter((fact) => fact !== "");
    return html`
      <li>
        <button class="link" dir="ltr" title=${url} @click=${() => void this.#open(row)}>${url}</button>
        <span class="facts">${facts.length === 0 ? nothing : facts.join(" \u00b7 ")}</span>
      </li>
    `;
  }

  async #open(at: number): Promise<void> {
    const { archive } = this.store;
    const [row] = (await archive?.rows(at, 1)) ?? [];
    if (row !== undefined && archive === this.store.archive) this.store.openRecord(row);
  }
}

customElements.define("stackroom-resources", Resources);
