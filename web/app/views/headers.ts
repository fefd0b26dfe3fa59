/** The header blocks of a record as tables: WARC first, then HTTP with its first line. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { HeaderField } from "stackroom";

import { visible } from "../content/visible.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { base, messages } from "./styles.js";

/** A hostile record may hold a million fields; nobody reads past some hundred. */
const fieldsMax = 500;
const valueCharsMax = 8_000;

export class Headers extends LitElement {
  static override properties = { store: { attribute: false }, record: { attribute: false } };
  static override styles = [
    base,
    messages,
    css`
      :host {
        display: block;
        overflow: auto;
        padding: 4px 12px 16px;
      }
      h3 {
        padding: 10px 0 4px;
        font: 600 var(--text) / 1.4 var(--serif);
      }
      .start {
        padding: 2px 0 6px;
        font: var(--text-small) / 1.5 var(--mono);
        overflow-wrap: anywhere;
      }
      table {
        inline-size: 100%;
        border-collapse: collapse;
        table-layout: fixed;
      }
      th,
      td {
        padding: 3px 10px 3px 0;
        border-block-start: 1px solid var(--line-soft);
        text-align: start;
        vertical-align: top;
        font: var(--text-small) / 1.5 var(--mono);
        overflow-wrap: anywhere;
      }
      th {
        color: var(--ink-soft);
      }
      .names {
        inline-size: 34%;
      }
      td {
        unicode-bidi: isolate;
      }
      .none {
        color: var(--ink-soft);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;

  constructor() {
    super();
    this.tabIndex = 0;
    new Watch(this, "record");
  }

  override render(): TemplateResult | typeof nothing {
    const { detail } = this.record;
    if (detail === undefined) return nothing;
    return html`
      <h3>${words.warcHeaders}</h3>
      <p class="start">${visible(detail.version, 200)}</p>
      ${this.#table(words.warcHeaders, detail.warcHeaders)}
      <h3>${words.httpHeaders}</h3>
      ${detail.http === undefined
        ? html`<p class="none">${words.noHttpHeaders}</p>`
        : html`<p class="start">${visible(detail.http.startLine)}</p>
            ${this.#table(words.httpHeaders, detail.http.headers)}`}
    `;
  }

  #table(label: string, fields: readonly HeaderField[]): TemplateResult {
    return html`
      <table aria-label=${label}>
        <colgroup>
          <col class="names" />
          <col />
        </colgroup>
        <thead class="hidden">
          <tr>
            <th scope="col">${words.headerName}</th>
            <th scope="col">${words.headerValue}</th>
          </tr>
        </thead>
        <tbody>
          ${fields.slice(0, fieldsMax).map(
            ([name, value]) => html`<tr>
              <th scope="row">${visible(name, 300)}</th>
              <td dir="auto">${visible(value, valueCharsMax)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
      ${fields.length > fieldsMax ? html`<p class="none">${words.moreFields(String(fields.length - fieldsMax))}</p>` : nothing}
    `;
  }
}

customElements.define("stackroom-headers", Headers);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-headers": Headers;
  }
}
