/**
 * The first thing seen of a record: its facts, and its body in the form that suits it.
 * Archived documents (HTML, SVG, XML) appear as source text and in no other way.
 */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { DigestVerdict } from "stackroom";

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
import { base, controls, messages } from "./styles.js";
import "./text.js";

export class Preview extends LitElement {
  static override properties = { store: { attribute: false }, record: { attribute: false } };
  static override styles = [
    base,
    controls,
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
      .digests {
        display: grid;
        justify-items: start;
        gap: 4px;
        padding: 8px 12px;
        border-block-end: 1px solid var(--line-soft);
        overflow-wrap: anywhere;
      }
      .digests p {
        margin: 0;
      }
      .digests .good {
        color: var(--accent);
      }
      .digests .bad {
        color: var(--bad);
      }
      .digests .small {
        color: var(--ink-soft);
        font: var(--text-small) / 1.4 var(--mono);
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
      ${this.#digests()}
      <div class="body">${this.#body()}</div>
    `;
  }

  /** On demand, because the whole record has to be read for it. */
  #digests(): TemplateResult | typeof nothing {
    const { detail, verdicts, isVerifying, verifyTrouble } = this.record;
    const hasDigest = detail?.warcHeaders.some(([name]) => /^warc-(?:block|payload)-digest$/i.test(name));
    if (hasDigest !== true) return nothing;
    // The button stays, and with it the focus.
    return html`
      <div class="digests">
        <button aria-disabled=${isVerifying} @click=${() => this.store.verifyRecord()}>${words.verify}</button>
        <div role="status">
          ${isVerifying ? html`<p>${words.verifying}</p>` : nothing}
          ${verifyTrouble === undefined ? nothing : html`<p class="bad">${visible(verifyTrouble.message, 300)}</p>`}
          ${this.#verdict(words.payloadDigest, verdicts?.payload, words.digestOf)} ${this.#verdict(words.blockDigest, verdicts?.block)}
        </div>
      </div>
    `;
  }

  #verdict(name: string, digest: DigestVerdict | undefined, names?: typeof words.digestOf): TemplateResult | typeof nothing {
    if (digest === undefined) return nothing;
    const { verdict, of, found, stated } = digest;
    const kind = verdict === "holds" ? "good" : verdict === "differs" ? "bad" : "";
    const bytes = names === undefined || of === undefined ? "" : ` (${names[of]})`;
    return html`
      <p>${name}: <strong class=${kind}>${words.digestVerdict[verdict]}</strong>${bytes}</p>
      ${verdict === "differs" ? html`<p class="small">${words.digestDiffers(visible(stated, 200), visible(found ?? "", 200))}</p>` : nothing}
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
