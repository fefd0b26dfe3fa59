/** The detail pane: what the open record is, its actions (copy, save) and the tabs that show it. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { RecordRow } from "stackroom";

import { visible } from "../content/visible.js";
import { copyHeaders, copyText, copyUrl, saveBody, saveRaw } from "../export.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import "./headers.js";
import "./hex.js";
import { icons } from "./icons.js";
import "./json.js";
import "./menu.js";
import "./preview.js";
import { base, controls, messages } from "./styles.js";
import "./text.js";

/** What the library adds comes last: it may come while somebody goes through the others. */
const tabs = ["preview", "headers", "text", "json", "hex", "page"] as const;
type Tab = (typeof tabs)[number];

const tabNames: Readonly<Record<Tab, string>> = {
  preview: words.tabPreview,
  page: words.tabPage,
  headers: words.tabHeaders,
  text: words.tabText,
  json: words.tabJson,
  hex: words.tabHex,
};

export class Detail extends LitElement {
  static override properties = { store: { attribute: false }, tab: { state: true } };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-inline-size: 0;
        min-block-size: 0;
        background: var(--paper);
      }
      .top {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0 0.5rem;
        padding: 7px 8px 0 12px;
        border-block-end: 1px solid var(--line);
        background: var(--paper-bar);
      }
      h2 {
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 2;
        overflow: hidden;
        margin-block: 4px;
        font: 600 var(--text) / 1.4 var(--sans);
        overflow-wrap: anywhere;
        unicode-bidi: isolate;
      }
      .actions {
        display: flex;
        align-items: flex-start;
        gap: 2px;
      }
      .back {
        display: none;
      }
      stackroom-captures,
      [role="tablist"] {
        grid-column: 1 / -1;
        display: flex;
        gap: 2px;
        margin-inline-start: -8px;
        overflow-x: auto;
        scrollbar-width: none;
      }
      [role="tab"] {
        position: relative;
        min-block-size: 30px;
        padding: 0 9px;
        border: 0;
        border-radius: 5px 5px 0 0;
        background: none;
        color: var(--ink-soft);
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
        flex-direction: column;
        flex: 1;
        min-block-size: 0;
        overflow: hidden;
        position: relative;
      }
      [role="tabpanel"] > * {
        flex: 1;
        min-block-size: 0;
      }
      @media (max-width: 699px) {
        .top {
          grid-template-columns: auto minmax(0, 1fr) auto;
          padding-inline-start: 4px;
        }
        .back {
          display: inline-flex;
        }
        .close {
          display: none;
        }
      }
      @media (forced-colors: active) {
        [role="tab"][aria-selected="true"]::after {
          background: Highlight;
        }
      }
    `,
  ];
  declare store: Store;
  /** The tab that was chosen last; kept from record to record where that record has it. */
  declare tab: Tab;

  constructor() {
    super();
    this.tab = "preview";
    new Watch(this, "record", "library");
  }

  focusTabs(): void {
    this.renderRoot.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
  }

  override willUpdate(): void {
    // Behind an archived page nothing is seen of it.
    if (this.store.replaying !== undefined) return;
    this.tab = this.store.tab ?? this.tab;
    this.store.tab = undefined;
  }

  override render(): TemplateResult | typeof nothing {
    const { record } = this.store;
    if (record === undefined) return nothing;
    const has: Partial<Record<Tab, boolean>> = { json: record.kind === "json", page: this.store.library?.saidBy(record.row) !== undefined };
    const shown = tabs.filter((tab) => has[tab] !== false);
    const tab = shown.includes(this.tab) ? this.tab : "preview";
    const url = record.row.url === "" ? words.noUrl : visible(record.row.url);
    return html`
      <div class="top">
        <button class="quiet icon back" title=${words.back} aria-label=${words.back} @click=${this.#close}>${icons.back}</button>
        <h2 dir="ltr" title=${url}>${url}</h2>
        ${this.#actions(record)}
        ${this.store.library === undefined ? nothing : html`<stackroom-captures .store=${this.store}></stackroom-captures>`}
        <div role="tablist" aria-label=${words.views} @keydown=${(event: KeyboardEvent) => this.#onKey(event, shown, tab)}>
          ${shown.map(
            (one) => html`
              <button
                role="tab"
                id="tab-${one}"
                aria-controls="panel"
                aria-selected=${one === tab ? "true" : "false"}
                tabindex=${one === tab ? 0 : -1}
                @click=${() => (this.tab = one)}
              >
                ${tabNames[one]}
              </button>
            `,
          )}
        </div>
      </div>
      <div id="panel" role="tabpanel" aria-labelledby="tab-${tab}">${this.#panel(tab, record)}</div>
    `;
  }

  #actions(record: OpenRecord): TemplateResult {
    const { store } = this;
    const hasBody = record.kind !== undefined && record.kind !== "empty";
    return html`
      <div class="actions">
        ${isPage(record.row) ? html`<button @click=${() => store.replay(record.row)}>${words.replay}</button>` : nothing}
        <stackroom-menu label=${words.copy} .icon=${icons.copy}>
          <button role="menuitem" ?disabled=${record.row.url === ""} @click=${() => void copyUrl(store, record)}>${words.copyUrl}</button>
          <button role="menuitem" ?disabled=${record.detail === undefined} @click=${() => void copyHeaders(store, record)}>${words.copyHeaders}</button>
          <button role="menuitem" ?disabled=${!hasBody} @click=${() => void copyText(store, record)}>${words.copyText}</button>
        </stackroom-menu>
        <stackroom-menu label=${words.save} .icon=${icons.save}>
          <button role="menuitem" ?disabled=${!hasBody} @click=${() => void saveBody(store, record)}>
            ${words.saveBody}<small>${words.saveBodyHint}</small>
          </button>
          <button role="menuitem" @click=${() => void saveRaw(store, record)}>${words.saveRaw}<small>${words.saveRawHint}</small></button>
        </stackroom-menu>
        <button class="quiet icon close" title=${words.closeDetail} aria-label=${words.closeDetail} @click=${this.#close}>${icons.close}</button>
      </div>
    `;
  }

  #panel(tab: Tab, record: OpenRecord): TemplateResult {
    if (record.trouble !== undefined && tab !== "hex") {
      const { message, code } = record.trouble;
      return html`<div class="message bad" role="alert">
        <strong>${words.recordFailed}</strong><span>${visible(message, 400)}</span><code>${code}</code>
      </div>`;
    }
    const { store } = this;
    switch (tab) {
      case "preview":
        return html`<stackroom-preview .store=${store} .record=${record}></stackroom-preview>`;
      case "page":
        return html`<stackroom-said .store=${store} .record=${record}></stackroom-said>`;
      case "headers":
        return html`<stackroom-headers .store=${store} .record=${record}></stackroom-headers>`;
      case "text":
        return html`<stackroom-text .store=${store} .record=${record}></stackroom-text>`;
      case "json":
        return html`<stackroom-json .store=${store} .record=${record}></stackroom-json>`;
      case "hex":
        return html`<stackroom-hex .store=${store} .record=${record}></stackroom-hex>`;
    }
  }

  #onKey(event: KeyboardEvent, shown: readonly Tab[], tab: Tab): void {
    const at = shown.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.tab = shown[(to + shown.length) % shown.length] ?? tab;
    void this.updateComplete.then(() => this.focusTabs());
  }

  #close(): void {
    this.dispatchEvent(new Event("stackroom-close-record", { bubbles: true, composed: true }));
  }
}

/** A capture that can be shown as it was. */
const isPage = ({ type, mime = "", url }: RecordRow): boolean => /html/.test(mime) && /^https?:/i.test(url) && type !== "request" && type !== "metadata";

customElements.define("stackroom-detail", Detail);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-detail": Detail;
  }
}
