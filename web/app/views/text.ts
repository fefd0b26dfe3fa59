/**
 * A body as text: source, never markup. Pieces of some kilobytes become <pre> elements that the browser lays out only when
 * they are near the screen, added a few a frame, so that a megabyte of one line costs no long task.
 */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";

import { charsetChoices, chooseCharset, type CharsetReason } from "../content/charset.js";
import { visible } from "../content/visible.js";
import { formatBytes } from "../format.js";
import { headBytes, type OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { isAbort, troubleOf, type Trouble } from "../trouble.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { base, controls, messages } from "./styles.js";

const stepBytes = 1_048_576;
const bytesMax = 8 * stepBytes;
const pieceChars = 8_192;
const piecesPerFrame = 4;

/** Cuts text into pieces, at line ends where there are any near. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + pieceChars);
    if (end < text.length) {
      const line = text.lastIndexOf("\n", end - 1);
      if (line > at) end = line + 1;
      else if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    }
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

export class Text extends LitElement {
  static override properties = {
    store: { attribute: false },
    record: { attribute: false },
    isExcerpt: { type: Boolean },
    chosen: { state: true },
    isWrapped: { state: true },
    limit: { state: true },
    trouble: { state: true },
    isLoading: { state: true },
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
      }
      .bar label {
        display: inline-flex;
        align-items: center;
        gap: 6px;
      }
      select {
        min-block-size: 24px;
        padding: 0 4px;
        font-size: var(--text-small);
      }
      #text {
        flex: 1;
        min-block-size: 0;
        overflow: auto;
        padding: 8px 0;
        background: var(--paper-code);
      }
      pre {
        margin: 0;
        padding: 0 12px;
        font: var(--text-small) / 18px var(--mono);
        tab-size: 4;
        white-space: pre;
        unicode-bidi: plaintext;
        content-visibility: auto;
        contain-intrinsic-block-size: auto 2000px;
      }
      .wrapped pre {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .more {
        display: flex;
        align-items: center;
        gap: 12px;
        padding: 8px 12px;
        border-block-start: 1px solid var(--line-soft);
        color: var(--ink-soft);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;
  /** Shows the head of the body only, without a bar. */
  declare isExcerpt: boolean;
  declare chosen: string;
  declare isWrapped: boolean;
  declare limit: number;
  declare trouble: Trouble | undefined;
  declare isLoading: boolean;
  #shownBytes = 0;
  #isWhole = false;
  #found: { readonly charset: string; readonly reason: CharsetReason } | undefined;
  #frame = 0;
  #run = 0;

  constructor() {
    super();
    this.isExcerpt = false;
    this.chosen = "";
    this.isWrapped = true;
    this.limit = stepBytes;
    this.isLoading = false;
    new Watch(this, "record");
  }

  override willUpdate(changes: PropertyValues): void {
    if (changes.has("record")) {
      this.chosen = "";
      this.limit = this.isExcerpt ? headBytes : stepBytes;
    }
  }

  override updated(changes: PropertyValues): void {
    const isNew = changes.has("record") || changes.has("chosen") || changes.has("limit");
    // The stated character set arrives with the headers, perhaps after the body.
    if (isNew || (this.#run === 0 && this.record.detail !== undefined)) void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    cancelAnimationFrame(this.#frame);
    this.#run += 1;
  }

  async #load(): Promise<void> {
    const { record } = this;
    if (record.detail === undefined && record.trouble === undefined) {
      this.#run = 0;
      this.#clear();
      return;
    }
    this.#run += 1;
    const run = this.#run;
    this.isLoading = true;
    this.trouble = undefined;
    try {
      const bytes = this.isExcerpt && record.head !== undefined ? record.head : await record.body(this.limit + 1);
      if (run !== this.#run) return;
      this.#isWhole = this.isExcerpt ? record.isHeadWhole : bytes.length <= this.limit;
      this.#draw(bytes.subarray(0, this.limit), run);
    } catch (error) {
      if (run !== this.#run || isAbort(error)) return;
      this.trouble = troubleOf(error);
      this.isLoading = false;
    }
  }

  #clear(): void {
    cancelAnimationFrame(this.#frame);
    this.renderRoot.querySelector("#text")?.replaceChildren();
  }

  /** Decodes and adds a few pieces each frame, so that neither work holds a frame up. */
  #draw(bytes: Uint8Array, run: number): void {
    this.#clear();
    const box = this.renderRoot.querySelector("#text");
    if (box === null) return;
    this.#shownBytes = bytes.length;
    this.#found = chooseCharset(bytes.subarray(0, headBytes), this.record.detail?.charset, this.chosen);
    const decoder = new TextDecoder(this.#found.charset);
    let at = 0;
    let left = "";
    const step = (): void => {
      if (run !== this.#run) return;
      const end = Math.min(bytes.length, at + pieceChars * piecesPerFrame);
      const isLast = end === bytes.length;
      // A character that the limit cut in two is left out rather than shown as damage.
      left += decoder.decode(bytes.subarray(at, end), { stream: !isLast || !this.#isWhole });
      at = end;
      const pieces = cut(left);
      left = isLast ? "" : (pieces.pop() ?? "");
      for (const piece of pieces) {
        const pre = document.createElement("pre");
        pre.textContent = piece;
        box.append(pre);
      }
      if (!isLast) this.#frame = requestAnimationFrame(step);
      else this.isLoading = false;
      this.requestUpdate();
    };
    step();
  }

  override render(): TemplateResult {
    if (this.trouble !== undefined) {
      return html`<div class="message bad" role="alert">
        <strong>${words.bodyFailed}</strong><span>${visible(this.trouble.message, 400)}</span><code>${this.trouble.code}</code>
      </div>`;
    }
    if (this.record.kind === "empty") return html`<p class="message">${words.emptyBody}</p>`;
    return html`
      ${this.isExcerpt ? nothing : this.#bar()}
      <div id="text" class=${this.isWrapped ? "wrapped" : ""} tabindex="0" role="region" aria-label=${words.tabText}></div>
      ${this.#more()}
    `;
  }

  #bar(): TemplateResult {
    const found = this.#found;
    const auto = found === undefined ? words.charsetAuto : `${found.charset} (${words.charsetFrom[found.reason]})`;
    return html`
      <div class="bar">
        <label>
          ${words.charset}
          <select @change=${this.#onCharset}>
            <option value="" ?selected=${this.chosen === ""}>${this.chosen === "" ? auto : words.charsetAuto}</option>
            ${charsetChoices.map((label) => html`<option value=${label} ?selected=${this.chosen === label}>${label}</option>`)}
          </select>
        </label>
        <label><input type="checkbox" .checked=${this.isWrapped} @change=${this.#onWrap} />${words.wrap}</label>
      </div>
    `;
  }

  #more(): TemplateResult | typeof nothing {
    if (this.isLoading || this.#isWhole || this.#run === 0 || this.#shownBytes === 0) return nothing;
    const shown = words.textShown(formatBytes(this.#shownBytes));
    if (this.isExcerpt) return html`<p class="more">${shown}</p>`;
    return html`
      <p class="more">
        ${shown}
        ${this.limit < bytesMax
          ? html`<button @click=${() => (this.limit += stepBytes)}>${words.showMore(formatBytes(stepBytes))}</button>`
          : words.textLimit}
      </p>
    `;
  }

  #onCharset(event: Event): void {
    if (event.target instanceof HTMLSelectElement) this.chosen = event.target.value;
  }

  #onWrap(event: Event): void {
    if (event.target instanceof HTMLInputElement) this.isWrapped = event.target.checked;
  }
}

customElements.define("stackroom-text", Text);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-text": Text;
  }
}
