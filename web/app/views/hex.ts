/**
 * Bytes in hexadecimal, in windows of 64 KiB. Lines have a fixed height, so only those on screen exist.
 * Shows the decoded body or the record as it is stored.
 */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { RecordPart } from "stackroom";

import { visible } from "../content/visible.js";
import { formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { isAbort, troubleOf, type Trouble } from "../trouble.js";
import { words } from "../words.js";
import { base, controls, messages } from "./styles.js";

const windowBytes = 65_536;
const lineHeight = 18;
const spareLines = 10;
/** 16 bytes a line need about this much room. */
const wideFrom = 560;

function hexOf(bytes: Uint8Array, width: number): string {
  let text = "";
  for (let at = 0; at < width; at += 1) {
    const byte = bytes[at];
    text += `${byte === undefined ? "  " : byte.toString(16).padStart(2, "0")} `;
    if (at % 8 === 7 && at + 1 < width) text += " ";
  }
  return text;
}

function lettersOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "\u00b7";
  return text;
}

export class Hex extends LitElement {
  static override properties = {
    store: { attribute: false },
    record: { attribute: false },
    which: { state: true },
    start: { state: true },
    bytes: { state: true },
    trouble: { state: true },
  };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-block-size: 0;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 14px;
        padding: 5px 12px;
        border-block-end: 1px solid var(--line-soft);
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .bar label {
        display: inline-flex;
        align-items: center;
        gap: 6px;
      }
      .bar button,
      select {
        min-block-size: 24px;
        font-size: var(--text-small);
      }
      select {
        padding: 0 4px;
      }
      .range {
        margin-inline-start: auto;
      }
      #scroll {
        position: relative;
        flex: 1;
        min-block-size: 0;
        overflow: auto;
        background: var(--paper-code);
      }
      #body {
        position: relative;
        margin: 8px 0;
        min-inline-size: max-content;
      }
      #lines {
        position: absolute;
        inset-block-start: 0;
        inset-inline-start: 0;
        padding: 0 12px;
      }
      .line {
        display: flex;
        gap: 18px;
        block-size: 18px;
        font: var(--text-small) / 18px var(--mono);
        white-space: pre;
      }
      .at {
        color: var(--ink-faint);
        user-select: none;
      }
      .letters {
        color: var(--ink-soft);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;
  declare which: RecordPart;
  declare start: number;
  declare bytes: Uint8Array | undefined;
  declare trouble: Trouble | undefined;
  #hasMore = false;
  #abort = new AbortController();
  #sizes: ResizeObserver | undefined;
  #box: HTMLElement | undefined;
  #width = 16;
  #height = 0;

  constructor() {
    super();
    this.which = "body";
    this.start = 0;
  }

  override willUpdate(changes: PropertyValues): void {
    if (changes.has("record")) {
      this.which = "body";
      this.start = 0;
    }
    if (changes.has("record") || changes.has("which") || changes.has("start")) void this.#load();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort.abort();
    this.#sizes?.disconnect();
    this.#box = undefined;
  }

  async #load(): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.bytes = undefined;
    this.trouble = undefined;
    try {
      // One byte more than is shown tells whether another window follows.
      const bytes = await this.record.window(this.which, this.start, windowBytes + 1, abort.signal);
      if (abort.signal.aborted) return;
      this.#hasMore = bytes.length > windowBytes;
      this.bytes = bytes.subarray(0, windowBytes);
    } catch (error) {
      if (!abort.signal.aborted && !isAbort(error)) this.trouble = troubleOf(error);
    }
  }

  override updated(): void {
    const box = this.renderRoot.querySelector<HTMLElement>("#scroll");
    const lines = this.renderRoot.querySelector<HTMLElement>("#lines");
    if (box === null || lines === null) return;
    lines.style.transform = `translateY(${this.#first(box) * lineHeight}px)`;
    if (this.#box === box) return;
    // The box is drawn anew with each window of bytes.
    this.#box = box;
    this.#sizes?.disconnect();
    this.#sizes = new ResizeObserver(() => {
      this.#height = box.clientHeight;
      this.#width = box.clientWidth >= wideFrom ? 16 : 8;
      this.requestUpdate();
    });
    this.#sizes.observe(box);
  }

  #first(box: HTMLElement | null): number {
    return Math.max(0, Math.floor((box?.scrollTop ?? 0) / lineHeight) - spareLines);
  }

  override render(): TemplateResult {
    return html`
      <div class="bar">
        <label>
          ${words.hexOf}
          <select @change=${this.#onPart}>
            <option value="body" ?selected=${this.which === "body"}>${words.hexBody}</option>
            <option value="raw" ?selected=${this.which === "raw"}>${words.hexRaw}</option>
          </select>
        </label>
        ${this.#range()}
      </div>
      ${this.#body()}
    `;
  }

  #range(): TemplateResult | typeof nothing {
    const { bytes, start } = this;
    if (bytes === undefined || (bytes.length === 0 && start === 0)) return nothing;
    const isOnly = start === 0 && !this.#hasMore;
    return html`
      <span class="range">${words.hexRange(formatCount(start), formatCount(start + bytes.length - 1))}</span>
      ${isOnly
        ? nothing
        : html`
            <button ?disabled=${start === 0} @click=${() => this.#go(start - windowBytes)}>${words.hexPrevious}</button>
            <button ?disabled=${!this.#hasMore} @click=${() => this.#go(start + windowBytes)}>${words.hexNext}</button>
          `}
    `;
  }

  #body(): TemplateResult {
    const { bytes, trouble } = this;
    if (trouble !== undefined) {
      return html`<div class="message bad" role="alert">
        <strong>${words.bodyFailed}</strong><span>${visible(trouble.message, 400)}</span><code>${trouble.code}</code>
      </div>`;
    }
    if (bytes === undefined) return html`<p class="message">${words.loadingBody}</p>`;
    if (bytes.length === 0) return html`<p class="message">${words.hexEmpty}</p>`;
    const box = this.renderRoot.querySelector<HTMLElement>("#scroll");
    const count = Math.ceil(bytes.length / this.#width);
    const first = this.#first(box);
    const last = Math.min(count, first + Math.ceil((this.#height || 400) / lineHeight) + 2 * spareLines);
    const lines: TemplateResult[] = [];
    for (let at = first; at < last; at += 1) lines.push(this.#line(bytes, at));
    return html`
      <div id="scroll" tabindex="0" role="region" aria-label=${words.hexLabel} @scroll=${() => this.requestUpdate()}>
        <div id="body" style="block-size: ${count * lineHeight}px; inline-size: ${this.#width === 16 ? 82 : 46}ch"><div id="lines">${lines}</div></div>
      </div>
    `;
  }

  #line(bytes: Uint8Array, at: number): TemplateResult {
    const part = bytes.subarray(at * this.#width, (at + 1) * this.#width);
    const offset = (this.start + at * this.#width).toString(16).padStart(8, "0");
    return html`<div class="line"><span class="at">${offset}</span><span>${hexOf(part, this.#width)}</span><span class="letters">${lettersOf(part)}</span></div>`;
  }

  #go(start: number): void {
    this.start = Math.max(0, start);
    this.renderRoot.querySelector("#scroll")?.scrollTo(0, 0);
  }

  #onPart(event: Event): void {
    if (!(event.target instanceof HTMLSelectElement)) return;
    this.which = event.target.value === "raw" ? "raw" : "body";
    this.start = 0;
  }
}

customElements.define("stackroom-hex", Hex);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-hex": Hex;
  }
}
