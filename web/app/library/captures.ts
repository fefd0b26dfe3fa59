/** In the head of the open record: which of the captures of its URL it is, the one before and the next, and all of them as a list. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { Archive, RecordRow } from "stackroom";
import type { SharedIndex } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCaptured, formatCount } from "../format.js";
import { arrived } from "../parts.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import { isCapture } from "./iscapture.js";
import { words } from "./words.js";

interface Place {
  readonly key: string;
  readonly at: number;
  /** What is gone through; the records of a URL, as far as they are captures, and the open one. */
  readonly rows: readonly RecordRow[];
}

/** Of a URL with more records than this one goes through its list. */
const rowsMax = 5_000;
const rowsAtOnce = 500;

export class Captures extends LitElement {
  static override properties = { store: { attribute: false }, place: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: 2px;
        color: var(--ink-soft);
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      :host([hidden]) {
        display: none;
      }
      button {
        min-block-size: 24px;
        font-size: var(--text-small);
      }
      svg {
        inline-size: 13px;
        block-size: 13px;
      }
      .next svg {
        transform: scaleX(-1);
      }
      .link {
        margin-inline-start: 10px;
        min-block-size: 24px;
      }
    `,
  ];
  declare store: Store;
  declare place: Place | undefined;
  #row: RecordRow | undefined;
  #index: SharedIndex | undefined;

  constructor() {
    super();
    new Watch(this, "record", "library");
  }

  override willUpdate(): void {
    const { record, library, archive } = this.store;
    if (record?.row === this.#row && library?.index === this.#index) return;
    this.#row = record?.row;
    this.#index = library?.index;
    this.place = undefined;
    if (record !== undefined && archive !== undefined && this.#index !== undefined && record.row.url !== "") void this.#find(archive, this.#index, record.row);
  }

  /** Its place among the captures of its URL, which stand in the order of time. */
  async #find(archive: Archive, index: SharedIndex, row: RecordRow): Promise<void> {
    try {
      const [key = ""] = await archive.urlKeys([row.url]);
      const all: RecordRow[] = [];
      for (let total = 1; all.length < Math.min(total, rowsMax); ) {
        const some = await index.captures(key, { from: all.length, count: rowsAtOnce });
        if (row !== this.#row || some.rows.length === 0) return;
        all.push(...some.rows);
        total = some.total;
      }
      const rows = all.filter((one) => one.row === row.row || isCapture(one));
      const at = rows.findIndex((one) => one.row === row.row);
      if (at >= 0 && rows.length > 1) this.place = { key, at, rows };
    } catch {
      // It is an addition to the record, which is there without it.
      return;
    }
  }

  override render(): TemplateResult | typeof nothing {
    const { place } = this;
    this.toggleAttribute("hidden", place === undefined);
    if (place === undefined) return nothing;
    const { at, rows } = place;
    const total = rows.length;
    return html`
      <button class="quiet icon" title=${words.previousCapture} aria-label=${words.previousCapture} ?disabled=${at === 0} @click=${() => this.#go(place, at - 1)}>${icons.back}</button>
      <span>${words.captureOf(formatCount(at + 1), formatCount(total))}</span>
      <button class="quiet icon next" title=${words.nextCapture} aria-label=${words.nextCapture} ?disabled=${at === total - 1} @click=${() => this.#go(place, at + 1)}>${icons.back}</button>
      <button class="link" @click=${() => this.#calendar(place)}>${words.calendar}</button>
      <button class="link" @click=${() => this.#listAll(place)}>${words.allCaptures}</button>
    `;
  }

  #go({ rows }: Place, at: number): void {
    const row = rows[at];
    if (row === undefined) return;
    this.store.openRecord(row);
    this.store.say(`${visible(row.url, 200)} \u00b7 ${formatCaptured(row.captured)}`);
  }

  #calendar({ rows }: Place): void {
    void arrived(this.store, import("./calendar.js")).then((calendar) => calendar?.showCalendar(this.store, rows, this.#row));
  }

  #listAll({ key, rows }: Place): void {
    this.store.library?.choose({
      key: `url:${key}`,
      column: "url",
      from: 0,
      count: rows.length,
      what: words.ofUrl(this.#row?.url ?? ""),
      rows: { count: rows.length, rows: async (start, count) => rows.slice(start, start + count) },
    });
  }
}

customElements.define("stackroom-captures", Captures);
