/** Asks whether an archive is really to leave the library, and takes it out. */
import { css, html } from "lit";
import type { KeptArchive } from "stackroom/library";

import { visible } from "../content/visible.js";
import { formatBytes } from "../format.js";
import type { Store } from "../state.js";
import { Dialog } from "../views/dialog.js";
import { openOnce } from "../views/once.js";
import { words } from "./words.js";

export const nameOf = ({ title, name }: KeptArchive): string => visible(title || name, 200);

class Remove extends Dialog {
  static override styles = [
    ...Dialog.styles,
    css`
      form {
        display: grid;
        gap: 14px;
        padding: 14px 18px;
      }
      .buttons {
        display: flex;
        justify-content: flex-end;
        gap: 8px;
      }
    `,
  ];
  store: Store | undefined;
  entry: KeptArchive | undefined;

  protected override heading(): string {
    return this.entry === undefined ? "" : words.removeTitle(nameOf(this.entry));
  }

  protected override content(): unknown {
    return html`
      <form method="dialog" @submit=${this.#onSubmit}>
        <p>${words.removeWhat(formatBytes(this.entry?.indexBytes ?? 0))}</p>
        <div class="buttons">
          <button type="button" autofocus @click=${() => this.close()}>${words.cancel}</button>
          <button class="primary" type="submit">${words.removeYes}</button>
        </div>
      </form>
    `;
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    this.close();
    const { entry, store } = this;
    if (entry === undefined || store === undefined) return;
    store.library?.remove(entry.id).then(
      () => store.say(words.removed(nameOf(entry))),
      () => store.say(words.removeFailed),
    );
  }
}

customElements.define("stackroom-remove", Remove);

export function askToRemove(store: Store, entry: KeptArchive): void {
  openOnce("stackroom-remove", (dialog) => Object.assign(dialog, { store, entry }));
}
