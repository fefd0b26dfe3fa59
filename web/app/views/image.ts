/**
 * An archived raster image, drawn by the browser's own decoder.
 * The only place where archived bytes become a picture: their kind and dimensions are read from the bytes first, and the
 * blob: address carries that kind, never the one that the record claims. The address is revoked as soon as it is not shown.
 */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";

import { readRaster, type Raster } from "../content/raster.js";
import { formatBytes, formatCount } from "../format.js";
import type { OpenRecord } from "../record.js";
import { isAbort, troubleOf, type Trouble } from "../trouble.js";
import { words } from "../words.js";
import { base, messages } from "./styles.js";

const bytesMax = 33_554_432;
const pixelsMax = 64_000_000;

type Shown =
  | { readonly state: "loading" }
  | { readonly state: "refused"; readonly why: string }
  | { readonly state: "failed"; readonly trouble: Trouble }
  | { readonly state: "shown"; readonly raster: Raster; readonly address: string };

export class Picture extends LitElement {
  static override properties = { record: { attribute: false }, shown: { state: true } };
  static override styles = [
    base,
    messages,
    css`
      :host {
        display: grid;
        gap: 8px;
        justify-items: start;
      }
      img {
        max-inline-size: 100%;
        border: 1px solid var(--line);
        background: repeating-conic-gradient(light-dark(#ece8de, #262b2f) 0 25%, light-dark(#fffdf8, #1b1f22) 0 50%) 0 0 / 16px 16px;
      }
      p {
        color: var(--ink-soft);
      }
      .message {
        padding: 0;
      }
    `,
  ];
  declare record: OpenRecord;
  declare shown: Shown;

  constructor() {
    super();
    this.shown = { state: "loading" };
  }

  override willUpdate(changes: PropertyValues): void {
    if (!changes.has("record")) return;
    this.#revoke();
    this.shown = { state: "loading" };
    void this.#load(this.record);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#revoke();
    this.shown = { state: "loading" };
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated && this.shown.state === "loading") void this.#load(this.record);
  }

  #revoke(): void {
    if (this.shown.state === "shown") URL.revokeObjectURL(this.shown.address);
  }

  async #load(record: OpenRecord): Promise<void> {
    const next = await this.#read(record);
    if (next === undefined) return;
    if (record === this.record && this.isConnected) this.shown = next;
    else if (next.state === "shown") URL.revokeObjectURL(next.address);
  }

  async #read(record: OpenRecord): Promise<Shown | undefined> {
    try {
      const bytes = await record.body(bytesMax + 1);
      if (bytes.length > bytesMax) {
        const size = formatBytes(Math.max(record.row.size, bytes.length));
        return { state: "refused", why: words.imageTooManyBytes(size, formatBytes(bytesMax)) };
      }
      const raster = readRaster(bytes);
      if (raster?.size === undefined) return { state: "refused", why: words.imageNoSize };
      const { width, height } = raster.size;
      if (width * height > pixelsMax) {
        const limit = formatCount(pixelsMax / 1_000_000);
        return { state: "refused", why: words.imageTooManyPixels(formatCount(width), formatCount(height), limit) };
      }
      const blob = new Blob([new Uint8Array(bytes)], { type: raster.type });
      return { state: "shown", raster, address: URL.createObjectURL(blob) };
    } catch (error) {
      return isAbort(error) ? undefined : { state: "failed", trouble: troubleOf(error) };
    }
  }

  override render(): TemplateResult | typeof nothing {
    const { shown } = this;
    switch (shown.state) {
      case "loading":
        return html`<p>${words.loadingBody}</p>`;
      case "refused":
        return html`<p class="message" data-testid="image-refused">${shown.why}</p>`;
      case "failed":
        return html`<p class="message">${words.bodyFailed} <code>${shown.trouble.code}</code></p>`;
      case "shown": {
        const { width = 0, height = 0 } = shown.raster.size ?? {};
        return html`
          <p>${words.imageFacts(shown.raster.name, formatCount(width), formatCount(height))}</p>
          <img src=${shown.address} alt=${words.imageAlt} width=${width} height=${height} style="height: auto" decoding="async" @error=${this.#onBroken} />
        `;
      }
    }
  }

  #onBroken(): void {
    this.#revoke();
    this.shown = { state: "refused", why: words.imageBroken };
  }
}

customElements.define("stackroom-image", Picture);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-image": Picture;
  }
}
