/** The status strip: how far the archive is read, how fast, how long still, cancel; and how many problems there are. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount, formatDuration } from "../format.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

export class Status extends LitElement {
  static override properties = { store: { attribute: false }, isPanelOpen: { type: Boolean } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        position: relative;
        display: block;
      }
      footer {
        display: flex;
        align-items: center;
        gap: 5px 14px;
        min-block-size: 30px;
        padding: 2px 8px 2px 12px;
        border-block-start: 1px solid var(--line);
        background: var(--paper-bar);
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
      }
      strong {
        color: var(--ink);
        font-weight: 600;
      }
      .meter {
        flex: 0 1 180px;
        min-inline-size: 50px;
        block-size: 6px;
        overflow: hidden;
        border-radius: 3px;
        background: var(--line);
      }
      .fill {
        block-size: 100%;
        border-radius: 3px;
        background: var(--accent);
        transform-origin: left;
      }
      button {
        min-block-size: 24px;
        font-size: var(--text-small);
      }
      button svg {
        inline-size: 14px;
        block-size: 14px;
      }
      .end {
        min-inline-size: 0;
        display: flex;
        align-items: center;
        gap: 8px;
        margin-inline-start: auto;
      }
      .problems {
        min-inline-size: 0;
        flex-shrink: 1;
        color: var(--warn);
        font-weight: 600;
      }
      .problems .text {
        overflow: hidden;
        text-overflow: ellipsis;
        line-height: 1.5;
      }
      .what {
        font-weight: 400;
      }
      .stopped {
        overflow: hidden;
        color: var(--bad);
        text-overflow: ellipsis;
      }
      .notice {
        position: absolute;
        inset-block-end: calc(100% + 10px);
        inset-inline: 0;
        display: flex;
        justify-content: center;
        pointer-events: none;
        z-index: 5;
      }
      .notice p {
        max-inline-size: min(90vw, 640px);
        padding: 7px 14px;
        border-radius: 7px;
        background: var(--ink);
        color: var(--paper);
        box-shadow: var(--shadow);
        overflow-wrap: anywhere;
      }
      @media (max-width: 899px) {
        .rate,
        .took {
          display: none;
        }
      }
      @media (max-width: 699px) {
        .bytes,
        .meter,
        .calm {
          display: none;
        }
      }
      @media (forced-colors: active) {
        .fill {
          background: Highlight;
        }
      }
    `,
  ];
  declare store: Store;
  declare isPanelOpen: boolean;

  constructor() {
    super();
    this.isPanelOpen = false;
    new Watch(this, "phase", "progress", "parts", "notice", "library");
  }

  override render(): TemplateResult {
    const { store } = this;
    return html`
      <div class="notice" role="status">${store.notice === "" ? nothing : html`<p>${store.notice}</p>`}</div>
      ${store.phase === "open" ? html`<footer>${store.isIndexing ? this.#reading() : this.#done()}${this.#problems()}</footer>` : nothing}
    `;
  }

  #reading(): TemplateResult | typeof nothing {
    const { progress, rate } = this.store;
    if (progress === undefined) return nothing;
    const { bytes, bytesTotal, records } = progress;
    const part = bytesTotal === undefined || bytesTotal === 0 ? undefined : Math.min(1, bytes / bytesTotal);
    const left = bytesTotal === undefined || rate <= 0 ? undefined : ((bytesTotal - bytes) * 1_000) / rate;
    const sizes = bytesTotal === undefined ? formatBytes(bytes) : words.ofTotal(formatBytes(bytes), formatBytes(bytesTotal));
    return html`
      <strong>${words.reading}${part === undefined ? "" : ` ${Math.floor(part * 100)}\u00a0%`}</strong>
      <div
        class="meter"
        role="progressbar"
        aria-label=${words.reading}
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${part === undefined ? nothing : Math.floor(part * 100)}
      >
        <div class="fill" style="transform: scaleX(${part ?? 0.5})"></div>
      </div>
      <span class="bytes">${sizes}</span>
      <span>${words.recordCount(formatCount(records), records === 1)}</span>
      <span class="rate">${rate > 0 ? words.perSecond(formatBytes(rate)) : ""}</span>
      <span>${left === undefined ? "" : words.timeLeft(formatDuration(left))}</span>
      <button @click=${() => void this.store.cancel()}>${words.cancel}</button>
    `;
  }

  #done(): TemplateResult | typeof nothing {
    const { progress, stopped } = this.store;
    if (progress === undefined) return nothing;
    const { bytes, bytesTotal, records, elapsedMs } = progress;
    if (stopped !== undefined) {
      return html`
        <strong>${words.stoppedAt(formatBytes(bytes))}</strong>
        <span>${words.recordCount(formatCount(records), records === 1)}</span>
        <span class="stopped" role="alert" title=${visible(stopped.message, 300)}>
          ${stopped.title}. ${words.failureHalfWay} (${stopped.code})
        </span>
      `;
    }
    return html`
      <strong>${words.ready}</strong>
      <span>${words.recordCount(formatCount(records), records === 1)}</span>
      <span>${formatBytes(bytesTotal ?? bytes)}</span>
      <span class="took">${words.took(formatDuration(elapsedMs))}</span>
    `;
  }

  #problems(): TemplateResult {
    const { progress, lastDamage: last, refused } = this.store;
    const count = (progress?.damageCount ?? 0) + (progress?.refusedCount ?? 0);
    const [file] = refused;
    const what =
      last !== undefined
        ? words.lastProblem(formatCount(last.offset), visible(last.message, 200))
        : file !== undefined
          ? words.lastRefused(visible(file.name, 80), visible(file.message, 200))
          : "";
    return html`
      <div class="end">
        ${this.store.library === undefined ? nothing : html`<stackroom-kept .store=${this.store}></stackroom-kept>`}
        ${count === 0
          ? html`<span class="calm">${this.store.isIndexing ? "" : words.noProblems}</span>`
          : html`<button
              class="quiet problems"
             
              aria-expanded=${this.isPanelOpen ? "true" : "false"}
              @click=${() => this.dispatchEvent(new Event("stackroom-problems", { bubbles: true, composed: true }))}
            >
              ${icons.warning}<span class="text">${words.problems(formatCount(count), count === 1)}${what === "" ? nothing : html`<span class="what"> \u00b7 ${what}</span>`}</span>
            </button>`}
      </div>
    `;
  }
}

customElements.define("stackroom-status", Status);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-status": Status;
  }
}
