/** A native modal dialog with a title and a button that closes it. Keys that are pressed in it stay in it. */
import { LitElement, css, html, type TemplateResult } from "lit";

import { words } from "../words.js";
import { icons } from "./icons.js";
import { base, controls } from "./styles.js";

export abstract class Dialog extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      dialog {
        inline-size: min(var(--dialog-width, 520px), calc(100vw - 2rem));
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
        position: sticky;
        inset-block-start: 0;
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 1rem;
        padding: 10px 10px 10px 18px;
        border-block-end: 1px solid var(--line);
        background: var(--paper-bar);
      }
      h2 {
        font: 600 18px/1.3 var(--serif);
        overflow-wrap: anywhere;
      }
    `,
  ];

  protected abstract heading(): string;
  protected abstract content(): unknown;

  show(): void {
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog?.open === false) dialog.showModal();
  }

  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @keydown=${(event: KeyboardEvent) => event.stopPropagation()} @click=${this.#onClick}>
        <div class="top">
          <h2 id="title">${this.heading()}</h2>
          <button class="quiet icon" type="button" title=${words.closePanel} aria-label=${words.closePanel} @click=${this.close}>${icons.close}</button>
        </div>
        ${this.content()}
      </dialog>
    `;
  }

  protected close(): void {
    this.renderRoot.querySelector("dialog")?.close();
  }

  /** A click on the backdrop lands on the dialog itself. */
  #onClick(event: Event): void {
    if (event.composedPath()[0] instanceof HTMLDialogElement) this.close();
  }
}
