/** Web pages of the corpus, read by the engine and by a parser that makes trees: titles, links and words must be the same. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openArchive } from "stackroom";
import initDocuments, { read_documents } from "../../web/lib/wasm/documents.js";
import { documentsIn, type ReadDocument } from "../web/support/documents.js";
import { factsByTree } from "./pagetree.js";

const corpus = process.env["STACKROOM_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));
const isThere = existsSync(`${corpus}/files`);

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));

function varint(value: number): number[] {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** A page in UTF-8, as the engine hands it to the reader of documents. */
function found(markup: string): Uint8Array {
  const body = new TextEncoder().encode(markup);
  const charset = new TextEncoder().encode("utf-8");
  return new Uint8Array([...varint(0), ...varint(0), ...varint(0), ...varint(charset.length), ...charset, 0, 0, ...varint(body.length), ...body]);
}

const read = (markup: string): ReadDocument => [...documentsIn(read_documents(found(markup)))][0] as ReadDocument;

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** All pages of the corpus once, by what they are. */
async function pages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const path of filesBelow(`${corpus}/files`)) {
    if (statSync(path).size === 0 || !/\.(?:w?arc|har|wacz|wbn|zip|tar|gz|zst)$/.test(path)) continue;
    const archive = await openArchive(path).catch(() => undefined);
    if (!archive) continue;
    await archive.indexed.catch(() => {});
    for await (const row of archive.records()) {
      if (row.mime !== "text/html" || row.type !== "response" || row.size === 0) continue;
      const body = await archive.bytes(row, "body", { limit: 4 << 20 }).catch(() => undefined);
      if (body) pages.set(decoded(body), `${path.slice(corpus.length)} ${row.url}`);
    }
    await archive.close();
  }
  return pages;
}

beforeAll(async () => {
  await initDocuments({ module_or_path: readFileSync(new URL("../../web/lib/wasm/documents_bg.wasm", import.meta.url)) });
});

/** Pieces of markup that mean something to a parser. */
const PIECES = [
  ..."< > </ /> <!-- --> --!> <! <?x ?> <svg> </svg> <svg/> <math> </math> <mi> </mi> <title> </title> <script> </script> <style> </style> <template> </template>".split(" "),
  ..."<p> </p> <div> </div> <b> </b> <a_href= <img_alt=\" <img_src=x_ \" ' = & &amp; &# x; &notin a b1 <textarea> </textarea> <noscript> </noscript>".replaceAll("_", "\t").split(" "),
  ..."<foreignObject> </foreignObject> <![CDATA[ ]]> <xmp> </xmp> <iframe> </iframe> - ! / <pre> </pre> <desc> </desc> <br/> <li> <h1> </h1> <text> </text>".split(" "),
  ...[" ", "\n", "\u00e4", "<base href=q>"],
];

test("made-up markup says what its tree says, but where only a tree can tell", () => {
  const count = 60_000;
  let state = 12_345;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const differing: string[] = [];
  for (let n = 0; n < count; n++) {
    const markup = `<!doctype html><body>${Array.from({ length: 1 + below(14) }, () => PIECES[below(PIECES.length)]).join("")}`;
    const [tree, ours] = [factsByTree(markup), read(markup)];
    // A stray end tag parts words here, and is nothing in a tree.
    const same = [
      tree.title === "" || ours.title === tree.title,
      ours.base === tree.base,
      ours.text.replace(/[ \n]/g, "") === tree.words.join(""),
      String(ours.links.map((link) => link.join(" ")).sort()) === String([...tree.links].sort()),
    ];
    if (same.includes(false)) differing.push(markup);
  }
  // Drawings and formulas that are ended by what they lie in, or hold each other.
  expect(differing.filter((markup) => !/<(?:svg|math)>/.test(markup))).toEqual([]);
  expect(differing.length).toBeLessThan(count / 2000);
});

describe.skipIf(!isThere)("corpus", () => {
  test("pages say what their trees say", { timeout: 300_000 }, async () => {
    let compared = 0;
    for (const [markup, name] of await pages()) {
      // Pictures that are sent as pages: control characters are read differently, and mean nothing.
      if (markup.includes("\0")) continue;
      const tree = factsByTree(markup);
      const { title, base, text, links } = read(markup);
      const ours = { title: tree.title === "" ? "" : title, base, words: text.split(/[ \n]/).filter(Boolean), links: links.map((link) => link.join(" ")) };
      expect({ ...ours, links: ours.links.sort() }, name).toEqual({ title: cut(tree.title), base: tree.base, words: tree.words, links: tree.links.sort() });
      compared++;
    }
    expect(compared).toBeGreaterThan(370);
  });
});

/** Titles are bounded. */
function cut(title: string): string {
  const bytes = new TextEncoder().encode(title);
  return new TextDecoder().decode(bytes.subarray(0, 500)).replace(/\ufffd+$/, "");
}
