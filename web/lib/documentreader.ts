/** What bodies say that were found to be documents: the module for them, and that for PDFs, which is fetched for the first one. */

import type { DocumentsExports, PdfExports } from "./module.js";

export class DocumentReader {
  readonly #documents: DocumentsExports;
  readonly #loadPdf: () => Promise<PdfExports>;
  #pdf: Promise<PdfExports> | undefined;

  constructor(documents: DocumentsExports, loadPdf: () => Promise<PdfExports>) {
    this.#documents = documents;
    this.#loadPdf = loadPdf;
  }

  async read(found: Uint8Array): Promise<Uint8Array> {
    if (!this.#documents.has_pdf(found)) return this.#documents.read_documents(found);
    this.#pdf ??= this.#loadPdf();
    const pdf = await this.#pdf;
    const read = (body: Uint8Array): Uint8Array | undefined => readPdf(pdf, body);
    return this.#documents.read_documents(found, { read });
  }
}

/** One that asks for more memory than there may be, or for what nobody foresaw, is one without text. */
function readPdf(pdf: PdfExports, body: Uint8Array): Uint8Array | undefined {
  try {
    return pdf.read_pdf(body);
  } catch {
    pdf.renew();
    return undefined;
  }
}
