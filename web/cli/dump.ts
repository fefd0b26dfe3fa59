/** `dump DIR`: what a folder keeps, as JSON lines: its archives, or rows or documents of one in any order. */

import { parseArgs } from "node:util";

import type { ArchiveIndex, DocumentOrder, Library, SortColumn } from "../lib/library/node.js";
import { COMMON, DAMAGED, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { keptFolder, numberOf, withLibrary } from "./kept.js";

const COLUMNS: readonly string[] = ["url", "time", "status", "mime", "type", "size"];
const DOCUMENT_ORDERS: readonly string[] = ["title", "time"];
const ROWS_AT_ONCE = 1_000;
const OPTIONS = { ...COMMON, id: { type: "string" }, sort: { type: "string" }, reverse: { type: "boolean" }, limit: { type: "string" }, documents: { type: "boolean" }, text: { type: "string" }, links: { type: "string" } } as const;

export const dump: Command = {
  synopsis: "dump DIR [--id N [--documents | --text ROW | --links ROW]] [--sort COLUMN] [--reverse] [--limit N]",
  purpose: "what a folder keeps: its archives, or of one of them the records or web pages in any order, or what a page says",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    const folder = keptFolder("dump", positionals);
    const orders = values.documents === true ? DOCUMENT_ORDERS : COLUMNS;
    if (values.sort !== undefined && !orders.includes(values.sort)) throw new UsageError(`--sort takes one of ${orders.join(", ")}`);
    const [id, limit] = [numberOf("id", values.id), numberOf("limit", values.limit) ?? Infinity];
    const [text, links] = [numberOf("text", values.text), numberOf("links", values.links)];
    if (id === undefined && (values.documents === true || text !== undefined || links !== undefined)) throw new UsageError("what an archive says needs --id N");
    const isDescending = values.reverse === true;
    return await withLibrary(folder, async (library) => {
      if (id === undefined) {
        for (const archive of (await library.list()).slice(0, limit)) await write(`${JSON.stringify(archive)}\n`);
        return USABLE;
      }
      const index = await library.index(id);
      if (text !== undefined) return await said(index, text, async () => `${await index.text(text)}\n`);
      if (links !== undefined) return await said(index, links, async () => lines(await index.links(links)));
      if (values.documents === true) return await documents(index, limit, values.sort as DocumentOrder | undefined, isDescending);
      return await rows(library, id, limit, values.sort as SortColumn | undefined, isDescending);
    });
  },
};

/** What the document of a row has. */
async function said(index: ArchiveIndex, row: number, what: () => Promise<string>): Promise<number> {
  if (!(await index.documentOf(row))) return DAMAGED;
  await write(await what());
  return USABLE;
}

async function documents(index: ArchiveIndex, limit: number, order: DocumentOrder | undefined, isDescending: boolean): Promise<number> {
  for (let from = 0; from < limit; from += ROWS_AT_ONCE) {
    const some = await index.documents({ order, from, count: Math.min(ROWS_AT_ONCE, limit - from), isDescending });
    await write(lines(some));
    if (some.length < ROWS_AT_ONCE) break;
  }
  return (await index.documentCounts()) ? USABLE : DAMAGED;
}

async function rows(library: Library, id: number, limit: number, column: SortColumn | undefined, isDescending: boolean): Promise<number> {
  const index = await library.index(id);
  if (isDescending && column === undefined) throw new UsageError("--reverse needs --sort");
  for (let from = 0; from < Math.min(limit, index.count); from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, limit - from);
    const some = column === undefined ? await index.rows(from, count) : await index.sorted({ column, from, count, isDescending });
    await write(lines(some));
  }
  return index.count > 0 ? USABLE : DAMAGED;
}

const lines = (some: readonly object[]): string => some.map((one) => `${JSON.stringify(one)}\n`).join("");
