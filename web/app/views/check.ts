/** Reads every byte of the archive on demand and shows each problem: what `stackroom check` does. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import type { Problem, ReadProgress } from "stackroom";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { isAbort, troubleOf } from "../trouble.js";
import { words } from "../words.js";
import { base, controls, verdicts } from "./styles.js";

/** More problems than this are counted only. */
const shownMax = 200;
const redrawMs = 100;

interface Checked {
  readonly problems: Problem[];
  problemCount: number;
  records: number;
  digests: number;
  progress: ReadProgress;
  state: "running" | "done" | "stopped" | { readonly failed: string };
}

export class Check extends LitElement {
  static override properties = { store: { attribute: false }, archive: { attribute: false } };
  static override styles = [
    base,
    controls,
    verdicts,
    css`
      :host {
        display: grid;
        gap: 6px;
        justify-items: start;
        overflow-wrap: anywhere;
      }
      progress {
        inline-size: min(360px, 100%);
        accent-color: var(--accent);
      }
    `,
  ];
  declare store: Store;
  declare archive: Store["archive"];
  #checked: Checked | undefined;
  #abort = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort.abort();
  }

  override willUpdate(changed: PropertyValues): void {
    // What was found in another archive is no answer about this one.
    if (changed.has("archive")) this.#forget();
  }

  override render(): TemplateResult {
    const checked = this.#checked;
    const isRunning = checked?.state === "running";
    return html`
      <div role="status">${checked === undefined ? html`<p class="soft">${words.checkHint}</p>` : this.#verdict(checked)}</div>
      ${checked !== undefined && isRunning ? this.#progress(checked.progress) : nothing}
      ${checked === undefined || checked.problems.length === 0 ? nothing : this.#list(checked)}
      <button type="button" @click=${isRunning ? this.#stop : this.#start}>${isRunning ? words.checkStop : words.checkStart}</button>
    `;
  }

  #progress({ bytes, bytesTotal }: ReadProgress): TemplateResult {
    const sizes = bytesTotal === undefined ? formatBytes(bytes) : words.ofTotal(formatBytes(bytes), formatBytes(bytesTotal));
    return html`<progress aria-label=${words.checkStart} max=${bytesTotal ?? nothing} value=${bytesTotal === undefined ? nothing : bytes}></progress>
      <p class="soft">${sizes}</p>`;
  }

  #verdict({ state, problemCount, records, digests }: Checked): TemplateResult {
    const found = words.checkFound(formatCount(problemCount), problemCount);
    if (state === "running") return html`<p>${words.checking} ${problemCount === 0 ? nothing : found}</p>`;
    if (state === "stopped") return html`<p>${words.checkStopped} ${found}</p>`;
    if (state !== "done") return html`<p class="bad">${state.failed}</p>`;
    return html`<p class=${problemCount === 0 ? "good" : "bad"}>${found}</p>
      <p>${words.checkedAll(formatCount(records), formatCount(digests))}</p>`;
  }

  #list({ problems, problemCount }: Checked): TemplateResult {
    return html`<ul>
        ${problems.map(({ file, offset, message }) => html`<li>${visible(message, 600)} <span class="soft">${words.checkPlace(formatCount(offset), visible(file ?? "", 300))}</span></li>`)}
      </ul>
      ${problemCount > problems.length ? html`<p class="soft">${words.checkMore(formatCount(problemCount - problems.length))}</p>` : nothing}`;
  }

  #forget(): void {
    this.#abort.abort();
    this.#checked = undefined;
  }

  #stop(): void {
    this.#abort.abort();
  }

  async #start(): Promise<void> {
    this.#forget();
    this.#abort = new AbortController();
    const checked: Checked = { problems: [], problemCount: 0, records: 0, digests: 0, progress: { bytes: 0 }, state: "running" };
    this.#checked = checked;
    this.requestUpdate();
    let drawnAt = performance.now();
    const progressed = (progress: ReadProgress): void => {
      checked.progress = progress;
      this.requestUpdate();
    };
    try {
      for await (const told of this.store.check(this.#abort.signal, progressed)) {
        if ("checked" in told) {
          checked.records += told.records;
          checked.digests += told.digests;
          continue;
        }
        checked.problemCount += 1;
        if (checked.problems.length < shownMax) checked.problems.push(told);
        if (performance.now() - drawnAt < redrawMs) continue;
        drawnAt = performance.now();
        this.requestUpdate();
      }
      checked.state = "done";
    } catch (error) {
      checked.state = isAbort(error) ? "stopped" : { failed: troubleOf(error).title };
    }
    this.requestUpdate();
  }
}

customElements.define("stackroom-check", Check);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-check": Check;
  }
}
