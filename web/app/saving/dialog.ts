/** Asks as what records are to be saved, saves them, and says how far that is. Fetched when it is first asked for. */
import { css, html, nothing, type TemplateResult } from "lit";
import type { Archive, CutForm } from "stackroom";

import { nameOfPart } from "../content/filename.js";
import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { RowSource } from "../rows.js";
import type { Store } from "../state.js";
import { isAbort, troubleOf } from "../trouble.js";
import { Dialog } from "../views/dialog.js";
import { openOnce } from "../views/once.js";
import { Chosen } from "./chosen.js";
import { files } from "./files.js";
import { jsonOf } from "./json.js";
import { pieces } from "./pieces.js";
import { table } from "./table.js";
import { pickTarget } from "./target.js";
import { words } from "./words.js";

type Form = CutForm | "csv" | "json" | "zip";
const forms = ["warc.gz", "warc", "cdxj", "csv", "json", "zip"] as const;

interface Saving {
  readonly abort: AbortController;
  readonly total: number;
  done: number;
  bytes: number;
  /** Records that are found before anything is written of them. */
  found?: number | undefined;
  broken: number;
}

class Save extends Dialog {
  static override properties = { saving: { state: true }, trouble: { state: true } };
  static override styles = [
    ...Dialog.styles,
    css`
      form {
        display: grid;
        gap: 14px;
        padding: 14px 18px;
      }
      fieldset {
        display: grid;
        gap: 8px;
        min-inline-size: 0;
        padding: 0;
        border: 0;
      }
      legend {
        padding: 0 0 4px;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      label {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0 8px;
        align-items: baseline;
        cursor: pointer;
      }
      label input {
        min-block-size: 0;
        inline-size: auto;
        margin: 0;
        accent-color: var(--accent);
      }
      label small {
        grid-column: 2;
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
      progress {
        inline-size: 100%;
        accent-color: var(--accent);
      }
      .buttons {
        display: flex;
        justify-content: flex-end;
        gap: 8px;
      }
      .how {
        display: flex;
        flex-wrap: wrap;
        justify-content: space-between;
        gap: 0 1rem;
        color: var(--ink-soft);
        font-variant-numeric: tabular-nums;
      }
      .trouble {
        color: var(--danger);
        overflow-wrap: anywhere;
      }
      .note {
        color: var(--ink-soft);
        font-size: var(--text-small);
      }
    `,
  ];
  store: Store | undefined;
  /** In place of those of the list. */
  source: RowSource | undefined;
  declare saving: Saving | undefined;
  declare trouble: string;

  constructor() {
    super();
    this.saving = undefined;
    this.trouble = "";
  }

  protected override heading(): string {
    return words.title;
  }

  protected override content(): unknown {
    return this.saving === undefined ? this.#choice() : this.#progress(this.saving);
  }

  #choice(): TemplateResult {
    const { rows, isIndexing } = this.store ?? {};
    const selected = this.source === undefined ? (rows?.selection.count ?? 0) : 0;
    const count = (this.source ?? rows)?.count ?? 0;
    return html`
      <form @submit=${this.#onSubmit}>
        ${selected === 0
          ? html`<p>${words.listed(formatCount(count))}</p>`
          : html`<fieldset>
              <legend>${words.which}</legend>
              <label><input type="radio" name="which" value="selected" checked />${words.selected(formatCount(selected))}</label>
              <label><input type="radio" name="which" value="listed" />${words.listed(formatCount(count))}</label>
            </fieldset>`}
        <fieldset>
          <legend>${words.form}</legend>
          ${forms.map(
            (form, at) => html`<label><input type="radio" name="form" value=${form} ?checked=${at === 0} ?autofocus=${at === 0} />${words.forms[form].name}<small>${words.forms[form].what}</small></label>`,
          )}
        </fieldset>
        ${isIndexing === true ? html`<p class="note">${words.stillReading}</p>` : nothing}
        ${this.trouble === "" ? nothing : html`<p class="trouble" role="alert">${this.trouble}</p>`}
        <div class="buttons">
          <button type="button" @click=${() => this.close()}>${words.cancel}</button>
          <button class="primary" type="submit" ?disabled=${count === 0}>${words.start}</button>
        </div>
      </form>
    `;
  }

  #progress({ done, total, bytes, found }: Saving): TemplateResult {
    return html`
      <form @submit=${(event: Event) => event.preventDefault()}>
        <progress aria-label=${words.title} max=${total} value=${found ?? done}></progress>
        <p class="how">
          <span>${found === undefined ? words.working(formatCount(done), formatCount(total)) : words.gathering(formatCount(found))}</span>
          <span>${words.bytes(formatBytes(bytes))}</span>
        </p>
        <div class="buttons"><button type="button" @click=${() => this.close()}>${words.stop}</button></div>
      </form>
    `;
  }

  /** However it is closed, what is under way ends. */
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.saving?.abort.abort();
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const said = new FormData(event.target);
    const form = forms.find((one) => one === said.get("form")) ?? "warc.gz";
    void this.#save(form, said.get("which") === "selected");
  }

  async #save(form: Form, isSelected: boolean): Promise<void> {
    const { store } = this;
    const { archive, rows } = store ?? {};
    const source = this.source ?? rows?.source;
    if (store === undefined || archive === undefined || source === undefined) return;
    const ranges = isSelected && rows !== undefined ? rows.selection.ranges : [{ from: 0, to: source.count }];
    const isWhole = this.source === undefined && store.view === undefined && store.arrangement === undefined;
    const chosen = new Chosen(source, ranges, isWhole);
    const target = await pickTarget(nameOfPart(store.name, form));
    if (target === undefined) return;
    const saving: Saving = { abort: new AbortController(), total: chosen.count, done: 0, bytes: 0, broken: 0 };
    this.saving = saving;
    this.trouble = "";
    try {
      const bytes = await target.write(this.#counted(this.#pieces(store, archive, chosen, form, target.name), saving));
      if (saving.broken > 0) store.say(words.problems(formatCount(saving.broken), saving.broken === 1));
      else store.say(words.saved(visible(target.name, 160), words.records(formatCount(chosen.count), chosen.count === 1), formatBytes(bytes)));
      this.saving = undefined;
      this.close();
    } catch (error) {
      this.saving = undefined;
      if (isAbort(error) || saving.abort.signal.aborted) store.say(words.stopped);
      else this.trouble = words.failed(troubleOf(error).message);
    }
  }

  async *#pieces(store: Store, archive: Archive, chosen: Chosen, form: Form, target: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { saving } = this;
    if (saving === undefined) return;
    const { signal } = saving.abort;
    const progressed = (done: number): void => {
      saving.done = done;
      this.requestUpdate();
    };
    if (form === "csv" || form === "json") {
      const nameOf = ({ part }: { readonly part: number }): string => store.parts[part]?.name ?? store.name;
      yield* (form === "csv" ? table : jsonOf)(chosen.rows(signal), nameOf, progressed);
    } else if (form === "zip") {
      const stream = files(archive, chosen.rows(signal), signal, ({ done, broken }) => {
        saving.broken = broken;
        progressed(done);
      });
      yield* pieces(stream);
    } else {
      const numbers = await chosen.numbers(signal, (count) => {
        saving.found = count;
        this.requestUpdate();
      });
      saving.found = undefined;
      yield* archive.cut(numbers, {
        form,
        target,
        signal,
        onProgress: ({ seen }) => progressed(seen),
        onDamage: ({ damage }) => {
          if (damage.startsWith("write/")) saving.broken += 1;
        },
      });
    }
  }

  async *#counted(pieces: AsyncIterable<Uint8Array>, saving: Saving): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of pieces) {
      saving.bytes += piece.length;
      this.requestUpdate();
      yield piece;
    }
  }
}

customElements.define("stackroom-save", Save);

/** Of the list, or of what is given. */
export function askToSave(store: Store, source?: RowSource): void {
  openOnce("stackroom-save", (dialog) => Object.assign(dialog, { store, source }));
}
