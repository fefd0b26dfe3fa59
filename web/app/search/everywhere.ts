/** One search over all archives of the library: each in turn, with its best hits; opening one opens its archive there. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { ArchiveError } from "stackroom";
import type { Hit, KeptArchive, SearchFound } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCaptured, formatCount } from "../format.js";
import { nameOf } from "../library/remove.js";
import type { Store } from "../state.js";
import { base, controls } from "../views/styles.js";
import { marked } from "./marked.js";
import { withPhrases } from "./phrases.js";
import { remember } from "./remembered.js";
import { words } from "./words.js";

const hitsEach = 4;

interface Answer {
  readonly entry: KeptArchive;
  readonly found?: SearchFound | undefined;
  readonly why?: string | undefined;
}

export class Everywhere extends LitElement {
  static override properties = { store: { attribute: false }, answers: { state: true }, query: { state: true }, done: { state: true }, wrong: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: grid;
        gap: 8px;
      }
      form {
        display: flex;
        gap: 0.5rem;
      }
      input {
        flex: 1;
        min-inline-size: 0;
        min-block-size: 36px;
      }
      form button {
        min-block-size: 36px;
      }
      .how,
      .where {
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      .wrong {
        padding: 6px 12px;
        border-inline-start: 3px solid var(--bad);
        background: var(--bad-wash);
        overflow-wrap: anywhere;
      }
      section {
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--paper);
        overflow: clip;
      }
      h3 {
        display: flex;
        justify-content: space-between;
        gap: 1rem;
        margin: 0;
        padding: 7px 14px;
        border-block-end: 1px solid var(--line-soft);
        background: var(--paper-code);
        font: 600 var(--text) / 1.4 var(--sans);
        overflow-wrap: anywhere;
      }
      h3 small {
        flex: none;
        color: var(--ink-soft);
        font-weight: 400;
        font-size: var(--text-small);
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li + li {
        border-block-start: 1px solid var(--line-soft);
      }
      li button {
        display: grid;
        justify-items: start;
        gap: 1px;
        inline-size: 100%;
        padding: 6px 14px;
        border: 0;
        border-radius: 0;
        background: none;
        line-height: 1.4;
        text-align: start;
        white-space: normal;
      }
      li button:focus-visible {
        outline-offset: -3px;
      }
      li span {
        max-inline-size: 100%;
        overflow-wrap: anywhere;
        unicode-bidi: isolate;
      }
      .title {
        font-size: var(--text);
      }
      .more {
        margin: 6px 14px 8px;
        font-size: var(--text-small);
      }
      section p {
        padding: 7px 14px;
      }
      mark {
        border-radius: 2px;
        background: var(--warn-wash);
        color: var(--ink);
        font-weight: 600;
      }
    `,
  ];
  declare store: Store;
  declare answers: readonly Answer[];
  declare query: string;
  declare done: number;
  declare wrong: string;
  #asked = 0;

  constructor() {
    super();
    this.#forget();
  }

  #forget(): void {
    this.#asked += 1;
    this.answers = [];
    this.query = "";
    this.done = 0;
    this.wrong = "";
  }

  override updated(): void {
    const bar = this.store.library?.searchBar;
    if (bar !== undefined) bar.focusEverywhere = () => this.renderRoot.querySelector("input")?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#asked += 1;
    const bar = this.store.library?.searchBar;
    if (bar !== undefined) bar.focusEverywhere = undefined;
  }

  get #entries(): readonly KeptArchive[] {
    return this.store.library?.entries.filter(({ state }) => state === "ready") ?? [];
  }

  override render(): TemplateResult {
    const { query, done } = this;
    const all = this.#entries.length;
    const shown = this.answers.filter(({ found, why }) => why !== undefined || (found?.total ?? 0) > 0 || (found?.unread ?? 0) > 0 || lacks(found));
    return html`
      <form role="search" @submit=${this.#onSubmit}>
        <input type="text" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="4096" aria-label=${words.everywhere} placeholder=${words.everywherePlaceholder} @input=${this.#onInput} @keydown=${this.#onKey} />
        <button type="submit">${words.find}</button>
      </form>
      ${this.wrong === "" ? nothing : html`<p class="wrong" role="alert">${words.wrong(this.wrong)}</p>`}
      ${query === "" || this.wrong !== "" ? nothing : html`<p class="how" role="status">${done < all ? words.ofArchives(formatCount(done), formatCount(all)) : shown.length === 0 ? words.nothingAnywhere(visible(query, 200)) : words.ofArchives(formatCount(all), formatCount(all))}</p>`}
      ${shown.map((answer) => this.#answer(answer))}
    `;
  }

  #answer({ entry, found, why }: Answer): TemplateResult {
    const name = nameOf(entry);
    const total = found?.total ?? 0;
    return html`
      <section aria-label=${name}>
        <h3><span>${name}</span>${found === undefined ? nothing : html`<small>${words.hitsCount(formatCount(total), total === 1)}${found.isDone ? "" : ` ${words.soFar}`}</small>`}</h3>
        ${why === undefined ? nothing : html`<p>${words.notSearched(visible(why, 300))}</p>`}
        <ul>
          ${(found?.hits ?? []).map((hit) => this.#hit(entry, hit))}
        </ul>
        ${lacks(found) ? html`<p>${words.lacks(formatCount(found.searched), formatCount(found.records))} ${words.completed} <button class="link" @click=${() => this.#open(entry)}>${words.open(name)}</button></p>` : nothing}
        ${found?.isDone === true && found.unread > 0 ? html`<p>${words.unreadHere(formatCount(found.unread))} <button class="link" @click=${() => this.#open(entry)}>${words.open(name)}</button></p>` : nothing}
        ${total > hitsEach ? html`<button class="more" @click=${() => this.#open(entry)}>${words.moreOf(words.hitsCount(formatCount(total), false), name)}</button>` : nothing}
      </section>
    `;
  }

  #hit(entry: KeptArchive, hit: Hit): TemplateResult {
    const { record, document, title = [], passages = [] } = withPhrases(hit, this.query);
    const url = record.url === "" ? words.noUrl : visible(record.url, 300);
    const said = title.length > 0 ? title : [{ text: document?.title ?? "", isMarked: false }];
    const hasTitle = said.some(({ text }) => text.trim() !== "");
    return html`
      <li>
        <button @click=${() => this.#open(entry, hit)}>
          <span class="title" dir=${hasTitle ? "auto" : "ltr"}>${hasTitle ? marked(said, 200) : url}</span>
          <span class="where" dir="ltr">${[formatCaptured(record.captured), record.mime ?? "", hasTitle ? url : ""].filter((one) => one !== "").join(" \u00b7 ")}</span>
          ${passages[0] === undefined ? nothing : html`<span class="where" dir="auto">${marked(passages[0], 240)}</span>`}
        </button>
      </li>
    `;
  }

  // Searching

  #onInput(event: Event): void {
    if (event.target instanceof HTMLInputElement && event.target.value.trim() === "") this.#forget();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !(event.target instanceof HTMLInputElement)) return;
    event.target.value = "";
    this.#forget();
  }

  #onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    const query = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    if (query !== "") void this.#search(query);
  }

  async #search(query: string): Promise<void> {
    this.#forget();
    const asked = this.#asked;
    this.query = query;
    remember(query);
    for (const entry of this.#entries) {
      for (let isDone = false; !isDone; ) {
        const answer = await this.#ask(entry, query).catch((error: unknown) => error);
        if (asked !== this.#asked) return;
        if (answer instanceof ArchiveError && answer.code.startsWith("query/")) {
          this.wrong = answer.message;
          return;
        }
        const found = isAnswer(answer) ? answer : undefined;
        isDone = found?.isDone !== false;
        const next = found === undefined ? { entry, why: answer instanceof Error ? answer.message : String(answer) } : { entry, found };
        this.answers = [...this.answers.filter((one) => one.entry.id !== entry.id), next];
      }
      this.done += 1;
    }
  }

  async #ask(entry: KeptArchive, query: string): Promise<SearchFound> {
    const { library } = this.store;
    if (library === undefined) throw new Error(words.failed);
    return library.library.index(entry.id).search({ query, count: hitsEach, withPassages: true });
  }

  #open(entry: KeptArchive, hit?: Hit): void {
    this.store.library?.searchBar.want(this.query, entry.id, hit);
    this.dispatchEvent(new CustomEvent("stackroom-open-kept", { bubbles: true, composed: true, detail: entry }));
  }
}

/** What was never read is not searched: an archive was closed before all of its pages were. */
const lacks = (found: SearchFound | undefined): found is SearchFound => found?.isDone === true && found.searched < found.records;

const isAnswer = (answer: unknown): answer is SearchFound => typeof answer === "object" && answer !== null && "hits" in answer;

customElements.define("stackroom-everywhere", Everywhere);
