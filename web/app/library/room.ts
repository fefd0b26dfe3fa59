/** How much room this site takes in the browser, whether it runs short, and whether the browser may take it back. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { formatBytes } from "../format.js";
import type { Store } from "../state.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import { words } from "./words.js";

const lowFrom = 0.8;

export class RoomMeter extends LitElement {
  static override properties = { store: { attribute: false }, isRefused: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 10px;
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .meter {
        inline-size: 120px;
        block-size: 6px;
        overflow: hidden;
        border-radius: 3px;
        background: var(--line);
      }
      .meter i {
        display: block;
        block-size: 100%;
        min-inline-size: 2px;
        background: var(--accent);
      }
      .low .meter i,
      .meter.low i {
        background: var(--warn);
      }
      .warn {
        flex-basis: 100%;
        color: var(--warn);
        font-weight: 600;
      }
      @media (forced-colors: active) {
        .meter i {
          background: Highlight;
        }
      }
    `,
  ];
  declare store: Store;
  declare isRefused: boolean;

  constructor() {
    super();
    this.isRefused = false;
    new Watch(this, "library");
  }

  override render(): TemplateResult | typeof nothing {
    const room = this.store.library?.room;
    if (room?.usedBytes === undefined) return nothing;
    const { usedBytes, quotaBytes, isPersistent } = room;
    const share = quotaBytes === undefined || quotaBytes === 0 ? undefined : Math.min(1, usedBytes / quotaBytes);
    const isLow = share !== undefined && share >= lowFrom;
    return html`
      ${share === undefined
        ? nothing
        : html`<span class="meter ${isLow ? "low" : ""}" role="meter" aria-label=${words.roomLabel} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(share * 100)}
            ><i style="inline-size: ${share * 100}%"></i
          ></span>`}
      <span>${quotaBytes === undefined ? words.roomOnly(formatBytes(usedBytes)) : words.room(formatBytes(usedBytes), formatBytes(quotaBytes))}.</span>
      <span>${isPersistent ? words.persistent : this.isRefused ? words.persistRefused : words.notPersistent}</span>
      ${isPersistent || this.isRefused ? nothing : html`<button class="link" @click=${() => void this.#ask()}>${words.persist}</button>`}
      ${isLow ? html`<strong class="warn" role="alert">${words.roomLow}</strong>` : nothing}
    `;
  }

  async #ask(): Promise<void> {
    this.isRefused = !(await navigator.storage.persist().catch(() => false));
    if (!this.isRefused) this.store.say(words.persisted);
    await this.store.library?.refresh();
  }
}

customElements.define("stackroom-room", RoomMeter);
