/** The list of keyboard shortcuts. The keys themselves are handled where they act. */
import { css, html } from "lit";

import { control } from "../control.js";
import { words as searching } from "../search/words.js";
import { words } from "../words.js";
import { Dialog } from "./dialog.js";

const { keys } = words;

/** Alternatives of one shortcut; each is a list of keys that belong together. */
type Shortcut = readonly [what: string, ...ways: readonly (readonly string[])[]];

const groups: readonly (readonly [title: string, shortcuts: readonly Shortcut[]])[] = [
  [
    keys.list,
    [
      [keys.move, ["\u2193", "\u2191"], ["j", "k"]],
      [keys.screen, ["PageDown", "PageUp"]],
      [keys.ends, ["Home", "End"]],
      [keys.openDetail, ["Enter"]],
      [keys.pick, ["x"]],
      [keys.pickMore, ["Shift", "\u2193"], [control, "A"]],
      [keys.save, ["s"]],
    ],
  ],
  [
    keys.browse,
    [
      [keys.choose, ["Enter"]],
      [keys.branch, ["\u2192", "\u2190"]],
      [keys.select, ["Shift", "\u2192"], ["Shift", "\u2190"]],
      [keys.zoom, ["Enter"], ["Backspace"]],
    ],
  ],
  [
    keys.detail,
    [
      [keys.tabs, ["\u2192", "\u2190"]],
      [searching.placesKey, ["n"], ["Shift", "n"], ["F3"]],
      [keys.panes, ["F6"]],
      [keys.resize, ["\u2190", "\u2192"]],
      [keys.travel, ["Alt", "\u2190"], ["Alt", "\u2192"]],
    ],
  ],
  [
    keys.everywhere,
    [
      [searching.field, ["/"], [control, "K"]],
      [keys.close, ["Esc"]],
      [keys.picker, [control, "O"]],
      [keys.help, ["?"]],
    ],
  ],
];

export class Help extends Dialog {
  static override styles = [
    ...Dialog.styles,
    css`
      h3 {
        padding: 12px 18px 2px;
        color: var(--ink-soft);
        font: 600 var(--text-small) / 1.4 var(--sans);
      }
      dl {
        margin: 0;
        padding: 0 18px;
      }
      dl div {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 1rem;
        padding: 4px 0;
      }
      dl + h3 {
        margin-block-start: 4px;
      }
      dd {
        display: flex;
        gap: 5px;
        align-items: center;
        margin: 0;
        color: var(--ink-soft);
      }
      .pad {
        block-size: 14px;
      }
    `,
  ];

  protected override heading(): string {
    return keys.title;
  }

  protected override content(): unknown {
    return html`
      ${groups.map(
        ([title, shortcuts]) => html`
          <h3>${title}</h3>
          <dl>
            ${shortcuts.map(
              ([what, ...ways]) => html`<div>
                <dt>${what}</dt>
                <dd>
                  ${ways.map((way, at) => html`${at > 0 ? html`<span>${keys.or}</span>` : ""}${way.map((key) => html`<kbd>${key}</kbd>`)}`)}
                </dd>
              </div>`,
            )}
          </dl>
        `,
      )}
      <div class="pad"></div>
    `;
  }
}

customElements.define("stackroom-help", Help);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-help": Help;
  }
}
