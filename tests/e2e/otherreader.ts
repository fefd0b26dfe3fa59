/** What the web pages of a WARC file say, by readers that share nothing with the engine: warcio, and trees of parse5. */
import { createReadStream } from "node:fs";
import { WARCParser } from "warcio";
import { factsByTree } from "../conformance/pagetree.js";

export interface SaidPage {
  readonly url: string;
  readonly title: string;
  /** Words in lower case, one blank between them. */
  readonly words: string;
}

const inWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(" ")} `;

const known = new Map<string, Promise<SaidPage[]>>();

/** Read once, whoever asks. */
export function pagesOf(path: string): Promise<SaidPage[]> {
  const pages = known.get(path) ?? read(path);
  known.set(path, pages);
  return pages;
}

async function read(path: string): Promise<SaidPage[]> {
  const pages: SaidPage[] = [];
  for await (const record of new WARCParser(createReadStream(path))) {
    const http = record.httpHeaders;
    const isPage = record.warcType === "response" && Number(http?.statusCode) === 200 && http?.headers.get("content-type")?.includes("html") === true;
    if (!isPage) continue;
    const body = await record.readFully(true);
    const { title, words } = factsByTree(new TextDecoder().decode(body));
    pages.push({ url: record.warcTargetURI ?? "", title, words: inWords(words.join(" ")) });
  }
  return pages;
}

/** Pages with a phrase in their text or title. */
export const having = (pages: readonly SaidPage[], phrase: string): SaidPage[] => pages.filter(({ title, words }) => words.includes(inWords(phrase)) || inWords(title).includes(inWords(phrase)));
