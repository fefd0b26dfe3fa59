/** How hits were found: what was done, how many records came of it, how long it took. */
import { css, html, type TemplateResult } from "lit";
import type { PlanStep } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatCount } from "../format.js";
import { Dialog } from "../views/dialog.js";
import { openOnce } from "../views/once.js";
import { words } from "./words.js";

/** The clocks of browsers tell no less. */
const leastMs = 0.1;

class Plan extends Dialog {
  static override styles = [
    ...Dialog.styles,
    css`
      dialog {
        --dialog-width: 720px;
      }
      .plan {
        padding: 14px 18px;
        overflow-x: auto;
      }
      code {
        display: block;
        padding: 6px 10px;
        background: var(--paper-code);
        font: var(--text-small) / 1.5 var(--mono);
        overflow-wrap: anywhere;
      }
      table {
        inline-size: 100%;
        margin-block-start: 10px;
        border-collapse: collapse;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        padding: 4px 10px 4px 0;
        border-block-end: 1px solid var(--line-soft);
        text-align: start;
        vertical-align: baseline;
        overflow-wrap: anywhere;
      }
      th {
        color: var(--ink-soft);
        font-weight: 400;
        font-size: var(--text-small);
      }
      .number {
        text-align: end;
        white-space: nowrap;
      }
    `,
  ];
  query = "";
  steps: readonly PlanStep[] = [];

  protected override heading(): string {
    return words.plan;
  }

  protected override content(): TemplateResult {
    if (this.steps.length === 0) return html`<p class="plan">${words.noPlan}</p>`;
    return html`
      <div class="plan">
        <code dir="auto">${visible(this.query, 1_000)}</code>
        <table>
          <thead>
            <tr>
              <th scope="col">${words.planWhat}</th>
              <th scope="col" class="number">${words.planRows}</th>
              <th scope="col" class="number">${words.planWork}</th>
              <th scope="col" class="number">${words.planTime}</th>
            </tr>
          </thead>
          <tbody>
            ${this.steps.map(
              ({ what, rows, work, milliseconds }) => html`
                <tr>
                  <td>${visible(what, 1_000)}</td>
                  <td class="number">${formatCount(rows)}</td>
                  <td class="number">${formatCount(work)}</td>
                  <td class="number">${milliseconds < leastMs ? words.lessThan(String(leastMs)) : words.milliseconds(milliseconds.toFixed(milliseconds < 10 ? 1 : 0))}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    `;
  }
}

customElements.define("stackroom-plan", Plan);

export function showPlan(query: string, steps: readonly PlanStep[]): void {
  openOnce("stackroom-plan", (dialog) => Object.assign(dialog, { query, steps }));
}
