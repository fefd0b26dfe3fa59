/** The top bar: mark, filter field (the place of search later), name of the archive, open button, menu. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";

import { visible } from "../content/visible.js";
import { control } from "../control.js";
import { formatBytes } from "../format.js";
import type { Store } from "../state.js";
import { readTheme, setTheme, themes, type Theme } from "../theme.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import "./menu.js";
import { base, controls } from "./styles.js";

const filterDelayMs = 120;

const themeNames: Readonly<Record<Theme, string>> = {
  system: words.themeSystem,
  light: words.themeLight,
  dark: words.themeDark,
};

export class Bar extends LitElement {
  static override properties = { store: { attribute: false }, theme: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
      }
      header {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto auto;
        align-items: center;
        gap: 0.6rem;
        block-size: var(--bar-height);
        padding: 0 0.7rem;
        border-block-end: 1px solid var(--line);
        background: var(--paper-bar);
      }
      .brand {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        font: 600 17px/1 var(--serif);
        letter-spacing: -0.005em;
      }
      .brand svg {
        inline-size: 22px;
        block-size: 22px;
        color: var(--accent);
      }
      .field {
        position: relative;
        justify-self: center;
        inline-size: min(720px, 100%);
      }
      .field > svg {
        position: absolute;
        inset-block-start: 8px;
        inset-inline-start: 9px;
        color: var(--ink-faint);
        pointer-events: none;
      }
      input {
        inline-size: 100%;
        min-block-size: 32px;
        padding-inline: 32px 40px;
      }
      input:disabled {
        opacity: 0.6;
      }
      .field button,
      .field kbd {
        position: absolute;
        inset-block-start: 4px;
        inset-inline-end: 5px;
      }
      .field kbd {
        inset-block-start: 6px;
        color: var(--ink-faint);
        pointer-events: none;
      }
      .field button {
        min-block-size: 24px;
        min-inline-size: 24px;
      }
      .field input:focus ~ kbd {
        display: none;
      }
      .archive {
        max-inline-size: 260px;
      }
      .right {
        display: flex;
        gap: 0.3rem;
      }
      .group {
        padding: 6px 10px 2px;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      hr {
        margin: 4px 0;
        border: 0;
        border-block-start: 1px solid var(--line);
      }
      @media (max-width: 899px) {
        .archive {
          max-inline-size: 150px;
        }
        .open-text {
          display: none;
        }
      }
      @media (max-width: 699px) {
        .brand-text,
        .field kbd,
        .archive {
          display: none;
        }
        header {
          gap: 0.3rem;
          padding: 0 0.4rem;
        }
      }
    `,
  ];
  declare store: Store;
  declare theme: Theme;
  #timer = 0;
  #shown = "";

  constructor() {
    super();
    this.theme = readTheme();
    new Watch(this, "phase", "rows", "library");
  }

  override updated(_changes: PropertyValues): void {
    this.store.library?.dress(this.input);
    // The store is right after an archive was replaced; the field is right while the user types.
    if (this.#shown === this.store.filterText) return;
    this.#shown = this.store.filterText;
    if (this.#timer === 0 && this.input !== null) this.input.value = this.#shown;
    this.requestUpdate();
  }

  get input(): HTMLInputElement | null {
    return this.renderRoot.querySelector("input");
  }

  focusFilter(): void {
    this.input?.focus();
    this.input?.select();
  }

  clearFilter(): void {
    if (this.input !== null) this.input.value = "";
    this.#apply();
  }

  override render(): TemplateResult {
    const isOpen = this.store.phase === "open";
    return html`
      <header>
        <div class="brand">${icons.mark}<span class="brand-text">${words.brand}</span></div>
        ${isOpen ? this.#field() : html`<span></span>`} ${isOpen ? this.#archive() : html`<span></span>`}
        <div class="right">
          ${isOpen
            ? html`<button class="quiet" title=${words.openAnother} aria-label=${words.openAnother} @click=${this.#choose}>
                ${icons.open}<span class="open-text">${words.open}</span>
              </button>`
            : nothing}
          ${this.#menu()}
        </div>
      </header>
    `;
  }

  #field(): TemplateResult {
    const hasText = (this.input?.value ?? "") !== "";
    return html`
      <div class="field" role="search">
        ${icons.search}
        <input
          type="text"
          inputmode="url"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          maxlength="4096"
          aria-label=${words.filterLabel}
          placeholder=${words.filterPlaceholder}
          @input=${this.#onInput}
          @keydown=${this.#onKey}
        />
        ${hasText
          ? html`<button class="quiet icon" title=${words.clearFilter} aria-label=${words.clearFilter} @click=${this.#onClear}>${icons.close}</button>`
          : html`<kbd aria-hidden="true">/</kbd>`}
      </div>
    `;
  }

  #archive(): TemplateResult {
    const { name, progress, archive } = this.store;
    const format = archive === undefined ? "" : (words.formatName[archive.format] ?? archive.format);
    const size = progress?.bytesTotal ?? progress?.bytes ?? 0;
    return html`
      <stackroom-menu class="archive" label=${words.archiveMenu(visible(name, 200))} text=${visible(name, 200)} .icon=${icons.file}>
        <div class="group">${format} \u00b7 ${formatBytes(size)}</div>
        <hr />
        <button role="menuitem" @click=${() => this.#send("stackroom-about")}>${words.aboutArchive}</button>
        <button role="menuitem" @click=${() => void this.store.close()}>${words.closeArchive}</button>
      </stackroom-menu>
    `;
  }

  #menu(): TemplateResult {
    return html`
      <stackroom-menu label=${words.menu} .icon=${icons.menu}>
        <button role="menuitem" @click=${this.#choose}><span>${words.openAnother}</span><kbd>${control} O</kbd></button>
        <button role="menuitem" @click=${() => this.#send("stackroom-choose-folder")}><span>${words.openFolder}</span></button>
        <button role="menuitem" @click=${() => this.#send("stackroom-help")}><span>${words.shortcuts}</span><kbd>?</kbd></button>
        ${this.store.phase === "open"
          ? html`<button role="menuitem" @click=${() => this.#send("stackroom-about")}>${words.aboutArchive}</button>
              <button role="menuitem" @click=${() => void this.store.close()}>${words.closeArchive}</button>`
          : nothing}
        ${this.store.library?.menu() ?? nothing}
        <hr />
        <div class="group" id="appearance">${words.appearance}</div>
        ${themes.map(
          (theme) => html`
            <button role="menuitemradio" aria-checked=${this.theme === theme ? "true" : "false"} @click=${() => this.#setTheme(theme)}>
              <span>${themeNames[theme]}</span>${this.theme === theme ? icons.check : nothing}
            </button>
          `,
        )}
      </stackroom-menu>
    `;
  }

  #setTheme(theme: Theme): void {
    this.theme = theme;
    setTheme(theme);
  }

  #send(name: string): void {
    this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  }

  #choose(): void {
    this.#send("stackroom-choose");
  }

  #onInput(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#apply(), filterDelayMs);
    this.requestUpdate();
  }

  #apply(): void {
    window.clearTimeout(this.#timer);
    this.#timer = 0;
    this.#shown = this.input?.value ?? "";
    this.store.filter(this.#shown);
    this.requestUpdate();
  }

  #onClear(): void {
    this.clearFilter();
    this.input?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (this.input?.value === "") this.#send("stackroom-list");
      else this.clearFilter();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      this.#apply();
      this.#send("stackroom-list");
    }
  }
}

customElements.define("stackroom-bar", Bar);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-bar": Bar;
  }
}
