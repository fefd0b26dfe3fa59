/** PDFs among the documents: read by a module of their own, which is fetched for the first one and may break off. */
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { DocumentReader } from "../../web/lib/documentreader.js";
import type { DocumentsExports, PdfExports } from "../../web/lib/module.js";
import { openArchive } from "../../web/lib/node.js";
import { drawn, pdf } from "../fixtures/pdf.mjs";
import { concat, exchange, warcInfo } from "../fixtures/warc.js";
import { documentsIn, type ReadDocument } from "./support/documents.js";

const report = pdf(drawn("Words in two lines, of which the first is divi-", "ded and has an \\001 in it."));

async function read(...bodies: { readonly type?: string; readonly body: Uint8Array | string }[]): Promise<ReadDocument[]> {
  const records = bodies.map(({ type = "application/pdf", body }, at) => concat(...exchange({ url: `http://a.test/${at}`, headers: { "Content-Type": type }, body })));
  const archive = await openArchive(concat(warcInfo({}), ...records), { withDocuments: true });
  const documents: ReadDocument[] = [];
  for await (const { documents: lot } of archive.documents()) documents.push(...documentsIn(lot));
  await archive.close();
  return documents;
}

test("a PDF says its title, its language, its text in blocks, and where its links lead", async () => {
  const [document] = await read({ body: report });
  expect(document).toMatchObject({ kind: "pdf", title: "A report", language: "en", isCut: false, isPartial: false });
  expect(document?.text).toBe("Words in two lines, of which the first is divided and has an \u00f6 in it.\nwithin a form");
  expect(document?.links.map(([, url]) => url)).toEqual(["http://a.test/linked"]);
});

test("one that cannot be read is a document without text, and others are read beside it", async () => {
  const documents = await read({ body: "%PDF-1.4 and nothing else" }, { body: report.subarray(0, report.length / 2) }, { type: "text/html", body: "<title>page</title>" }, { body: report });
  expect(documents.map(({ kind }) => kind)).toEqual(["pdf", "pdf", "html", "pdf"]);
  expect(documents.map(({ title }) => title)).toEqual(["", expect.anything(), "page", "A report"]);
});

test("one that is longer than a page may be is read whole, and a stated type is believed", async () => {
  const long = pdf(drawn("At its end it says where its pages are"), { padding: 5 << 20 });
  const [document, sniffed] = await read({ body: long }, { type: "", body: report });
  expect(document).toMatchObject({ isCut: false });
  expect(document?.text).toContain("where its pages are");
  expect(sniffed).toMatchObject({ kind: "pdf" });
});

test("the module is fetched once, for the first PDF, and is made anew where it broke off at one", async () => {
  let loads = 0;
  const calls: string[] = [];
  const pdfs = {
    read_pdf(body: Uint8Array) {
      calls.push(`read ${body.length}`);
      if (body.length === 0) throw new WebAssembly.RuntimeError("unreachable");
      return body;
    },
    renew: () => calls.push("renew"),
  };
  type Reading = { readonly read: (body: Uint8Array) => Uint8Array | undefined };
  const documents = {
    has_pdf: (found: Uint8Array) => found.length !== 1,
    read_documents: (found: Uint8Array, pdf?: Reading) => (pdf ? (pdf.read(found) ?? new Uint8Array([9])) : found),
  };
  const load = async (): Promise<PdfExports> => {
    loads += 1;
    return pdfs as unknown as PdfExports;
  };
  const reader = new DocumentReader(documents as unknown as DocumentsExports, load);
  expect([...(await reader.read(new Uint8Array([1])))]).toEqual([1]);
  expect(loads).toBe(0);
  expect([...(await reader.read(new Uint8Array(0)))]).toEqual([9]);
  expect([...(await reader.read(new Uint8Array([1, 2])))]).toEqual([1, 2]);
  expect({ loads, calls }).toEqual({ loads: 1, calls: ["read 0", "renew", "read 2"] });
});

test("one that inflates without end is lost alone, and the memory that it took is given back", async () => {
  const { default: init, read_pdf, renew } = await import("../../web/lib/wasm/pdf.js");
  const { memory } = await init({ module_or_path: readFileSync(new URL("../../web/lib/wasm/pdf_bg.wasm", import.meta.url)) });
  const content = deflateSync(Buffer.alloc(560 << 20));
  const head = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj 4 0 obj<</Filter/FlateDecode/Length ";
  const bomb = Buffer.concat([Buffer.from(`${head}${content.length}>>stream\n`), content, Buffer.from("\nendstream endobj trailer<</Root 1 0 R>>")]);
  expect(() => read_pdf(bomb)).toThrow(WebAssembly.RuntimeError);
  expect(memory.buffer.byteLength).toBeLessThanOrEqual(512 << 20);
  renew();
  const again = await init();
  expect(again.memory.buffer.byteLength).toBeLessThan(8 << 20);
  expect(read_pdf(report)?.length).toBeGreaterThan(0);
  const documents = await read({ body: bomb }, { body: report });
  expect(documents.map(({ title }) => title)).toEqual(["", "A report"]);
});
