/** What is kept of the documents of an archive, as it is asked for, and how the engine tells it. */

import type { RecordRow } from "../shapes.js";
import { Reader, readRow, type Writable } from "../wire.js";

/** Numbered as the engine does, as are the other names here. */
const KINDS = ["html", "xhtml", "text", "json", "xml", "feed", "pdf", "redirect"] as const;
export type DocumentKind = (typeof KINDS)[number];
const LINK_KINDS = ["anchor", "media", "frame", "script", "style", "form", "other"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];
const ORDERS = ["file", "title", "time"] as const;
export type DocumentOrder = (typeof ORDERS)[number];

/** What a record says to a reader. What there is none of is left out. */
export interface DocumentFacts {
  readonly kind: DocumentKind;
  readonly title?: string;
  /** A language tag in small letters. */
  readonly language?: string;
  readonly description?: string;
  /** URLs are resolved. */
  readonly icon?: string;
  readonly canonical?: string;
  /** Where a redirect leads, or a page by itself. */
  readonly redirect?: string;
  /** What links are relative to. */
  readonly base: string;
  /** A piece that a page fetched for itself. */
  readonly isFragment: boolean;
  /** There is more text, or there are more links, than are kept. */
  readonly isCut: boolean;
  /** The body is not all there. */
  readonly isPartial: boolean;
  /** False where the archive has more text than is kept of one. */
  readonly isTextKept: boolean;
  /** In UTF-8. */
  readonly textBytes: number;
  readonly linkCount: number;
}

export interface KeptDocument {
  readonly record: RecordRow;
  readonly document: DocumentFacts;
}

export interface DocumentLink {
  readonly kind: LinkKind;
  /** Resolved, or as it is written where that is no URL. */
  readonly url: string;
}

export interface DocumentsAsked {
  /** As the records lie in the files, where it is left out. */
  readonly order?: DocumentOrder | undefined;
  readonly from: number;
  readonly count: number;
  /** Counted and told from the end. */
  readonly isDescending?: boolean | undefined;
  /** Web pages in one language; `und` for those whose language is not known. */
  readonly language?: string | undefined;
  /** What is no web page, in place of web pages. */
  readonly kind?: OtherKind | undefined;
}

/** Pages are `html`, `xhtml` and `pdf`; redirects are in no list. */
export type OtherKind = Extract<DocumentKind, "text" | "json" | "xml" | "feed">;

export interface DocumentCounts {
  /** Web pages: what `documents` lists. */
  readonly pages: number;
  readonly languages: readonly { readonly language: string; readonly count: number }[];
  /** All documents but fragments. */
  readonly kinds: Readonly<Record<DocumentKind, number>>;
  readonly fragments: number;
}

/** `KeptIndex`, as far as it is asked for documents. */
export interface DocumentsEngine {
  list_documents(language: string | undefined, kind: number | undefined, order: number, from: number, count: number, isDescending: boolean): number;
  document_of(row: number): number;
  document_pieces(isText: boolean, row: number, from: number, count: number): number;
  document_languages(): number;
  document_kinds(): number;
  pieces_told(): number;
  take_value(): Uint8Array;
}

/** Runs an operation of the engine until nothing is missing for it. */
export type Run = (operation: () => number) => Promise<void>;

/** Each may lie in blocks of its own, which must be there together. */
const LISTED_AT_ONCE = 20;
const PIECES_AT_ONCE = 16;

export async function listDocuments(engine: DocumentsEngine, run: Run, { order = "file", from, count, isDescending = false, language, kind }: DocumentsAsked): Promise<KeptDocument[]> {
  const found: KeptDocument[] = [];
  while (found.length < count) {
    const wanted = Math.min(LISTED_AT_ONCE, count - found.length);
    await run(() => engine.list_documents(language, kind && KINDS.indexOf(kind), ORDERS.indexOf(order), from + found.length, wanted, isDescending));
    const some = decodeDocuments(engine.take_value());
    found.push(...some);
    if (some.length < wanted) break;
  }
  return found;
}

export async function documentOf(engine: DocumentsEngine, run: Run, row: number): Promise<KeptDocument | undefined> {
  await run(() => engine.document_of(row));
  return decodeDocuments(engine.take_value())[0];
}

export async function textOf(engine: DocumentsEngine, run: Run, row: number): Promise<string> {
  return new TextDecoder().decode(await pieces(engine, run, true, row));
}

export async function linksOf(engine: DocumentsEngine, run: Run, row: number): Promise<DocumentLink[]> {
  const base = (await documentOf(engine, run, row))?.document.base ?? "";
  const reader = new Reader(await pieces(engine, run, false, row));
  const links: DocumentLink[] = [];
  while (!reader.isAtEnd) links.push({ kind: LINK_KINDS[reader.number()] ?? "other", url: resolved(reader.text(), base) });
  return links;
}

export async function countDocuments(engine: DocumentsEngine, run: Run): Promise<DocumentCounts> {
  await run(() => engine.document_languages());
  let reader = new Reader(engine.take_value());
  const languages: { language: string; count: number }[] = [];
  while (!reader.isAtEnd) languages.push({ language: reader.text(), count: reader.number() });
  await run(() => engine.document_kinds());
  reader = new Reader(engine.take_value());
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<DocumentKind, number>;
  let fragments = 0;
  for (const kind of KINDS) {
    if (reader.isAtEnd) break;
    kinds[kind] = reader.number();
    fragments += reader.number();
  }
  return { pages: kinds.html + kinds.xhtml + kinds.pdf, languages, kinds, fragments };
}

async function pieces(engine: DocumentsEngine, run: Run, isText: boolean, row: number): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  for (let from = 0; ; ) {
    await run(() => engine.document_pieces(isText, row, from, PIECES_AT_ONCE));
    found.push(engine.take_value());
    const told = engine.pieces_told();
    from += told;
    if (told < PIECES_AT_ONCE) break;
  }
  const bytes = new Uint8Array(found.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of found) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const [FRAGMENT, CUT, PARTIAL, TEXT_NOT_KEPT] = [1, 2, 4, 8];

function decodeDocuments(bytes: Uint8Array): KeptDocument[] {
  const reader = new Reader(bytes);
  const found: KeptDocument[] = [];
  while (!reader.isAtEnd) {
    const record = readRow(reader);
    found.push({ record, document: decodeFacts(reader.inner(), record.url) });
  }
  return found;
}

export function decodeFacts(reader: Reader, url: string): DocumentFacts {
  const kind = KINDS[reader.number()] ?? "html";
  const flags = reader.number();
  const title = reader.text();
  const language = reader.text();
  const description = reader.text();
  const icon = reader.text();
  const canonical = reader.text();
  const redirect = reader.text();
  const stated = reader.text();
  const base = stated === "" ? url : resolved(stated, url);
  const facts: Writable<DocumentFacts> = {
    kind,
    base,
    isFragment: (flags & FRAGMENT) !== 0,
    isCut: (flags & CUT) !== 0,
    isPartial: (flags & PARTIAL) !== 0,
    isTextKept: (flags & TEXT_NOT_KEPT) === 0,
    textBytes: reader.number(),
    linkCount: reader.number(),
  };
  if (title !== "") facts.title = title;
  if (language !== "") facts.language = language;
  if (description !== "") facts.description = description;
  if (icon !== "") facts.icon = resolved(icon, base);
  if (canonical !== "") facts.canonical = resolved(canonical, base);
  if (redirect !== "") facts.redirect = resolved(redirect, kind === "redirect" ? url : base);
  return facts;
}

function resolved(link: string, base: string): string {
  try {
    return new URL(link, base).href;
  } catch {
    return link;
  }
}
