/** What the files of the archive say of themselves, whether it holds, and who signed it. */
import { css, html, nothing, type TemplateResult } from "lit";
import type { ArchiveFact } from "stackroom";

import { visible } from "../content/visible.js";
import { formatBytes, formatCount } from "../format.js";
import type { Store } from "../state.js";
import { words } from "../words.js";
import "./check.js";
import { Dialog } from "./dialog.js";
import { verdicts } from "./styles.js";

type Of<Kind extends ArchiveFact["aside"]> = Extract<ArchiveFact, { aside: Kind }>;

/** More names than this are counted only. */
const namesMax = 20;
const partsMax = 500;

export class About extends Dialog {
  static override properties = { store: { attribute: false }, facts: { state: true } };
  static override styles = [
    ...Dialog.styles,
    verdicts,
    css`
      :host {
        --dialog-width: 720px;
      }
      section {
        display: grid;
        gap: 6px;
        padding: 12px 18px;
        border-block-end: 1px solid var(--line-soft);
        overflow-wrap: anywhere;
      }
      h3 {
        font: 600 var(--text) / 1.4 var(--sans);
      }
    `,
  ];
  declare store: Store;
  declare facts: readonly ArchiveFact[];

  constructor() {
    super();
    this.facts = [];
  }

  override show(): void {
    this.facts = [];
    void this.store.archive?.facts().then(
      (facts) => (this.facts = facts),
      () => undefined,
    );
    this.requestUpdate();
    super.show();
  }

  protected override heading(): string {
    return visible(this.store.name, 200);
  }

  protected override content(): unknown {
    const { store } = this;
    const size = store.progress?.bytesTotal ?? store.progress?.bytes ?? 0;
    const sources = [...new Set(this.facts.map(({ source }) => source))];
    return html`
      <section>
        <p>${words.formatName[store.archive?.format ?? ""] ?? ""} \u00b7 ${formatBytes(size)} \u00b7 ${words.recordCount(formatCount(store.progress?.records ?? 0), store.progress?.records === 1)}</p>
      </section>
      ${sources.map((source) => this.#package(this.facts.filter((fact) => fact.source === source)))}
      <section>
        <h3>${words.check}</h3>
        <stackroom-check .store=${store} .archive=${store.archive}></stackroom-check>
      </section>
      ${this.#parts()}
    `;
  }

  #package(facts: readonly ArchiveFact[]): TemplateResult {
    const of = <Kind extends ArchiveFact["aside"]>(kind: Kind): Of<Kind>[] => facts.filter((fact): fact is Of<Kind> => fact.aside === kind);
    return html`
      ${of("about").map(({ title, software, created }) => this.#about(title, software, created))} ${this.#resources(of("resource"))}
      ${of("signature").map((signature) => this.#signature(signature))}
    `;
  }

  #about(title: string | undefined, software: string | undefined, created: string | undefined): TemplateResult | typeof nothing {
    const said = [title, software, created].filter((text) => text !== undefined);
    if (said.length === 0) return nothing;
    return html`<section><h3>${words.packageSays}</h3>${said.map((text) => html`<p>${visible(text, 400)}</p>`)}</section>`;
  }

  #resources(resources: readonly Of<"resource">[]): TemplateResult | typeof nothing {
    if (resources.length === 0) return nothing;
    const verdicts = [...new Set(resources.map(({ verdict }) => verdict))];
    return html`
      <section>
        <h3>${words.manifest}</h3>
        ${verdicts.map((verdict) => {
          const those = resources.filter((one) => one.verdict === verdict);
          const kind = verdict === "holds" ? "good" : verdict === "differs" || verdict === "missing" ? "bad" : "soft";
          const shown = verdict === "holds" ? [] : those.slice(0, namesMax);
          return html`<p class=${kind}>${words.manifestVerdict[verdict](formatCount(those.length), those.length === 1)}</p>
            ${shown.length === 0 ? nothing : html`<ul>${shown.map(({ file }) => html`<li>${visible(file, 300)}</li>`)}</ul>`}`;
        })}
      </section>
    `;
  }

  #signature(signature: Of<"signature">): TemplateResult {
    const { digest, is_signed: isSigned, is_valid: isValid, signer, stamped } = signature;
    const verdict = !isSigned ? words.unsigned : isValid === true ? words.signatureValid : isValid === false ? words.signatureInvalid : words.signatureUnread;
    const kind = isValid === true ? "good" : isValid === false ? "bad" : "soft";
    return html`
      <section>
        <h3>${words.signature}</h3>
        <p class=${kind}>${verdict}</p>
        ${digest === "differs" ? html`<p class="bad">${words.manifestDiffers}</p>` : nothing}
        ${signature.words === "" ? nothing : html`<p>${visible(signature.words, 2_000)}</p>`}
        ${signer === undefined ? nothing : html`<p class="soft">${words.signedBy(visible(signer, 200))}</p>`}
        ${stamped === undefined ? nothing : html`<p class="soft">${words.stampedAt(visible(stamped, 60))}</p>`}
      </section>
    `;
  }

  #parts(): TemplateResult | typeof nothing {
    const { parts } = this.store;
    if (parts.length < 2) return nothing;
    return html`
      <section>
        <h3>${words.partsTitle(formatCount(parts.length))}</h3>
        <ul>
          ${parts.slice(0, partsMax).map(({ name, format }) => html`<li>${visible(name, 300)} <span class="soft">${words.formatName[format] ?? format}</span></li>`)}
        </ul>
      </section>
    `;
  }
}

customElements.define("stackroom-about", About);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-about": About;
  }
}
