/** The list of keyboard shortcuts, in a native modal dialog. The keys themselves are handled where they act. */
import { LitElement, css, html, type TemplateResult } from "lit";

import { words } from "../words.js";
import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

const { keys } = words;

/** The key that commands take on this system. */
export const control = /mac|iphone|ipad/i.test(navigator.platform) ? "\u2318" : "Ctrl";

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
    ],
  ],
  [
    keys.detail,
    [
      [keys.tabs, ["\u2192", "\u2190"]],
      [keys.panes, ["F6"]],
      [keys.resize, ["\u2190", "\u2192"]],
    ],
  ],
  [
    keys.everywhere,
    [
      [keys.filter, ["/"]],
      [keys.close, ["Esc"]],
      [keys.picker, [control, "O"]],
      [keys.help, ["?"]],
    ],
  ],
];

export class Help extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      dialog {
        inline-size: min(520px, calc(100vw - 2rem));
        max-block-size: calc(100vh - 4rem);
        padding: 0;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--paper);
        color: var(--ink);
        box-shadow: var(--shadow);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 35%);
      }
      .top {
        display: flex;
        align-items: center;
        justify-content: space-between;
        padding: 10px 10px 10px 18px;
        border-block-end: 1px solid var(--line);
        background: var(--paper-bar);
      }
      h2 {
        font: 600 18px/1.3 var(--serif);
      }
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

  show(): void {
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog?.open === false) dialog.showModal();
  }

  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @keydown=${(event: KeyboardEvent) => event.stopPropagation()} @click=${this.#onClick}>
        <div class="top">
          <h2 id="title">${keys.title}</h2>

            <button class="quiet icon" type="button" title=${words.closePanel} aria-label=${words.closePanel} @click=${this.#close}>${icons.close}</button>

        </div>
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
      </dialog>
    `;
  }

  #close(): void {
    this.renderRoot.querySelector("dialog")?.close();
  }

  /** A click on the backdrop lands on the dialog itself. */
  #onClick(event: Event): void {
    if (event.composedPath()[0] instanceof HTMLDialogElement) this.#close();
  }
}

customElements.define("stackroom-help", Help);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-help": Help;
  }
}
