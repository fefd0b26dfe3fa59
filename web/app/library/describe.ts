/** Asks what an archive is called, how it is tagged and what is noted of it. */
import { css, html } from "lit";
import type { KeptArchive } from "stackroom/library";

import type { Store } from "../state.js";
import { Dialog } from "../views/dialog.js";
import { openOnce } from "../views/once.js";
import { nameOf } from "./remove.js";
import { words } from "./words.js";

class Describe extends Dialog {
  static override styles = [
    ...Dialog.styles,
    css`
      form {
        display: grid;
        gap: 12px;
        padding: 14px 18px;
      }
      label {
        display: grid;
        gap: 4px;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      textarea {
        min-block-size: 84px;
        padding: 6px 0.6em;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--paper-raised);
        color: var(--ink);
        font: inherit;
        font-size: var(--text);
        resize: vertical;
      }
      input {
        font-size: var(--text);
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
    return this.entry === undefined ? "" : words.describeTitle(nameOf(this.entry));
  }

  protected override content(): unknown {
    const { title = "", tags = [], note = "", name = "" } = this.entry ?? {};
    return html`
      <form method="dialog" @submit=${this.#onSubmit}>
        <label>${words.titleLabel}<input name="title" autofocus maxlength="200" autocomplete="off" .value=${title} placeholder=${name} /></label>
        <label>${words.tagsLabel}<input name="tags" maxlength="400" autocomplete="off" .value=${tags.join(", ")} /></label>
        <label>${words.noteLabel}<textarea name="note" maxlength="4000" .value=${note}></textarea></label>
        <div class="buttons">
          <button type="button" @click=${() => this.close()}>${words.cancel}</button>
          <button class="primary" type="submit">${words.save}</button>
        </div>
      </form>
    `;
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    const { entry, store } = this;
    if (!(event.target instanceof HTMLFormElement) || entry === undefined) return;
    const said = new FormData(event.target);
    const text = (name: string): string | undefined => String(said.get(name) ?? "").trim() || undefined;
    const tags = (text("tags") ?? "").split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
    this.close();
    const changes = { title: text("title"), note: text("note"), tags: tags.length === 0 ? undefined : [...new Set(tags)] };
    store?.library?.describe(entry.id, changes).catch(() => store.say(words.describeFailed));
  }
}

customElements.define("stackroom-describe", Describe);

export function askToDescribe(store: Store, entry: KeptArchive): void {
  openOnce("stackroom-describe", (dialog) => Object.assign(dialog, { store, entry }));
}
