/** The problems panel: what in the archive could not be read, where, and under which stable code. Fetched as it is looked at. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Damage } from "stackroom";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

const step = 200;

export class Problems extends LitElement {
  static override properties = { store: { attribute: false }, found: { state: true }, wanted: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
      }
      section {
        display: flex;
        flex-direction: column;
        max-block-size: 40vh;
        border-block-start: 1px solid var(--line);
        background: var(--paper);
      }
      .top {
        display: flex;
        align-items: baseline;
        gap: 10px;
        padding: 6px 8px 6px 12px;
        background: var(--paper-bar);
      }
      h2 {
        font: 600 var(--text-large) / 1.4 var(--serif);
        white-space: nowrap;
      }
      .top p {
        color: var(--ink-soft);
      }
      .top button {
        margin-inline-start: auto;
        align-self: center;
      }
      .list {
        overflow: auto;
        min-block-size: 0;
      }
      table {
        inline-size: 100%;
        border-collapse: collapse;
      }
      th,
      td {
        padding: 4px 12px;
        border-block-end: 1px solid var(--line-soft);
        text-align: start;
        vertical-align: top;
        font-variant-numeric: tabular-nums;
      }
      thead th {
        position: sticky;
        inset-block-start: 0;
        background: var(--paper);
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      .number {
        text-align: end;
        white-space: nowrap;
      }
      td.found {
        inline-size: 60%;
        overflow-wrap: anywhere;
      }
      td.file {
        overflow-wrap: anywhere;
      }
      .found::first-letter {
        text-transform: uppercase;
      }
      code {
        color: var(--ink-faint);
        font: var(--text-small) / 1.5 var(--mono);
        white-space: nowrap;
      }
      .more {
        margin: 8px 12px;
      }
      @media (max-width: 699px) {
        .top p,
        .skipped {
          display: none;
        }
        th,
        td {
          padding: 4px 6px;
        }
        code {
          white-space: normal;
        }
      }
    `,
  ];
  declare store: Store;
  declare found: readonly Damage[];
  declare wanted: number;
  #isFetching = false;

  constructor() {
    super();
    this.found = [];
    this.wanted = step;
    new Watch(this, "progress", "parts");
  }

  override updated(_changes: PropertyValues): void {
    const due = Math.min(this.wanted, this.store.progress?.damageCount ?? 0);
    if (this.found.length < due && !this.#isFetching) void this.#fetch(due);
  }

  async #fetch(due: number): Promise<void> {
    const { archive } = this.store;
    if (archive === undefined) return;
    this.#isFetching = true;
    try {
      const more = await archive.damage(this.found.length, due - this.found.length);
      if (archive === this.store.archive && more.length > 0) this.found = [...this.found, ...more];
    } catch {
      // The archive was closed meanwhile; the panel goes with it.
      return;
    } finally {
      this.#isFetching = false;
    }
  }

  #refused(): TemplateResult | typeof nothing {
    const { refused } = this.store;
    if (refused.length === 0) return nothing;
    return html`
      <table aria-label=${words.refusedTitle(formatCount(refused.length), refused.length === 1)}>
        <thead>
          <tr>
            <th scope="col">${words.problemFile}</th>
            <th scope="col">${words.refusedTitle(formatCount(refused.length), refused.length === 1)}</th>
            <th scope="col">${words.problemCode}</th>
          </tr>
        </thead>
        <tbody>
          ${refused.slice(0, this.wanted).map(
            ({ name, message, code }) => html`<tr>
              <td class="file">${visible(name, 300)}</td>
              <td class="found">${visible(message, 500)}</td>
              <td><code>${visible(code, 80)}</code></td>
            </tr>`,
          )}
        </tbody>
      </table>
    `;
  }

  /** The file in which damage lies, where there are several. */
  #file(damage: Damage): TemplateResult | typeof nothing {
    const { parts } = this.store;
    return parts.length > 1 ? html`<td class="file">${visible(parts[damage.part]?.name ?? "", 300)}</td>` : nothing;
  }

  override render(): TemplateResult {
    const isSeveral = this.store.parts.length > 1;
    const count = this.store.progress?.damageCount ?? 0;
    return html`
      <section aria-labelledby="title">
        <div class="top">
          <h2 id="title">${words.problemsTitle}</h2>
          <p>${words.problemsWhat}</p>
          <button class="quiet icon" title=${words.closePanel} aria-label=${words.closePanel} @click=${this.#close}>${icons.close}</button>
        </div>
        <div class="list" tabindex="0" role="group" aria-labelledby="title">
          ${this.#refused()}
          ${count === 0 ? nothing : html`<table>
            <thead>
              <tr>
                ${isSeveral ? html`<th scope="col">${words.problemFile}</th>` : nothing}
                <th scope="col" class="number">${words.problemWhere}</th>
                <th scope="col" class="number skipped">${words.problemSkipped}</th>
                <th scope="col">${words.problemWhat}</th>
                <th scope="col">${words.problemCode}</th>
              </tr>
            </thead>
            <tbody>
              ${this.found.map(
                (damage) => html`<tr>
                  ${this.#file(damage)}
                  <td class="number">${formatCount(damage.offset)}</td>
                  <td class="number skipped">${formatBytes(damage.skipped)}</td>
                  <td class="found">${visible(damage.message, 500)}</td>
                  <td><code>${visible(damage.code, 80)}</code></td>
                </tr>`,
              )}
            </tbody>
          </table>`}
          ${count > this.wanted ? html`<button class="more" @click=${() => (this.wanted += step)}>${words.moreProblems}</button>` : nothing}
        </div>
      </section>
    `;
  }

  #close(): void {
    this.dispatchEvent(new Event("stackroom-problems", { bubbles: true, composed: true }));
  }
}

customElements.define("stackroom-problems", Problems);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-problems": Problems;
  }
}
