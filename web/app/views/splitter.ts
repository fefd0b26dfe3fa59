/**
 * The divider between list and detail. Gives the share of the list in per cent, by pointer or arrow keys, as
 * `stackroom-split` events; the parent lays out. Double click or Enter goes back to the middle.
 */
import { LitElement, css, type PropertyValues } from "lit";

import { words } from "../words.js";

export const shareMin = 20;
export const shareMax = 80;
export const shareMiddle = 54;

export class Splitter extends LitElement {
  static override properties = { share: { type: Number }, isFlat: { type: Boolean } };
  static override styles = css`
    :host {
      position: relative;
      display: block;
      background: var(--line);
      cursor: col-resize;
      touch-action: none;
      z-index: 2;
    }
    :host([isflat]) {
      cursor: row-resize;
    }
    :host::after {
      content: "";
      position: absolute;
      inset: 0 -4px;
    }
    :host([isflat])::after {
      inset: -4px 0;
    }
    :host(:hover),
    :host(:focus-visible) {
      background: var(--accent);
      outline: 2px solid var(--focus);
      outline-offset: 0;
    }
    :host(:hover:not(:focus-visible)) {
      outline: none;
    }
  `;
  declare share: number;
  /** The list is above the detail, not beside it. */
  declare isFlat: boolean;

  constructor() {
    super();
    this.share = shareMiddle;
    this.isFlat = false;
    this.addEventListener("pointerdown", (event) => this.#onDown(event));
    this.addEventListener("pointermove", (event) => this.#onMove(event));
    this.addEventListener("dblclick", () => this.#give(shareMiddle));
    this.addEventListener("keydown", (event) => this.#onKey(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.tabIndex = 0;
    this.setAttribute("role", "separator");
    this.setAttribute("aria-label", words.splitter);
    this.setAttribute("aria-valuemin", String(shareMin));
    this.setAttribute("aria-valuemax", String(shareMax));
  }

  override updated(_changes: PropertyValues): void {
    this.toggleAttribute("isflat", this.isFlat);
    this.setAttribute("aria-valuenow", String(Math.round(this.share)));
    this.setAttribute("aria-orientation", this.isFlat ? "horizontal" : "vertical");
  }

  #give(share: number): void {
    const detail = Math.max(shareMin, Math.min(share, shareMax));
    this.dispatchEvent(new CustomEvent("stackroom-split", { bubbles: true, composed: true, detail }));
  }

  #onDown(event: PointerEvent): void {
    event.preventDefault();
    this.setPointerCapture(event.pointerId);
    this.focus({ preventScroll: true });
  }

  #onMove(event: PointerEvent): void {
    const box = this.parentElement?.getBoundingClientRect();
    if (!this.hasPointerCapture(event.pointerId) || box === undefined) return;
    const part = this.isFlat ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width;
    this.#give(part * 100);
  }

  #onKey(event: KeyboardEvent): void {
    const [less, more] = this.isFlat ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const to: Readonly<Record<string, number>> = {
      [less ?? ""]: this.share - 2,
      [more ?? ""]: this.share + 2,
      Home: shareMin,
      End: shareMax,
      Enter: shareMiddle,
    };
    const share = to[event.key];
    if (share === undefined) return;
    event.preventDefault();
    this.#give(share);
  }
}

customElements.define("stackroom-splitter", Splitter);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-splitter": Splitter;
  }
}
