/** The start page: what this is, and every way to open an archive. Also where a failed or cancelled opening is explained. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";

import { startEngine } from "../ahead.js";
import { visible } from "../content/visible.js";
import type { Store } from "../state.js";
import { Watch } from "../watch.js";
import { words } from "../words.js";
import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

/** The sample lies beside the viewer, so it is there offline and on any host. */
export const sampleAddress = "./sample.warc.gz";

/** Phones choose files, but no folders. */
const hasFolders = "webkitdirectory" in HTMLInputElement.prototype && window.matchMedia("(pointer: fine)").matches;

export class Start extends LitElement {
  static override properties = { store: { attribute: false } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        block-size: 100%;
        overflow: auto;
        background: var(--paper-bar);
      }
      main {
        display: grid;
        gap: 1.15rem;
        inline-size: min(680px, 100%);
        margin: 0 auto;
        padding: clamp(1.2rem, 7vh, 5rem) 1.2rem 2rem;
      }
      /* What was opened before is to be seen without scrolling. */
      .returning {
        padding-block-start: clamp(1.2rem, 4vh, 2.5rem);
      }
      .returning .drop {
        padding-block: 1.1rem;
      }
      .plate {
        display: flex;
        align-items: center;
        gap: 0.9rem;
      }
      .plate svg {
        inline-size: 44px;
        block-size: 44px;
        padding: 8px;
        border-radius: 8px;
        background: var(--accent);
        color: var(--accent-ink);
      }
      h1 {
        font: 600 clamp(1.6rem, 4vw, 2.1rem) / 1.15 var(--serif);
        letter-spacing: -0.01em;
      }
      .what {
        display: grid;
        gap: 0.5rem;
        font-size: var(--text-large);
        line-height: 1.5;
      }
      .private {
        display: flex;
        gap: 0.6em;
        color: var(--ink-soft);
      }
      .private svg {
        inline-size: 18px;
        block-size: 18px;
        margin-block-start: 2px;
        color: var(--accent);
      }
      .drop {
        display: grid;
        justify-items: center;
        gap: 0.8rem;
        padding: clamp(1.6rem, 5vh, 3rem) 1rem;
        border: 1.5px dashed var(--accent-line);
        border-radius: 10px;
        background: var(--paper);
        text-align: center;
      }
      .drop > svg {
        inline-size: 34px;
        block-size: 34px;
        stroke-width: 1.2;
        color: var(--accent);
      }
      .drop p {
        font-size: var(--text-large);
      }
      .choose {
        display: flex;
        flex-wrap: wrap;
        justify-content: center;
        gap: 0.6rem;
      }
      .drop .formats {
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      .drop button {
        min-block-size: 36px;
        padding: 0 1.3em;
        font-size: 14px;
      }
      form {
        display: flex;
        gap: 0.5rem;
      }
      form input {
        flex: 1;
        min-inline-size: 0;
      }
      form input,
      form button {
        min-block-size: 36px;
      }
      .sample {
        display: flex;
        align-items: center;
        gap: 0.9rem;
        padding-block-start: 1.15rem;
        border-block-start: 1px solid var(--line);
        color: var(--ink-soft);
      }
      .sample button {
        min-block-size: 36px;
        flex: none;
      }
      .trouble {
        display: grid;
        gap: 0.45rem;
        padding: 0.9rem 1.1rem;
        border: 1px solid var(--bad);
        border-inline-start-width: 4px;
        border-radius: 6px;
        background: var(--bad-wash);
        overflow-wrap: anywhere;
      }
      .trouble h2 {
        font: 600 var(--text-large) / 1.3 var(--sans);
        color: var(--bad);
      }
      .small {
        color: var(--ink-soft);
        font: var(--text-small) / 1.45 var(--mono);
      }
      .note {
        padding: 0.6rem 1rem;
        border-inline-start: 4px solid var(--accent);
        background: var(--accent-wash);
        overflow-wrap: anywhere;
      }
      .opening {
        display: grid;
        justify-items: start;
        gap: 0.9rem;
        padding: 1.4rem;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--paper);
        font-size: var(--text-large);
        overflow-wrap: anywhere;
      }
      progress {
        inline-size: 100%;
        accent-color: var(--accent);
      }
      @media (max-width: 699px) {
        .sample {
          flex-direction: column;
          align-items: flex-start;
        }
      }
    `,
  ];
  declare store: Store;

  constructor() {
    super();
    new Watch(this, "phase", "library");
  }

  override render(): TemplateResult {
    return html`
      <main class=${(this.store.library?.entries.length ?? 0) > 0 ? "returning" : ""}>
        <div class="plate">${icons.mark}<h1>${words.startTitle}</h1></div>
        ${this.store.phase === "opening" ? this.#opening() : this.#ways()}
      </main>
    `;
  }

  #opening(): TemplateResult {
    return html`
      <div class="opening">
        <p role="status">${words.opening(visible(this.store.name, 200))}</p>
        <progress aria-label=${words.reading}></progress>
        <button @click=${() => void this.store.cancel()}>${words.cancel}</button>
      </div>
    `;
  }

  #ways(): TemplateResult {
    return html`
      <div class="what">
        <p>${words.startWhat}</p>
        <p class="private">${icons.shield}<span>${words.startPrivate}</span></p>
      </div>
      ${this.#trouble()} ${this.#note()}
      <div class="drop">
        ${icons.drop}
        <p>${words.dropHere}</p>
        <div class="choose">
          <button class="primary" @click=${this.#choose}>${words.chooseFile}</button>
          ${hasFolders ? html`<button @click=${this.#chooseFolder}>${words.chooseFolder}</button>` : nothing}
        </div>
        <p class="formats">${words.formats}</p>
      </div>
      <form @submit=${this.#onSubmit}>
        <input
          name="address"
          type="text"
          inputmode="url"
          autocomplete="off"
          spellcheck="false"
          aria-label=${words.urlLabel}
          placeholder=${words.urlPlaceholder}
          @input=${startEngine}
        />
        <button type="submit">${words.openUrl}</button>
      </form>
      ${this.store.library === undefined ? nothing : html`<stackroom-shelf .store=${this.store}></stackroom-shelf>`}
      <div class="sample">
        <button @click=${() => void this.store.openAddress(sampleAddress)}>${icons.file}${words.openSample}</button>
        <span>${words.sampleWhat}</span>
      </div>
    `;
  }

  #trouble(): TemplateResult | typeof nothing {
    const { trouble } = this.store;
    if (trouble === undefined) return nothing;
    const where = trouble.offset === undefined ? "" : ` \u00b7 ${words.factOffsetValue(String(trouble.offset))}`;
    return html`
      <section class="trouble" role="alert">
        <h2>${trouble.title}</h2>
        <p>${trouble.advice}</p>
        <p class="small">${visible(trouble.message, 400)}<br />${trouble.code}${where}</p>
      </section>
    `;
  }

  #note(): TemplateResult | typeof nothing {
    const { note } = this.store;
    return note === undefined ? nothing : html`<p class="note" role="status">${visible(note, 300)}</p>`;
  }

  #choose(): void {
    startEngine();
    this.dispatchEvent(new Event("stackroom-choose", { bubbles: true, composed: true }));
  }

  #chooseFolder(): void {
    startEngine();
    this.dispatchEvent(new Event("stackroom-choose-folder", { bubbles: true, composed: true }));
  }

  #onSubmit(event: SubmitEvent): void {
    // The policy of the page forbids real submissions; this one never leaves.
    event.preventDefault();
    const input = this.renderRoot.querySelector<HTMLInputElement>('input[name="address"]');
    if (input !== null && input.value.trim() !== "") void this.store.openAddress(input.value);
  }
}

customElements.define("stackroom-start", Start);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-start": Start;
  }
}
