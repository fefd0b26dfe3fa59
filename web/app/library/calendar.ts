/** All captures of a URL, by the days of a year: a day leads to its captures, these to their records. Fetched when it is asked for. */
import { css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { RecordRow } from "stackroom";

import { visible } from "../content/visible.js";
import { formatCount } from "../format.js";
import type { Store } from "../state.js";
import { Dialog } from "../views/dialog.js";
import { openOnce } from "../views/once.js";
import { byDay, monthOf, nearest, type Day } from "./days.js";
import { timeName } from "./times.js";
import { words } from "./words.js";

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });
const dayName = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });

/** From pale to full, by how many captures a day has. */
const shade = (count: number): string => (count >= 20 ? "many" : count >= 4 ? "some" : "few");

class Calendar extends Dialog {
  static override properties = { year: { state: true }, day: { state: true } };
  static override styles = [
    ...Dialog.styles,
    css`
      :host {
        --dialog-width: 860px;
      }
      .body {
        display: grid;
        gap: 12px;
        padding: 14px 18px;
      }
      .url {
        color: var(--ink-soft);
        overflow-wrap: anywhere;
        unicode-bidi: isolate;
      }
      .years,
      .times {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
      }
      button {
        min-block-size: 26px;
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
      }
      [aria-pressed="true"],
      [aria-current="true"] {
        border-color: var(--accent);
        background: var(--accent-wash);
        font-weight: 600;
      }
      .months {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(184px, 1fr));
        gap: 14px 18px;
      }
      table {
        inline-size: 100%;
        border-collapse: collapse;
        table-layout: fixed;
        align-self: start;
        font-size: var(--text-small);
        font-variant-numeric: tabular-nums;
        text-align: center;
      }
      caption {
        padding-block-end: 2px;
        font-weight: 600;
        text-align: start;
      }
      th {
        color: var(--ink-soft);
        font-weight: 400;
      }
      td {
        block-size: 25px;
        padding: 0;
        color: var(--ink-faint);
      }
      td button {
        inline-size: 100%;
        min-inline-size: 0;
        min-block-size: 24px;
        padding: 0;
        border-color: var(--accent-line);
        color: var(--ink);
      }
      .few {
        background: var(--accent-wash);
      }
      .some {
        border-color: var(--accent);
        background: var(--accent-wash);
        font-weight: 600;
      }
      .many {
        border-color: var(--accent);
        background: var(--accent);
        color: var(--accent-ink);
      }
      td [aria-pressed="true"] {
        outline: 2px solid var(--accent);
        outline-offset: 1px;
      }
      h3 {
        font: 600 var(--text) / 1.4 var(--sans);
      }
      .day {
        display: grid;
        gap: 6px;
        padding-block-end: 12px;
        border-block-end: 1px solid var(--line);
      }
      .times {
        max-block-size: 92px;
        overflow-y: auto;
      }
    `,
  ];
  store: Store | undefined;
  rows: readonly RecordRow[] = [];
  current: RecordRow | undefined;
  /** What choosing a capture does. */
  open: (row: RecordRow) => void = () => undefined;
  declare year: number | undefined;
  declare day: Day | undefined;
  #days: readonly Day[] = [];
  #isMoved = false;

  constructor() {
    super();
    this.year = undefined;
    this.day = undefined;
  }

  override willUpdate(): void {
    if (this.#days.length > 0 || this.rows.length === 0) return;
    this.#days = byDay(this.rows);
    this.day = nearest(this.#days, this.current?.captured ?? 0);
    this.year = this.day?.year;
  }

  protected override heading(): string {
    return words.calendarTitle(formatCount(this.rows.length));
  }

  protected override content(): unknown {
    const { year, day } = this;
    const years = new Map<number, number>();
    for (const one of this.#days) years.set(one.year, (years.get(one.year) ?? 0) + one.rows.length);
    const withoutTime = this.rows.length - [...years.values()].reduce((sum, count) => sum + count, 0);
    return html`
      <div class="body" @keydown=${this.#onKey}>
        <p class="url">${visible(this.current?.url ?? "", 300)}</p>
        <div class="years" role="group" aria-label=${words.years}>
          ${[...years].map(
            ([one, count]) =>
              html`<button type="button" aria-pressed=${one === year ? "true" : "false"} title=${words.capturesCount(formatCount(count), count === 1)} @click=${() => this.#goToYear(one)}>${one}</button>`,
          )}
        </div>
        ${day === undefined ? nothing : this.#times(day)}
        ${year === undefined ? nothing : html`<div class="months">${Array.from({ length: 12 }, (_, month) => this.#month(year, month))}</div>`}
        ${withoutTime > 0 ? html`<p class="url">${words.withoutTime(formatCount(withoutTime))}</p>` : nothing}
      </div>
    `;
  }

  #month(year: number, month: number): TemplateResult {
    return html`
      <table>
        <caption>
          ${monthName.format(Date.UTC(2000, month))}
        </caption>
        <thead>
          <tr>
            ${words.weekdays.map(([short, long]) => html`<th scope="col" abbr=${long}>${short}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${monthOf(year, month).map((week) => html`<tr>${week.map((date) => html`<td>${date === undefined ? nothing : this.#date(year, month, date)}</td>`)}</tr>`)}
        </tbody>
      </table>
    `;
  }

  #date(year: number, month: number, date: number): TemplateResult | number {
    const day = this.#days.find((one) => one.year === year && one.month === month && one.date === date);
    if (day === undefined) return date;
    const count = day.rows.length;
    const isChosen = day === this.day;
    const label = words.dayOf(dayName.format(day.time), formatCount(count), count === 1);
    return html`<button
      type="button"
      class=${shade(count)}
      tabindex=${isChosen ? 0 : -1}
      aria-pressed=${isChosen ? "true" : "false"}
      aria-label=${label}
      title=${label}
      @click=${() => this.#choose(day)}
    >
      ${date}
    </button>`;
  }

  #times(day: Day): TemplateResult {
    return html`
      <section class="day">
        <h3>${dayName.format(day.time)}</h3>
        <div class="times">
          ${day.rows.map(
            (row) =>
              html`<button type="button" aria-current=${row.row === this.current?.row ? "true" : nothing} @click=${() => this.#choice(row)}>${timeName("second", row.captured ?? 0).slice(11)}${row.status === undefined ? nothing : html`&nbsp;&middot; ${row.status}`}${row.type === "revisit" ? html`&nbsp;&middot; ${words.unchanged}` : nothing}</button>`,
          )}
        </div>
      </section>
    `;
  }

  #goToYear(year: number): void {
    this.year = year;
    this.day = this.#days.find((one) => one.year === year);
  }

  #choose(day: Day | undefined): void {
    if (day === undefined) return;
    this.year = day.year;
    this.day = day;
    this.#isMoved = true;
  }

  override updated(_changes: PropertyValues): void {
    if (!this.#isMoved) return;
    this.#isMoved = false;
    this.renderRoot.querySelector<HTMLElement>("td [aria-pressed='true']")?.focus();
  }

  /** On a day the arrows go to the next one that has captures, Home and End to the first and the last. */
  #onKey(event: KeyboardEvent): void {
    const target = event.composedPath()[0];
    if (!(target instanceof HTMLElement) || target.closest("td") === null) return;
    const at = this.#days.findIndex((one) => one === this.day);
    const last = this.#days.length - 1;
    const to: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    const index = to[event.key];
    if (index === undefined) return;
    event.preventDefault();
    this.#choose(this.#days[Math.max(0, Math.min(last, index))]);
  }

  #choice(row: RecordRow): void {
    this.close();
    this.open(row);
  }
}

customElements.define("stackroom-calendar", Calendar);

export function showCalendar(store: Store, rows: readonly RecordRow[], current: RecordRow | undefined, open = (row: RecordRow): void => store.openRecord(row)): void {
  openOnce("stackroom-calendar", (dialog) => Object.assign(dialog, { store, rows, current, open }));
}
