/** A JSON body as a tree that unfolds line by line, by mouse or by arrow keys. Values are text nodes. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";

import { decodeText } from "../content/charset.js";
import { Exact, Range, depthMax, isFoldable, linesOf, parseJson, type Line } from "../content/tree.js";
import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import type { Store } from "../state.js";
import { isAbort, troubleOf } from "../trouble.js";
import { words } from "../words.js";
import { base, controls, messages } from "./styles.js";

/** What is parsed and drawn within a frame or two. */
const bytesMax = 2_097_152;
const linesMax = 5_000;
const stringCharsMax = 300;
/** Lines that the tree unfolds by itself. */
const unfoldedMax = 60;

type State = "loading" | "ready" | { readonly refused: string };

/** The first plain values of a folded object: enough to tell it from its neighbours. */
function glimpseOf(value: object): string {
  const plain: string[] = [];
  let seen = 0;
  for (const name in value) {
    seen += 1;
    if (seen > 6 || plain.length === 3) break;
    const one: unknown = (value as Record<string, unknown>)[name];
    if (typeof one === "string") plain.push(`${visible(name, 30)}: "${visible(one.slice(0, 40), 60)}${one.length > 40 ? "\u2026" : ""}"`);
    else if (typeof one === "number" || typeof one === "boolean") plain.push(`${visible(name, 30)}: ${one}`);
  }
  return plain.join(", ");
}

export class Json extends LitElement {
  static override properties = {
    store: { attribute: false },
    record: { attribute: false },
    state: { state: true },
    active: { state: true },
  };
  static override styles = [
    base,
    controls,
    messages,
    css`
      :host {
        display: block;
        min-block-size: 0;
        overflow: auto;
        background: var(--paper-code);
      }
      [role="tree"] {
        padding: 8px 0;
        font: var(--text-small) / 19px var(--mono);
      }
      [role="treeitem"] {
        display: flex;
        gap: 0.6em;
        min-block-size: 19px;
        padding-inline-end: 12px;
        content-visibility: auto;
        contain-intrinsic-block-size: auto 19px;
        cursor: default;
      }
      [role="treeitem"]:hover {
        background: var(--paper-hover);
      }
      [role="treeitem"]:focus-visible {
        outline-offset: -2px;
      }
      .twist {
        flex: none;
        inline-size: 12px;
        color: var(--ink-faint);
        text-align: center;
      }
      .name {
        flex: none;
        max-inline-size: 45%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: pre;
        color: var(--moved);
        unicode-bidi: isolate;
      }
      .value {
        min-inline-size: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
        unicode-bidi: isolate;
      }
      .glimpse {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .string {
        color: var(--accent);
      }
      .number,
      .boolean {
        color: var(--kind-data);
      }
      .null,
      .soft {
        color: var(--ink-faint);
      }
    `,
  ];
  declare store: Store;
  declare record: OpenRecord;
  declare state: State;
  declare active: number;
  #root: unknown;
  #open = new Set<object>();
  #lines: readonly Line[] = [];
  readonly #full = new Set<unknown>();

  constructor() {
    super();
    this.state = "loading";
    this.active = 0;
  }

  override willUpdate(changes: PropertyValues): void {
    if (!changes.has("record")) return;
    this.state = "loading";
    void this.#load(this.record);
  }

  async #load(record: OpenRecord): Promise<void> {
    try {
      const bytes = await record.body(bytesMax + 1);
      if (record !== this.record) return;
      this.state = bytes.length > bytesMax ? this.#tooLarge(record) : this.#parse(bytes, record);
    } catch (error) {
      if (record !== this.record || isAbort(error)) return;
      this.state = { refused: `${words.bodyFailed} ${troubleOf(error).code}` };
    }
  }

  #tooLarge(record: OpenRecord): State {
    return { refused: words.jsonTooLarge(formatBytes(Math.max(record.row.size, bytesMax)), formatBytes(bytesMax)) };
  }

  #parse(bytes: Uint8Array, record: OpenRecord): State {
    try {
      this.#root = parseJson(decodeText(bytes, record.detail?.charset).text);
    } catch {
      return { refused: words.jsonBroken };
    }
    this.#open = new Set();
    this.#full.clear();
    this.active = 0;
    this.#unfold();
    return "ready";
  }

  /** Unfolds whole levels from the root while the tree stays short. */
  #unfold(): void {
    for (let level = 1; level <= 4; level += 1) {
      const lines = linesOf(this.#root, this.#open, unfoldedMax);
      const next = lines.filter((line) => line.level === level && line.count > 0 && !line.isOpen);
      const sum = next.reduce((total, line) => total + Math.min(line.count, 100), lines.length);
      if (next.length === 0 || (level > 1 && sum > unfoldedMax)) return;
      for (const { value } of next) if (isFoldable(value)) this.#open.add(value);
    }
  }

  override render(): TemplateResult {
    if (this.state === "loading") return html`<p class="message">${words.loadingBody}</p>`;
    if (this.state !== "ready") return html`<p class="message">${this.state.refused}</p>`;
    this.#lines = linesOf(this.#root, this.#open, linesMax);
    return html`
      <div role="tree" aria-label=${words.jsonTree} @keydown=${this.#onKey} @click=${this.#onClick} @focusin=${this.#onFocus}>
        ${this.#lines.map((line, at) => this.#line(line, at))}
      </div>
    `;
  }

  #line(line: Line, at: number): TemplateResult {
    const twist = line.count === 0 || line.isTooDeep ? "" : line.isOpen ? "\u25be" : "\u25b8";
    return html`
      <div
        role="treeitem"
        data-at=${at}
        tabindex=${at === this.active ? 0 : -1}
        aria-level=${line.level}
        aria-expanded=${line.count === 0 || line.isTooDeep ? nothing : line.isOpen ? "true" : "false"}
        style="padding-inline-start: ${10 + 14 * Math.min(line.level - 1, 40)}px"
      >
        <span class="twist" aria-hidden="true">${twist}</span>${line.name === undefined
          ? nothing
          : html`<span class="name">${visible(line.name, 200)}:</span>`}${this.#value(line)}
      </div>
    `;
  }

  #value(line: Line): TemplateResult {
    const { value } = line;
    if (value instanceof Range) {
      const last = value.first + value.entries.length - 1;
      return html`<span class="value soft">${words.jsonRange(formatCount(value.first), formatCount(last))}</span>`;
    }
    if (isFoldable(value)) {
      const isList = Array.isArray(value);
      const [start, end] = isList ? ["[", "]"] : ["{", "}"];
      if (line.count === 0) return html`<span class="value soft">${start}${end}</span>`;
      if (line.isTooDeep) return html`<span class="value soft">${words.jsonTooDeep(formatCount(depthMax))}</span>`;
      const glimpse = line.isOpen || isList ? "" : glimpseOf(value);
      const items = words.jsonItems(formatCount(line.count), line.count === 1);
      return html`<span class="value soft ${glimpse === "" ? "" : "glimpse"}">${start} ${glimpse === "" ? items : glimpse} ${end}</span>`;
    }
    if (typeof value === "string") return this.#string(line, value);
    if (value instanceof Exact) return html`<span class="value number">${visible(value.source, stringCharsMax)}</span>`;
    return html`<span class="value ${value === null ? "null" : typeof value}">${String(value)}</span>`;
  }

  #string(line: Line, value: string): TemplateResult {
    const charsMax = this.#full.has(line.value) ? 20_000 : stringCharsMax;
    if (value.length <= charsMax) return html`<span class="value string">"${visible(value, charsMax)}"</span>`;
    return html`<span class="value string"
      >"${visible(value.slice(0, charsMax), charsMax)}\u2026" <button class="link" data-full>${words.jsonCharacters(formatCount(value.length))}</button></span
    >`;
  }

  #toggle(at: number): void {
    const line = this.#lines[at];
    if (line === undefined || line.count === 0 || line.isTooDeep || !isFoldable(line.value)) return;
    if (line.isOpen) this.#open.delete(line.value);
    else this.#open.add(line.value);
    this.active = at;
    this.requestUpdate();
  }

  #onClick(event: Event): void {
    const target = event.composedPath()[0];
    if (!(target instanceof Element)) return;
    const at = Number(target.closest<HTMLElement>("[data-at]")?.dataset["at"] ?? -1);
    if (target.closest("[data-full]") !== null) {
      this.#full.add(this.#lines[at]?.value);
      this.requestUpdate();
    } else if (window.getSelection()?.isCollapsed !== false) {
      this.#toggle(at);
    }
  }

  /** Wherever the focus came from, the keys go on from there. */
  #onFocus(event: FocusEvent): void {
    const at = event.target instanceof HTMLElement ? event.target.dataset["at"] : undefined;
    if (at !== undefined) this.active = Number(at);
  }

  #onKey(event: KeyboardEvent): void {
    const { active } = this;
    const line = this.#lines[active];
    if (line === undefined || event.target instanceof HTMLButtonElement) return;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: this.#lines.length - 1,
    };
    let to = moves[event.key];
    if (event.key === "Enter" || event.key === " ") this.#toggle(active);
    else if (event.key === "ArrowRight" && line.count > 0 && !line.isOpen) this.#toggle(active);
    else if (event.key === "ArrowRight" && line.isOpen) to = active + 1;
    else if (event.key === "ArrowLeft" && line.isOpen) this.#toggle(active);
    else if (event.key === "ArrowLeft") to = this.#parent(active);
    else if (to === undefined) return;
    event.preventDefault();
    if (to === undefined) return;
    this.active = Math.max(0, Math.min(to, this.#lines.length - 1));
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  }

  #parent(at: number): number {
    const level = this.#lines[at]?.level ?? 1;
    let up = at;
    while (up > 0 && (this.#lines[up]?.level ?? 1) >= level) up -= 1;
    return up;
  }
}

customElements.define("stackroom-json", Json);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-json": Json;
  }
}
