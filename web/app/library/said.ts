/** What the open record says: its title, its text, and its links, which lead to captures of the same archive. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { DocumentLink, KeptDocument, LinkKind, SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import { piecesOf, type Pieces } from "../search/marks.js";
import { words as searching } from "../search/words.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
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
    mark: { state: true },
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
      mark {
        border-radius: 2px;
        background: var(--warn-wash);
        color: var(--ink);
        box-shadow: 0 0 0 1px var(--warn);
      }
      mark.here {
        background: var(--accent);
        color: var(--accent-ink);
        box-shadow: 0 0 0 1px var(--accent);
      }
      .marks {
        position: sticky;
        z-index: 1;
        inset-block-start: -12px;
        display: flex;
        align-items: center;
        gap: 4px;
        margin: -12px -12px 8px;
        padding: 3px 12px;
        border-block-end: 1px solid var(--line-soft);
        background: var(--paper);
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .marks .up {
        rotate: 180deg;
      }
      @media (forced-colors: active) {
        mark {
          background: Mark;
          color: MarkText;
        }
        mark.here {
          forced-color-adjust: none;
          background: Highlight;
          color: HighlightText;
        }
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
  /** Which of the marks one is at. */
  declare mark: number;
  /** The hit that was opened, and its text between marks and in them. */
  #opened: object | undefined;
  #pieces: Pieces | undefined;
  #isMarkDue = false;
  #keys: AbortController | undefined;
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
    this.mark = 0;
    this.#opened = undefined;
    this.#pieces = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#keys = new AbortController();
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal: this.#keys.signal });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#keys?.abort();
  }

  override willUpdate(): void {
    const { library } = this.store;
    const said = library?.saidBy(this.record.row);
    if (said !== this.#said) {
      this.#said = said;
      this.#start();
      if (said !== undefined && library?.index !== undefined) void this.#read(library.index, said);
    }
    this.#findMarks();
  }

  /** In the text of the hit that was opened its words are marked, and the first of them is gone to. */
  #findMarks(): void {
    const opened = this.store.library?.searchBar.opened;
    const isOfThis = opened !== undefined && opened.hit.record.row === this.record.row.row;
    if (!isOfThis || this.text === undefined) {
      this.#pieces = isOfThis ? this.#pieces : undefined;
      return;
    }
    if (opened === this.#opened) return;
    this.#opened = opened;
    const { pattern } = opened;
    // Far into a long text, the marks are counted from its beginning all the same.
    const first = pattern === undefined ? -1 : this.text.search(pattern);
    this.letters = Math.max(this.letters, first + lettersAtOnce);
    this.#pieces = pattern && piecesOf(this.text, pattern);
    this.mark = 0;
    this.#isMarkDue = (this.#pieces?.length ?? 0) > 1;
  }

  get #marks(): number {
    return ((this.#pieces?.length ?? 1) - 1) / 2;
  }

  override updated(): void {
    if (!this.#isMarkDue) return;
    this.#isMarkDue = false;
    this.renderRoot.querySelector("mark.here")?.scrollIntoView({ block: "center" });
  }

  #goTo(step: number): void {
    const count = this.#marks;
    if (count === 0) return;
    this.mark = (this.mark + step + count) % count;
    const before = this.#pieces?.slice(0, 2 * this.mark + 2).join("").length ?? 0;
    if (before > this.letters) this.letters = before + lettersAtOnce;
    this.#isMarkDue = true;
  }

  #onKey(event: KeyboardEvent): void {
    const isStep = event.key === "F3" || event.key.toLowerCase() === "n";
    const [target] = event.composedPath();
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
    if (!isStep || (isTyping && event.key !== "F3") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || this.#marks === 0) return;
    event.preventDefault();
    this.#goTo(event.shiftKey ? -1 : 1);
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
      ${this.#ofMarks()}
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
      <p class="text">${this.#pieces === undefined ? linesOf(text.slice(0, this.letters)) : this.#marked(this.#pieces)}</p>
      ${text.length > this.letters ? html`<button @click=${() => (this.letters += lettersAtOnce)}>${words.moreText}</button>` : nothing}
    `;
  }

  #marked(pieces: Pieces): (TemplateResult | string)[] {
    const shown: (TemplateResult | string)[] = [];
    let left = this.letters;
    for (const [at, piece] of pieces.entries()) {
      if (left <= 0) break;
      const text = linesOf(piece.slice(0, left));
      left -= piece.length;
      shown.push(at % 2 === 0 ? text : html`<mark class=${(at - 1) / 2 === this.mark ? "here" : ""}>${text}</mark>`);
    }
    return shown;
  }

  #ofMarks(): TemplateResult | typeof nothing {
    const count = this.#marks;
    if (count === 0) return nothing;
    return html`
      <div class="marks" role="group" aria-label=${searching.marks}>
        <span role="status">${searching.markOf(formatCount(this.mark + 1), formatCount(count))}</span>
        <button class="quiet icon up" title=${searching.previous} aria-label=${searching.previous} @click=${() => this.#goTo(-1)}>${icons.down}</button>
        <button class="quiet icon" title=${searching.next} aria-label=${searching.next} @click=${() => this.#goTo(1)}>${icons.down}</button>
      </div>
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

/** With nothing hidden in it. */
const linesOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => visible(line, Infinity))
    .join("\n");

customElements.define("stackroom-said", Said);
