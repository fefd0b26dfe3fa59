/**
 * The frame of the viewer: bar, list, divider, detail, problems, status; what is shown when, and the keys that act everywhere.
 * Owns opening by drop and by picker, because both belong to the window and not to a pane.
 */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";

import { startEngine } from "../ahead.js";
import { visible } from "../content/visible.js";
import { chosenFiles, droppedFiles } from "../drop.js";
import { arrived } from "../parts.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import "./bar.js";
import "./detail.js";
import "./records.js";
import { shareMiddle } from "./splitter.js";
import "./start.js";
import "./status.js";
import { base } from "./styles.js";

/** What browsers let the picker offer; wrong names can still be chosen by "all files". */
const accepted = ".warc,.gz,.zst,.arc,.wacz,.har,.wbn,.cdx,.cdxj,.zip,.tar,.json,application/warc,application/gzip";

const single = window.matchMedia("(max-width: 699px)");
const flat = window.matchMedia("(max-width: 899px)");

const hasReplay = (): boolean => customElements.get("stackroom-replay") !== undefined;

export class App extends LitElement {
  static override properties = {
    store: { attribute: false },
    share: { state: true },
    isDragging: { state: true },
    isPanelOpen: { state: true },
    isWide: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template: auto minmax(0, 1fr) auto auto / minmax(0, 1fr);
        block-size: 100vh;
        block-size: 100dvh;
        overflow: hidden;
      }
      .panes {
        display: grid;
        min-block-size: 0;
        min-inline-size: 0;
        overflow: hidden;
      }
      .panes > * {
        min-inline-size: 0;
        min-block-size: 0;
        overflow: hidden;
      }
      .panes > stackroom-splitter {
        overflow: visible;
      }
      input[type="file"] {
        display: none;
      }
      .overlay {
        position: fixed;
        inset: 0;
        z-index: 10;
        display: grid;
        place-content: center;
        justify-items: center;
        gap: 6px;
        margin: 10px;
        border: 2px dashed var(--accent);
        border-radius: 14px;
        background: color-mix(in srgb, var(--paper) 88%, transparent);
        pointer-events: none;
      }
      .overlay svg {
        inline-size: 52px;
        block-size: 52px;
        fill: none;
        stroke: var(--accent);
        stroke-width: 1.3;
        stroke-linecap: round;
        stroke-linejoin: round;
      }
      .overlay p:first-of-type {
        font: 600 24px/1.3 var(--serif);
      }
      .overlay p:last-of-type {
        color: var(--ink-soft);
      }
    `,
  ];
  declare store: Store;
  declare share: number;
  declare isDragging: boolean;
  declare isPanelOpen: boolean;
  /** An archived page has the room of the list, too. */
  declare isWide: boolean;
  readonly #off = new AbortController();

  constructor() {
    super();
    this.share = shareMiddle;
    this.isDragging = false;
    this.isPanelOpen = false;
    this.isWide = false;
    new Watch(this, "phase", "record");
  }

  override firstUpdated(): void {
    const { signal } = this.#off;
    const redraw = (): void => this.requestUpdate();
    single.addEventListener("change", redraw, { signal });
    flat.addEventListener("change", redraw, { signal });
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    window.addEventListener("dragenter", (event) => this.#onDrag(event), { signal });
    window.addEventListener("dragover", (event) => this.#onDrag(event), { signal });
    window.addEventListener("dragleave", (event) => this.#onLeave(event), { signal });
    window.addEventListener("drop", (event) => this.#onDrop(event), { signal });
  }

  override willUpdate(_changes: PropertyValues): void {
    if (this.store.phase !== "open") this.isPanelOpen = false;
    // What few ask for at once is fetched when they do.
    if (this.store.replaying !== undefined && !hasReplay()) void this.#fetchReplay();
  }

  async #fetchReplay(): Promise<void> {
    const view = await arrived(this.store, import("../replay/view.js"));
    if (view === undefined) this.store.replay(undefined);
    else this.requestUpdate();
  }

  #wasOpen = false;

  override updated(_changes: PropertyValues): void {
    const isOpen = this.store.phase === "open";
    // An archive that was just opened is ready for the keyboard.
    if (isOpen && !this.#wasOpen) this.#focusList();
    this.#wasOpen = isOpen;
    document.title = isOpen ? `${visible(this.store.name, 120)} - ${words.brand}` : words.brand;
  }

  override render(): TemplateResult {
    const { store } = this;
    return html`
      <stackroom-bar
        .store=${store}
        @stackroom-choose=${this.#choose}
        @stackroom-choose-folder=${this.#chooseFolder}
        @stackroom-help=${this.#help}
        @stackroom-about=${this.#about}
        @stackroom-list=${this.#focusList}
      ></stackroom-bar>
      ${store.phase === "open" ? this.#panes() : html`<stackroom-start .store=${store} @stackroom-choose=${this.#choose} @stackroom-choose-folder=${this.#chooseFolder}></stackroom-start>`}
      ${this.isPanelOpen
        ? html`<stackroom-problems .store=${store} @stackroom-problems=${this.#togglePanel}></stackroom-problems>`
        : html`<span></span>`}
      <stackroom-status .store=${store} ?isPanelOpen=${this.isPanelOpen} @stackroom-problems=${this.#togglePanel}></stackroom-status>
      <stackroom-help></stackroom-help>
      <stackroom-about .store=${store}></stackroom-about>
      <input type="file" id="files" multiple accept=${accepted} aria-hidden="true" tabindex="-1" @change=${this.#onChosen} />
      <input type="file" id="folder" webkitdirectory aria-hidden="true" tabindex="-1" @change=${this.#onChosen} />
      ${this.isDragging
        ? html`<div class="overlay">${icons.drop}<p>${words.dropOverlay}</p><p>${words.dropOverlayHint}</p></div>`
        : nothing}
    `;
  }

  #panes(): TemplateResult {
    const { store, share } = this;
    const isReplay = store.replaying !== undefined;
    const hasDetail = isReplay || store.record !== undefined;
    const isAlone = single.matches || (isReplay && this.isWide);
    const isSplit = hasDetail && !isAlone;
    const tracks = `minmax(0, ${share}fr) 1px minmax(0, ${100 - share}fr)`;
    const layout = !isSplit ? "" : flat.matches ? `grid-template-rows: ${tracks}` : `grid-template-columns: ${tracks}`;
    return html`
      <main
        class="panes"
        style=${layout}
        @stackroom-split=${this.#onSplit}
        @stackroom-chosen=${this.#onRecordChosen}
        @stackroom-close-record=${this.#closeRecord}
        @stackroom-wide=${() => (this.isWide = !this.isWide)}
      >
        <h1 class="hidden">${visible(store.name, 200)}</h1>
        <stackroom-records .store=${store} ?hidden=${hasDetail && isAlone}></stackroom-records>
        ${isSplit ? html`<stackroom-splitter .share=${share} .isFlat=${flat.matches}></stackroom-splitter>` : nothing}
        ${isReplay && hasReplay()
          ? html`<stackroom-replay .store=${store} .isWide=${this.isWide}></stackroom-replay>`
          : store.record !== undefined
            ? html`<stackroom-detail .store=${store}></stackroom-detail>`
            : nothing}
      </main>
    `;
  }

  // Focus

  #focusList(): void {
    const list = this.renderRoot.querySelector("stackroom-records");
    // At once where it stands already, so that the next key goes there.
    if (this.#wasOpen && list?.hasUpdated === true && !list.hidden) {
      list.focusList();
      return;
    }
    // After the frame: focus needs a layout, and a forced one would come on top of the frame's own.
    requestAnimationFrame(() => window.setTimeout(() => this.renderRoot.querySelector("stackroom-records")?.focusList()));
  }

  #focusDetail(): void {
    void this.updateComplete.then(async () => {
      const detail = this.renderRoot.querySelector<HTMLElement & { updateComplete: Promise<unknown>; focusTabs?(): void }>("stackroom-replay, stackroom-detail");
      await detail?.updateComplete;
      detail?.focusTabs?.();
    });
  }

  get #isInDetail(): boolean {
    return this.renderRoot.querySelector(":is(stackroom-replay, stackroom-detail):focus-within") !== null;
  }

  get #hasDetail(): boolean {
    return this.store.record !== undefined || this.store.replaying !== undefined;
  }

  /** The first time a record opens beside the list; chosen again, or alone on a small screen, it takes the focus. */
  #onRecordChosen(event: CustomEvent<{ wasOpen: boolean }>): void {
    if (event.detail.wasOpen || single.matches) this.#focusDetail();
  }

  /** One step back: from an archived page to the record that was open before it. */
  #closeRecord(): void {
    if (this.store.replaying !== undefined) this.store.replay(undefined);
    else this.store.closeRecord();
    if (this.store.record === undefined) this.#focusList();
    else this.#focusDetail();
  }

  // Keys

  #onKey(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "o") {
      event.preventDefault();
      this.#choose();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.#escape();
    else if (event.key === "F6" && this.#hasDetail) this.#switchPane(event);
    else if (!isTyping(event)) this.#onLetter(event);
  }

  #onLetter(event: KeyboardEvent): void {
    if (event.key === "/" && this.store.phase === "open") {
      event.preventDefault();
      this.renderRoot.querySelector("stackroom-bar")?.focusFilter();
    } else if (event.key === "?") {
      event.preventDefault();
      this.#help();
    }
  }

  /** One step back: the panel, then the record, then the filter. */
  #escape(): void {
    if (this.#hasDetail) this.#closeRecord();
    else if (this.isPanelOpen) this.isPanelOpen = false;
    else if (this.store.filterText !== "") this.renderRoot.querySelector("stackroom-bar")?.clearFilter();
  }

  #switchPane(event: KeyboardEvent): void {
    event.preventDefault();
    if (this.#isInDetail) this.#focusList();
    else this.#focusDetail();
  }

  #about(): void {
    void this.#show("stackroom-about");
  }

  #help(): void {
    void this.#show("stackroom-help");
  }

  /** What few ask for is fetched when they do. */
  async #show(name: "stackroom-about" | "stackroom-help"): Promise<void> {
    if ((await arrived(this.store, import("./dialogs.js"))) === undefined) return;
    const dialog = this.renderRoot.querySelector(name);
    await dialog?.updateComplete;
    dialog?.show();
  }

  #togglePanel(): void {
    // Most archives have none: the panel is fetched for the first that are looked at.
    void arrived(this.store, import("./problems.js"));
    this.isPanelOpen = !this.isPanelOpen;
  }

  #onSplit(event: CustomEvent<number>): void {
    this.share = event.detail;
  }

  // Opening files

  #choose(): void {
    this.#pick("files");
  }

  #chooseFolder(): void {
    this.#pick("folder");
  }

  /** With a library the browser's own picker is better, where there is one: it gives what opens the files again. */
  #pick(what: "files" | "folder"): void {
    const otherwise = (): void => this.renderRoot.querySelector<HTMLInputElement>(`#${what}`)?.click();
    const { library } = this.store;
    if (library === undefined) otherwise();
    else void library.pick(what, otherwise).then((files) => files && this.#open(files));
  }

  #onChosen(event: Event): void {
    const input = event.currentTarget;
    if (!(input instanceof HTMLInputElement)) return;
    const files = chosenFiles(input.files);
    // The same file can be chosen again only if the field has forgotten it.
    input.value = "";
    this.#open(files);
  }

  #open(files: Parameters<Store["openFiles"]>[0]): void {
    if (files.length > 0) void this.store.openFiles(files);
    else this.store.say(words.dropNothing);
  }

  #onDrag(event: DragEvent): void {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    if (!this.isDragging && this.store.phase === "start") startEngine();
    this.isDragging = true;
  }

  #onLeave(event: DragEvent): void {
    // Leaving for another element of the page is not leaving the window.
    if (event.relatedTarget === null) this.isDragging = false;
  }

  #onDrop(event: DragEvent): void {
    this.isDragging = false;
    const data = event.dataTransfer;
    if (data?.types.includes("Files") !== true) return;
    event.preventDefault();
    void droppedFiles(data).then((files) => this.#open(files));
  }
}

/** Whether a key belongs to a field that is being filled in. */
function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

customElements.define("stackroom-app", App);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-app": App;
  }
}
