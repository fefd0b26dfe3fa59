/** The library on the start page: every archive that is kept, what can be done with it, and how much room there is. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { KeptArchive, KeptFile } from "stackroom/library";

import { isReachable } from "../address.js";
import { visible } from "../content/visible.js";
import { chosenFiles, type NamedFile } from "../drop.js";
import { formatBytes, formatCaptured, formatCount } from "../format.js";
import "../search/everywhere.js";
import type { Store } from "../state.js";
import { icons } from "../views/icons.js";
import "../views/menu.js";
import { base, controls } from "../views/styles.js";
import { Watch } from "../watch.js";
import { words as common } from "../words.js";
import { askToDescribe } from "./describe.js";
import { filesOf } from "./handles.js";
import { askToRemove, nameOf } from "./remove.js";
import "./room.js";
import { isSigned } from "./signed.js";
import { addressOf, difference, isFolder, keptFiles } from "./sources.js";
import { words } from "./words.js";

/** The library counts no further. */
const manyHosts = 1_000;

/** Another file than the library knows was chosen. */
interface Mistaken {
  readonly entry: KeptArchive;
  readonly files: readonly NamedFile[];
  readonly known: string;
  readonly given: string;
}

export class Shelves extends LitElement {
  static override properties = { store: { attribute: false }, mistaken: { state: true }, trouble: { state: true } };
  static override styles = [
    base,
    controls,
    css`
      section {
        display: grid;
        gap: 8px;
        padding-block-start: 1.15rem;
        border-block-start: 1px solid var(--line);
      }
      h2 {
        font: 600 18px/1.3 var(--serif);
      }
      .empty {
        color: var(--ink-soft);
      }
      ul {
        margin: 0;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--paper);
        list-style: none;
        overflow: clip;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        padding-inline-end: 8px;
      }
      li + li {
        border-block-start: 1px solid var(--line-soft);
      }
      li:hover {
        background: var(--paper-hover);
      }
      .open {
        display: grid;
        justify-items: start;
        gap: 2px;
        min-block-size: 52px;
        padding: 8px 14px;
        border: 0;
        border-radius: 0;
        background: none;
        text-align: start;
        white-space: normal;
      }
      .open:hover:not(:disabled) {
        background: none;
      }
      .open:focus-visible {
        outline-offset: -3px;
      }
      .name {
        font-size: 14px;
        font-weight: 600;
        line-height: 1.35;
        overflow-wrap: anywhere;
        unicode-bidi: isolate;
      }
      .facts,
      .note {
        color: var(--ink-soft);
        font-size: var(--text-small);
        line-height: 1.45;
        overflow-wrap: anywhere;
        font-variant-numeric: tabular-nums;
      }
      .warn {
        color: var(--warn);
        font-weight: 600;
      }
      .tag {
        display: inline-block;
        margin-inline-end: 4px;
        padding: 0 6px;
        border: 1px solid var(--line);
        border-radius: 9px;
        color: var(--ink-soft);
        font-size: 11px;
        font-weight: 400;
        line-height: 16px;
      }
      input[type="file"] {
        display: none;
      }
      .alert {
        display: grid;
        gap: 8px;
        padding: 0.8rem 1rem;
        border-inline-start: 4px solid var(--warn);
        background: var(--warn-wash);
        overflow-wrap: anywhere;
      }
      .alert div {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
    `,
  ];
  declare store: Store;
  declare mistaken: Mistaken | undefined;
  declare trouble: string;
  #wanted: KeptArchive | undefined;

  constructor() {
    super();
    this.trouble = "";
    new Watch(this, "library");
  }

  override render(): TemplateResult | typeof nothing {
    const { library } = this.store;
    if (library === undefined) return nothing;
    const { entries } = library;
    return html`
      <section aria-labelledby="library">
        <h2 id="library">${words.library}</h2>
        ${entries.some(({ state }) => state === "ready")
          ? html`<stackroom-everywhere .store=${this.store} @stackroom-open-kept=${(event: CustomEvent<KeptArchive>) => void this.#open(event.detail)}></stackroom-everywhere>`
          : nothing}
        ${this.#mistaken()} ${this.trouble === "" ? nothing : html`<p class="alert" role="alert">${this.trouble}</p>`}
        ${entries.length === 0
          ? html`<p class="empty">${words.libraryEmpty}</p>`
          : html`<ul>
              ${entries.map((entry) => this.#entry(entry))}
            </ul>`}
        ${entries.length === 0 ? nothing : html`<stackroom-room .store=${this.store}></stackroom-room>`}
      </section>
      <input type="file" id="files-again" multiple aria-hidden="true" tabindex="-1" @change=${this.#onChosen} />
      <input type="file" id="folder-again" webkitdirectory aria-hidden="true" tabindex="-1" @change=${this.#onChosen} />
    `;
  }

  #entry(entry: KeptArchive): TemplateResult {
    const name = nameOf(entry);
    const { title, tags = [], note, copy, format, bytes, records, hosts, captured, added, opened, indexBytes } = entry;
    const facts = [
      title === undefined ? undefined : visible(entry.name, 200),
      common.formatName[format] ?? format,
      bytes === undefined ? undefined : formatBytes(bytes),
      common.recordCount(formatCount(records), records === 1),
      hosts === undefined || hosts === 0 ? undefined : words.hostCount(formatCount(hosts), hosts === 1, hosts >= manyHosts),
      captured && words.capturedBetween(day(captured.from), day(captured.to)),
      opened === undefined ? words.addedOn(when(added)) : words.openedOn(when(opened)),
      words.indexTakes(formatBytes(indexBytes)),
      copy && words.copyTakes(formatBytes(copy.bytes)),
    ].filter((fact) => fact !== undefined);
    return html`
      <li>
        <button class="open" @click=${() => void this.#open(entry)}>
          <span class="name">${name}</span>
          <span class="facts">${facts.join(" \u00b7 ")}</span>
          <span class="facts">${this.#state(entry)}${tags.length === 0 ? nothing : html` ${tags.map((tag) => html`<span class="tag">${visible(tag, 60)}</span>`)}`}</span>
          ${note === undefined ? nothing : html`<span class="note">${visible(note, 300)}</span>`}
        </button>
        <stackroom-menu label=${words.entryActions(name)} .icon=${icons.menu}>
          <button role="menuitem" @click=${() => void this.#open(entry)}><span>${words.open}</span></button>
          <button role="menuitem" @click=${() => askToDescribe(this.store, entry)}><span>${words.rename}</span></button>
          <button role="menuitem" @click=${() => void this.store.library?.check(entry.id)}><span>${words.checkIndex}</span></button>
          ${copy === undefined
            ? nothing
            : html`<button role="menuitem" @click=${() => void this.store.library?.dropCopy(entry.id)}><span>${words.dropCopy(formatBytes(copy.bytes))}</span></button>`}
          <button role="menuitem" @click=${() => askToRemove(this.store, entry)}><span>${words.remove}</span></button>
        </stackroom-menu>
      </li>
    `;
  }

  #state({ id, state, source, copy, records, share, damageCount }: KeptArchive): TemplateResult {
    const { states } = words;
    const needsFile = copy === undefined && !isReachable(source) && this.store.library?.handled.has(id) !== true;
    const said = [
      state === "ready" ? html`<span>${states.ready}</span>` : html`<span class="warn">${states.indexing(share === undefined ? "" : String(Math.floor(share * 100)), formatCount(records))}</span>`,
      ...(needsFile ? [html`<span>${states.fileNeeded}</span>`] : []),
      ...(copy === undefined && isSigned(source) ? [html`<span>${states.linkNeeded}</span>`] : []),
      ...(damageCount === 0 ? [] : [html`<span class="warn">${states.problems(formatCount(damageCount), damageCount === 1)}</span>`]),
    ];
    return html`${said.map((one, at) => html`${at === 0 ? "" : " \u00b7 "}${one}`)}`;
  }

  #mistaken(): TemplateResult | typeof nothing {
    const { mistaken } = this;
    if (mistaken === undefined) return nothing;
    return html`
      <div class="alert" role="alert">
        <strong>${words.otherFile}</strong>
        <span>${words.otherFileWhat(mistaken.known, mistaken.given)}</span>
        <div>
          <button @click=${() => this.#choose(mistaken.entry)}>${words.chooseAgain}</button>
          <button @click=${() => void this.store.openFiles(mistaken.files)}>${words.openAnyway}</button>
        </div>
      </div>
    `;
  }

  // Opening again

  async #open(entry: KeptArchive): Promise<void> {
    this.mistaken = undefined;
    this.trouble = "";
    if (entry.copy !== undefined && (await this.#openCopy(entry.id))) return;
    const address = addressOf(entry);
    if (address !== undefined) {
      await this.store.openAddress(address);
      return;
    }
    if (isSigned(entry.source)) {
      this.trouble = words.linkNeeded(nameOf(entry));
      return;
    }
    // At once: a picker opens for a click alone.
    if (this.store.library?.handled.has(entry.id) !== true) {
      this.#choose(entry);
      return;
    }
    try {
      const files = await filesOf(entry.id);
      if (files === undefined) this.#choose(entry);
      else await this.#check(entry, files);
    } catch (error) {
      this.trouble = error instanceof DOMException && error.name === "NotAllowedError" ? words.notAllowed : words.fileGone;
    }
  }

  /** False where it is gone: then it is opened as if there had been none. */
  async #openCopy(id: number): Promise<boolean> {
    const files = await this.store.library?.library.copied(id).catch(() => undefined);
    if (files === undefined) {
      this.trouble = words.copyGone;
      return false;
    }
    await this.store.openFiles(files.map((source) => ({ source, name: source.name })));
    return true;
  }

  #choose(entry: KeptArchive): void {
    this.#wanted = entry;
    this.store.say(words.needsFile(nameOf(entry)));
    const what = isFolder(entry) ? "folder" : "files";
    const otherwise = (): void => this.renderRoot.querySelector<HTMLInputElement>(`#${what}-again`)?.click();
    void this.store.library?.pick(what, otherwise).then((files) => files && this.#check(entry, files));
  }

  #onChosen(event: Event): void {
    const input = event.currentTarget;
    if (!(input instanceof HTMLInputElement) || this.#wanted === undefined) return;
    const files = chosenFiles(input.files);
    input.value = "";
    if (files.length > 0) void this.#check(this.#wanted, files);
  }

  /** Opens the files where they are those that the library knows, and says it where they are others. */
  async #check(entry: KeptArchive, files: readonly NamedFile[]): Promise<void> {
    const differs = difference(entry, await keptFiles(files));
    if (differs === undefined) await this.store.openFiles(files);
    else this.mistaken = { entry, files, known: said(differs.known), given: said(differs.given) };
  }
}

function said(file: KeptFile | undefined): string {
  if (file === undefined) return words.noFile;
  return words.fileSaid(visible(file.name, 200), formatBytes(file.size ?? 0), formatCaptured(file.modified));
}

const day = (ms: number): string => formatCaptured(ms).slice(0, 10);
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const when = (ms: number): string => dates.format(ms);

customElements.define("stackroom-shelf", Shelves);
