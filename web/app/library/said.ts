/** What the open record says: its title, its text, and its links, which lead to captures of the same archive. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { DocumentLink, KeptDocument, LinkKind, SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { isCapture } from "./iscapture.js";
import { languageName } from "./languages.js";
import { words } from "./words.js";

/** Letters that are shown at first, and with each step more. */
const lettersAtOnce = 100_000;
const linksAtOnce = 300;
const kinds: readonly LinkKind[] = ["anchor", "media", "frame", "script", "style", "form", "other"];

export class Said extends LitElement {
  static override properties = {
    store: { attribute: false },
    record: { attribute: false },
    text: { state: true },
    links: { state: true },
    hasFailed: { state: true },
    letters: { state: true },
    linksShown: { state: true },
    kind: { state: true },
  };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: block;
        overflow: auto;
        padding: 12px;
        background: var(--paper);
      }
      h3 {
        margin: 0 0 2px;
        font: 600 var(--text-large) / 1.3 var(--serif);
        overflow-wrap: anywhere;
        unicode-bidi: isolate;
      }
      .about {
        margin: 0 0 10px;
        color: var(--ink-soft);
        font-size: var(--text-small);
        overflow-wrap: anywhere;
      }
      .text {
        max-inline-size: 75ch;
        margin: 0 0 14px;
        font: var(--text) / 1.5 var(--sans);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        unicode-bidi: plaintext;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
        align-items: center;
        margin-block: 8px 4px;
      }
      h4 {
        margin: 0;
        font: 600 var(--text) / 1.4 var(--sans);
      }
      select {
        min-block-size: 26px;
        font-size: var(--text-small);
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        gap: 8px;
        align-items: baseline;
        border-block-end: 1px solid var(--line-soft);
      }
      li button {
        justify-content: start;
        flex: 1;
        min-inline-size: 0;
        min-block-size: 26px;
        padding: 2px 0;
        border: 0;
        background: none;
        text-align: start;
        overflow-wrap: anywhere;
      }
      li span {
        flex: none;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;
  declare text: string | undefined;
  declare links: readonly DocumentLink[] | undefined;
  declare hasFailed: boolean;
  declare letters: number;
  declare linksShown: number;
  /** Of all kinds where it is empty. */
  declare kind: string;
  #said: KeptDocument | undefined;

  constructor() {
    super();
    this.hasFailed = false;
    this.kind = "";
    this.#start();
    new Watch(this, "library");
  }

  #start(): void {
    this.text = undefined;
    this.links = undefined;
    this.hasFailed = false;
    this.letters = lettersAtOnce;
    this.linksShown = linksAtOnce;
  }

  override willUpdate(): void {
    const { library } = this.store;
    const said = library?.saidBy(this.record.row);
    if (said === this.#said) return;
    this.#said = said;
    this.#start();
    if (said !== undefined && library?.index !== undefined) void this.#read(library.index, said);
  }

  async #read(index: SharedIndex, said: KeptDocument): Promise<void> {
    const { row } = said.record;
    try {
      const text = await index.text(row);
      if (said === this.#said) this.text = text;
      const links = await index.links(row);
      if (said === this.#said) this.links = links;
    } catch {
      if (said === this.#said) this.hasFailed = true;
    }
  }

  override render(): TemplateResult | typeof nothing {
    const document = this.#said?.document;
    if (document === undefined) return nothing;
    const about = [
      words.documentKinds[document.kind],
      document.language === undefined ? "" : languageName(document.language),
      document.isFragment ? words.fragment : "",
      document.isPartial ? words.partialDocument : "",
      document.isCut ? words.cutDocument : "",
    ];
    return html`
      <h3 dir="auto">${visible(document.title ?? "", 1000) || words.untitled}</h3>
      <p class="about">${about.filter((one) => one !== "").join(" \u00b7 ")}</p>
      ${document.description === undefined ? nothing : html`<p class="about" dir="auto">${visible(document.description, 2000)}</p>`}
      ${this.hasFailed ? html`<p class="message" role="alert">${words.browseFailed}</p>` : nothing}
      ${this.#textOf(document.isTextKept, document.textBytes)} ${document.redirect === undefined ? nothing : this.#redirect(document.redirect)} ${this.#linksOf()}
    `;
  }

  #textOf(isKept: boolean, bytes: number): TemplateResult | typeof nothing {
    const { text } = this;
    if (!isKept) return html`<p class="message">${words.textNotKept(formatBytes(bytes))}</p>`;
    if (text === undefined || text === "") return bytes === 0 ? html`<p class="about">${words.noText}</p>` : nothing;
    return html`
      <p class="text">${text.slice(0, this.letters).split("\n").map((line) => `${visible(line, Infinity)}\n`).join("")}</p>
      ${text.length > this.letters ? html`<button @click=${() => (this.letters += lettersAtOnce)}>${words.moreText}</button>` : nothing}
    `;
  }

  #redirect(url: string): TemplateResult {
    return html`<div class="head"><h4>${words.leadsTo}</h4></div><ul>${this.#link({ kind: "other", url }, "")}</ul>`;
  }

  #linksOf(): TemplateResult | typeof nothing {
    const { links } = this;
    if (links === undefined || links.length === 0) return nothing;
    const present = kinds.filter((kind) => links.some((link) => link.kind === kind));
    const wanted = this.kind !== "" && present.some((kind) => kind === this.kind) ? this.kind : "";
    const some = wanted === "" ? links : links.filter(({ kind }) => kind === wanted);
    return html`
      <div class="head">
        <h4>${words.links(formatCount(some.length))}</h4>
        <select aria-label=${words.linkKind} @change=${(event: Event) => (this.kind = event.target instanceof HTMLSelectElement ? event.target.value : "")}>
          <option value="" ?selected=${wanted === ""}>${words.allLinks}</option>
          ${present.map((kind) => html`<option value=${kind} ?selected=${kind === wanted}>${words.linkKinds[kind]}</option>`)}
        </select>
      </div>
      <ul aria-label=${words.linksOfPage}>
        ${some.slice(0, this.linksShown).map((link) => this.#link(link, words.linkKinds[link.kind]))}
      </ul>
      ${some.length > this.linksShown ? html`<button @click=${() => (this.linksShown += linksAtOnce)}>${words.moreLinks(formatCount(some.length - this.linksShown))}</button>` : nothing}
    `;
  }

  #link(link: DocumentLink, kind: string): TemplateResult {
    return html`<li><button dir="ltr" title=${words.openCapture} @click=${() => void this.#follow(link.url)}>${visible(link.url, 2000)}</button><span>${kind}</span></li>`;
  }

  /** Opens what the archive has of a URL, captured nearest to the record that links there. */
  async #follow(url: string): Promise<void> {
    const { archive, library } = this.store;
    const index = library?.index;
    if (archive === undefined || index === undefined) return;
    const { captured = 0 } = this.record.row;
    try {
      const [key = ""] = await archive.urlKeys([url]);
      const { rows } = await index.captures(key, { count: 500 });
      const away = (time = 0): number => Math.abs(time - captured);
      const [nearest] = rows.filter(isCapture).sort((a, b) => away(a.captured) - away(b.captured));
      if (nearest === undefined) this.store.say(words.notCaptured(visible(url, 200)));
      else this.store.openRecord(nearest);
    } catch {
      this.store.say(words.browseFailed);
    }
  }
}

customElements.define("stackroom-said", Said);
