/** What bodies say that were found to be documents: the module for them, and that for PDFs, which is fetched for the first one. */

import type { DocumentsExports, PdfExports } from "./module.js";

/** A module that broke off so often may be out of order. */
const BROKEN_MAX = 8;

export class DocumentReader {
  readonly #documents: DocumentsExports;
  readonly #loadPdf: () => Promise<PdfExports>;
  #pdf: Promise<PdfExports> | undefined;
  #broken = 0;

  constructor(documents: DocumentsExports, loadPdf: () => Promise<PdfExports>) {
    this.#documents = documents;
    this.#loadPdf = loadPdf;
  }

  async read(found: Uint8Array): Promise<Uint8Array> {
    if (!this.#documents.has_pdf(found)) return this.#documents.read_documents(found);
    const pdf = await (this.#pdf ??= this.#loadPdf());
    const read = (body: Uint8Array): Uint8Array | undefined => this.#readPdf(pdf, body);
    return this.#documents.read_documents(found, { read });
  }

  /** One that asks for more memory than there is, or for what nobody foresaw, is one without text. */
  #readPdf(pdf: PdfExports, body: Uint8Array): Uint8Array | undefined {
    if (this.#broken >= BROKEN_MAX) return undefined;
    try {
      return pdf.read_pdf(body);
    } catch {
      this.#broken += 1;
      return undefined;
    }
  }
}
