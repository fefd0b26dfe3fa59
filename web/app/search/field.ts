/**
 * What the field in the bar has below it: completions, searches that were made or kept, and what is wrong with a query.
 * A combobox: the keyboard stays in the field, and goes through the list from there.
 */
import { html, nothing, render, type TemplateResult } from "lit";

import { visible } from "../content/visible.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import type { SearchBar } from "./bar.js";
import { completionsOf, type Completion } from "./completions.js";
import { popup } from "./fieldstyles.js";
import { forget, recent, remember, starred } from "./remembered.js";
import { isAddress } from "./terms.js";
import { words } from "./words.js";

interface Entry extends Completion {
  readonly kind: "completion" | "recent" | "starred";
}

const pauseMs = 90;
const recentShown = 6;
const starredShown = 12;

export class Field {
  readonly input: HTMLInputElement;
  readonly #bar: SearchBar;
  readonly #store: Store;
  readonly #box = document.createElement("div");
  #entries: readonly Entry[] = [];
  #active = -1;
  #isOpen = false;
  #timer = 0;
  #asked = 0;
  /** How much there was of what is listed. */
  #listed = "";

  constructor(input: HTMLInputElement, bar: SearchBar, store: Store) {
    this.input = input;
    this.#bar = bar;
    this.#store = store;
    const facts = { role: "combobox", "aria-autocomplete": "list", "aria-controls": "suggestions", "aria-expanded": "false", "aria-label": words.label, dir: "auto", placeholder: words.placeholder };
    for (const [name, value] of Object.entries(facts)) input.setAttribute(name, value);
    const root = input.getRootNode();
    if (root instanceof ShadowRoot && popup.styleSheet !== undefined) root.adoptedStyleSheets = [...root.adoptedStyleSheets, popup.styleSheet];
    this.#box.className = "suggest";
    input.parentElement?.append(this.#box);
    // Before the field's own keys.
    input.parentElement?.addEventListener("keydown", (event) => this.#onKey(event), { capture: true });
    input.addEventListener("input", () => this.#soon());
    input.addEventListener("focus", () => this.#soon());
    input.addEventListener("click", () => this.#soon());
    input.addEventListener("blur", () => this.#close());
    // A press on the list leaves the keyboard in the field.
    this.#box.addEventListener("mousedown", (event) => event.preventDefault());
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  /** What was found, or what is wrong, may be something else now. */
  changed(): void {
    const { rows } = this.#store;
    const listed = String(rows?.count);
    if (this.#isOpen && listed !== this.#listed && isAddress(this.input.value)) void this.#complete();
    this.#listed = listed;
    this.#draw();
  }

  #soon(): void {
    window.clearTimeout(this.#timer);
    this.#active = -1;
    this.#isOpen = true;
    this.#timer = window.setTimeout(() => void this.#complete(), pauseMs);
    this.#draw();
  }

  async #complete(): Promise<void> {
    const asked = (this.#asked += 1);
    const text = this.input.value;
    const place = this.input.selectionStart ?? text.length;
    const entries = text.trim() === "" ? remembered() : (await completionsOf(text, place, this.#store, this.#store.library?.index)).map((one) => ({ ...one, kind: "completion" as const }));
    if (asked !== this.#asked || text !== this.input.value) return;
    this.#entries = entries;
    this.#active = -1;
    this.#draw();
  }

  #close(): void {
    window.clearTimeout(this.#timer);
    this.#asked += 1;
    this.#isOpen = false;
    this.#entries = [];
    this.#active = -1;
    this.#draw();
  }

  // What is seen

  #draw(): void {
    const entries = this.#isOpen ? this.#entries : [];
    const { input } = this;
    const { wrong } = this.#bar.search;
    input.setAttribute("aria-expanded", entries.length > 0 ? "true" : "false");
    if (this.#active >= 0) input.setAttribute("aria-activedescendant", `suggestion-${this.#active}`);
    else input.removeAttribute("aria-activedescendant");
    // Somebody who is choosing the value of a column has made no mistake yet.
    const isUnfinished = entries.length > 0 && input.value.endsWith(":");
    if (wrong?.offset === undefined || isUnfinished) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    const text = input.value.trim();
    const isOfUrls = this.#isOpen && text !== "" && !isAddress(text) && this.#store.library?.index === undefined;
    render(
      html`
        ${wrong?.offset === undefined || isUnfinished ? nothing : this.#wrong(wrong.message, wrong.offset)}
        ${isOfUrls ? html`<p class="said" role="status">${words.onlyUrls}</p>` : nothing}
        <div id="suggestions" role="listbox" aria-label=${words.suggestions} ?hidden=${entries.length === 0}>${entries.map((entry, at) => this.#entry(entry, at, entries))}</div>
      `,
      this.#box,
    );
  }

  /** Under the letter where it is. */
  #wrong(message: string, offset: number): TemplateResult {
    const { input } = this;
    // The engine counts letters, the field counts units.
    const text = input.value.trimStart();
    const before = input.value.length - text.length;
    const shown = [...text].slice(0, offset).join("");
    const style = getComputedStyle(input);
    const at = Number.parseFloat(style.paddingInlineStart) + width(input.value.slice(0, before) + shown, style.font) - input.scrollLeft;
    const within = Math.max(4, Math.min(at, input.clientWidth - 8));
    return html`<p class="wrong" role="alert"><i style="inset-inline-start: ${within}px"></i>${words.wrong(visible(message.replace(/^[\d:]+ /, ""), 400))}</p>`;
  }

  #entry({ kind, label, detail, text }: Entry, at: number, entries: readonly Entry[]): TemplateResult {
    const isFirst = kind !== "completion" && entries[at - 1]?.kind !== kind;
    const isActive = at === this.#active;
    return html`
      ${isFirst ? html`<div class="group" role="presentation">${kind === "recent" ? words.recent : words.savedSearches}</div>` : nothing}
      <div id="suggestion-${at}" role="option" aria-selected=${isActive ? "true" : "false"} class=${isActive ? "active" : ""} @click=${() => this.#take(at)}>
        <span dir="auto">${label}</span>${detail === "" ? nothing : html`<small>${detail}</small>`}
        ${kind === "completion" ? nothing : html`<b title=${words.forget(text)} aria-hidden="true" @click=${(event: Event) => this.#forget(event, text)}>${icons.close}</b>`}
      </div>
    `;
  }

  // What is done

  #take(at: number): void {
    const entry = this.#entries[at];
    if (entry === undefined) return;
    this.input.value = entry.text;
    this.input.setSelectionRange(entry.place, entry.place);
    if (entry.kind === "completion") {
      // The field's own waits, searches, and shows how it may go on.
      this.input.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      this.#commit();
    }
  }

  #forget(event: Event, query: string): void {
    event.stopPropagation();
    forget(query);
    void this.#complete();
  }

  /** Searches at once, and goes to what is found; a URL is opened where the archive has it. */
  #commit(): void {
    const text = this.input.value;
    const store = this.#store;
    const index = store.library?.index;
    this.#close();
    store.filter(text);
    if (isAddress(text)) {
      remember(text.trim());
      void this.#openAddress(text.trim());
    } else if (index !== undefined && text.trim() !== "") {
      this.#bar.settle();
      store.choose("hits");
      this.#bar.isListWanted = true;
      store.libraryChanged();
    } else {
      this.#toList();
    }
  }

  async #openAddress(text: string): Promise<void> {
    // The keys after Enter are for the list, whatever the archive takes to say whether it has the address.
    this.#toList();
    const { archive } = this.#store;
    const url = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
    const row = text.startsWith("/") ? undefined : await archive?.nearest(url).catch(() => undefined);
    if (archive !== this.#store.archive || this.input.value.trim() !== text) return;
    if (row !== undefined) this.#store.openRecord(row);
  }

  #toList(): void {
    this.input.dispatchEvent(new Event("stackroom-list", { bubbles: true, composed: true }));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.input || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const count = this.#isOpen ? this.#entries.length : 0;
    const { key } = event;
    const entry = this.#entries[this.#active];
    if ((key === "ArrowDown" || key === "ArrowUp") && count > 0) this.#go(key === "ArrowDown" ? 1 : -1, count);
    else if (key === "Enter" && entry !== undefined) this.#take(this.#active);
    else if (key === "Tab" && entry !== undefined && !event.shiftKey) this.#take(this.#active);
    else if (key === "Delete" && entry !== undefined && entry.kind !== "completion") this.#forget(event, entry.text);
    else if (key === "Escape" && count > 0) this.#close();
    else if (key === "Enter" || (key === "ArrowDown" && this.#bar.isOn)) this.#commit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Through the list and back to what was typed. */
  #go(step: number, count: number): void {
    this.#active = ((this.#active + 1 + step + count + 1) % (count + 1)) - 1;
    this.#draw();
    this.#box.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }
}

const whole = (kind: Entry["kind"]) => (text: string): Entry => ({ kind, label: visible(text, 200), detail: "", text, place: text.length });

function remembered(): Entry[] {
  const kept = starred();
  return [...kept.slice(0, starredShown).map(whole("starred")), ...recent().filter((one) => !kept.includes(one)).slice(0, recentShown).map(whole("recent"))];
}

/** In pixels, as the field draws it. */
function width(text: string, font: string): number {
  const context = document.createElement("canvas").getContext("2d");
  if (context === null) return 0;
  context.font = font;
  return context.measureText(text).width;
}
