/**
 * The first thing seen of a record: its facts, and its body in the form that suits it.
 * Archived documents (HTML, SVG, XML) appear as source text and in no other way.
 */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { visible } from "../content/visible.js";
import { formatBytes, formatCaptured, formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import "./headers.js";
import "./hex.js";
import "./image.js";
import "./json.js";
import { base, messages } from "./styles.js";
import "./text.js";

export class Preview extends LitElement {
  static override properties = { store: { attribute: false }, record: { attribute: false } };
  static override styles = [
    base,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-block-size: 0;
        overflow: auto;
      }
      dl {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
        gap: 8px 14px;
        margin: 0;
        padding: 10px 12px;
        border-block-end: 1px solid var(--line-soft);
      }
      dt {
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
        font-variant-numeric: tabular-nums;
      }
      .body {
        display: flex;
        flex-direction: column;
        flex: 1 0 220px;
        min-block-size: 0;
      }
      .body > stackroom-image {
        padding: 12px;
      }
      .body > :not(stackroom-image, p) {
        flex: 1;
        min-block-size: 0;
      }
      .hint {
        padding: 6px 12px 0;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;

  constructor() {
    super();
    new Watch(this, "record");
  }

  override render(): TemplateResult {
    const { store } = this;
    const { row, detail, original } = this.record;
    const originalFile = original === undefined ? "" : (store.partOf(original)?.name ?? "");
    const facts: readonly (readonly [string, string])[] = [
      [words.columnType, row.type],
      [words.columnStatus, row.status === undefined ? "" : String(row.status)],
      [words.columnMime, visible(detail?.contentType ?? row.mime ?? "", 200)],
      [words.columnSize, formatBytes(row.size)],
      [words.columnCaptured, row.captured === undefined ? "" : `${formatCaptured(row.captured)} UTC`],
      [words.columnPart, visible(store.partOf(row)?.name ?? "", 300)],
      [words.factOriginal, original === undefined ? "" : words.factOriginalValue(formatCaptured(original.captured), visible(originalFile, 200))],
      [words.factOffset, words.factOffsetValue(formatCount(row.offset))],
      [words.factLength, formatBytes(row.length)],
    ];
    return html`
      <dl aria-label=${words.facts}>
        ${facts.map(([name, value]) => (value === "" ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}
      </dl>
      <div class="body">${this.#body()}</div>
    `;
  }

  #body(): TemplateResult {
    const { record, store } = this;
    if (record.bodyTrouble !== undefined) {
      const { message, code } = record.bodyTrouble;
      return html`<div class="message bad" role="alert">
        <strong>${words.bodyFailed}</strong><span>${visible(message, 400)}</span><code>${code}</code>
      </div>`;
    }
    const { kind } = record;
    if (kind === undefined) return html`<p class="message">${words.loadingBody}</p>`;
    switch (kind) {
      case "empty":
        return html`
          <p class="message">${record.row.type === "revisit" ? words.emptyRevisit : words.emptyBody}</p>
          <stackroom-headers .store=${store} .record=${record}></stackroom-headers>
        `;
      case "image":
        return html`<stackroom-image .record=${record}></stackroom-image>`;
      case "json":
        return html`<stackroom-json .store=${store} .record=${record}></stackroom-json>`;
      case "text":
        return html`
          ${isDocument(record) ? html`<p class="hint">${words.sourceOnly}</p>` : nothing}
          <stackroom-text .store=${store} .record=${record} isExcerpt></stackroom-text>
        `;
      case "binary":
        return html`<stackroom-hex .store=${store} .record=${record}></stackroom-hex>`;
    }
  }
}

/** Whether somebody may expect to see this rendered, and is owed a word on why it is not. */
function isDocument(record: OpenRecord): boolean {
  return /html|xml|svg/.test(record.row.mime ?? "");
}

customElements.define("stackroom-preview", Preview);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-preview": Preview;
  }
}
