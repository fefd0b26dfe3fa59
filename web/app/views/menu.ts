/**
 * A button with a menu: `<stackroom-menu label="Copy"><button role="menuitem">...</button></stackroom-menu>`.
 * Owns opening, arrow keys and closing. What the items do, and how they look (`styles.ts`), is the business of whoever slots them in.
 */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

export class Menu extends LitElement {
  static override properties = {
    label: {},
    text: {},
    icon: { attribute: false },
    isOpen: { state: true },
  };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: inline-flex;
        min-inline-size: 0;
      }
      .text {
        overflow: hidden;
        text-overflow: ellipsis;
        line-height: 1.3;
      }
      button {
        min-inline-size: 0;
        max-inline-size: 100%;
      }
      button svg.chevron {
        inline-size: 12px;
      }
      [popover] {
        position: fixed;
        inset: auto;
        margin: 4px 0 0;
        position-area: block-end span-inline-start;
        position-try-fallbacks: flip-inline, flip-block;
        min-inline-size: 200px;
        max-inline-size: min(420px, 96vw);
        max-block-size: 70vh;
        padding: 4px;
        border: 1px solid var(--line);
        border-radius: 8px;
        background: var(--paper-raised);
        color: var(--ink);
        box-shadow: var(--shadow);
      }
      :host([side="start"]) [popover] {
        position-area: block-end span-inline-end;
      }
    `,
  ];
  /** What the button does, for a screen reader and as a tooltip. */
  declare label: string;
  /** What stands on the button. */
  declare text: string;
  declare icon: TemplateResult | undefined;
  declare isOpen: boolean;

  constructor() {
    super();
    this.label = "";
    this.text = "";
    this.icon = undefined;
    this.isOpen = false;
  }

  override render(): TemplateResult {
    return html`
      <button
        class="quiet"
        popovertarget="items"
        title=${this.label}
        aria-label=${this.label}
        aria-haspopup="menu"
        aria-expanded=${this.isOpen ? "true" : "false"}
        @keydown=${this.#onButtonKey}
      >
        ${this.icon ?? nothing}
        ${this.text === "" ? nothing : html`<span class="text">${this.text}</span>`}
        ${icons.down}
      </button>
      <div id="items" popover role="menu" aria-label=${this.label} @toggle=${this.#onToggle} @keydown=${this.#onKey} @click=${this.#onChoice}>
        <slot></slot>
      </div>
    `;
  }

  get #popover(): HTMLElement {
    const found = this.renderRoot.querySelector<HTMLElement>("#items");
    if (found === null) throw new Error("menu is not drawn");
    return found;
  }

  get #items(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)')];
  }

  #onToggle(event: ToggleEvent): void {
    this.isOpen = event.newState === "open";
    if (this.isOpen) this.#items[0]?.focus();
  }

  #onButtonKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    event.stopPropagation();
    this.#popover.showPopover();
  }

  #onKey(event: KeyboardEvent): void {
    const items = this.#items;
    const at = items.findIndex((item) => item === document.activeElement || item.matches(":focus"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    // The browser closes the popover on Escape; nothing behind it may act on that key as well.
    event.stopPropagation();
    if (event.key === "Tab") this.#close();
    if (event.key === "Escape") this.#closeAndReturn(event);
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  }

  /** Before the item acts: a dialog that it opens gives the focus back to where it was. */
  readonly #onChoice = {
    capture: true,
    handleEvent: (): void => {
      this.renderRoot.querySelector("button")?.focus();
      this.#close();
    },
  };

  #closeAndReturn(event: KeyboardEvent): void {
    event.preventDefault();
    this.#close();
    this.renderRoot.querySelector("button")?.focus();
  }

  #close(): void {
    if (this.isOpen) this.#popover.hidePopover();
  }
}

customElements.define("stackroom-menu", Menu);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-menu": Menu;
  }
}
