/**
 * A small picture of an archived raster image, drawn by the browser's own decoder once its bytes said what it is and
 * how large. Only what is on screen is read, a few at a time.
 */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import type { Archive, RecordRow } from "stackroom";

import { readRaster } from "../content/raster.js";

const bytesMax = 2_000_000;
const pixelsMax = 16_000_000;
/** What is only scrolled past is not read. */
const restMs = 120;

let last: Promise<unknown> = Promise.resolve();

/** One after the other: a list of images is not what the archive is read for. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

export class Thumb extends LitElement {
  static override properties = { archive: { attribute: false }, row: { attribute: false }, address: { state: true } };
  static override styles = css`
    :host {
      display: grid;
      place-content: center;
      overflow: hidden;
      border: 1px solid var(--line-soft);
      border-radius: 4px;
      background: var(--paper-code);
    }
    img {
      max-inline-size: 100%;
      max-block-size: 100%;
      object-fit: contain;
    }
  `;
  declare archive: Archive;
  declare row: RecordRow;
  declare address: string | undefined;
  #row: RecordRow | undefined;
  #abort = new AbortController();

  override willUpdate(): void {
    if (this.row === this.#row) return;
    this.#drop();
    this.#row = this.row;
    void this.#load(this.row, this.#abort.signal);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#drop();
    this.#row = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  #drop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    if (this.address !== undefined) URL.revokeObjectURL(this.address);
    this.address = undefined;
  }

  async #load(row: RecordRow, signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    if (signal.aborted || row.size > bytesMax) return;
    try {
      const bytes = await inTurn(async () => (signal.aborted ? undefined : this.archive.bytes(row, "body", { signal, limit: bytesMax + 1 })));
      if (bytes === undefined || signal.aborted || bytes.length > bytesMax) return;
      const raster = readRaster(bytes);
      if (raster?.size === undefined || raster.size.width * raster.size.height > pixelsMax) return;
      this.address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: raster.type }));
    } catch {
      // Without its picture the hit is there all the same.
    }
  }

  override render(): TemplateResult | typeof nothing {
    return this.address === undefined ? nothing : html`<img src=${this.address} alt="" decoding="async" @error=${() => this.#drop()} />`;
  }
}

customElements.define("stackroom-thumb", Thumb);
