/** `search DIR QUERY`: what the archives of a folder have of it: hits, best first, from each archive in turn. */

import { parseArgs } from "node:util";

import { ArchiveError, reopenArchive, type Archive } from "../lib/node.js";
import type { ArchiveIndex, Hit, HitGroup, HitOrder, KeptArchive, Library, SearchAsked, SearchFound, Stretch } from "../lib/library/node.js";
import { COMMON, DAMAGED, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { keptFolder, numberOf, withLibrary } from "./kept.js";

const OPTIONS = {
  ...COMMON,
  id: { type: "string" },
  limit: { type: "string" },
  offset: { type: "string" },
  sort: { type: "string" },
  reverse: { type: "boolean" },
  group: { type: "string" },
  facets: { type: "string" },
  explain: { type: "boolean" },
  exact: { type: "boolean" },
} as const;
const ORDERS: readonly string[] = ["rank", "file", "url", "time", "status", "mime", "type", "size"];
const GROUPS: readonly string[] = ["url", "host", "digest"];
const HITS_AT_ONCE = 200;
const VALUES = 20;

export const search: Command = {
  synopsis: "search DIR QUERY [--id N] [--limit N] [--offset N] [--sort COLUMN] [--reverse] [--group url|host|digest] [--facets F,G] [--exact] [--explain] [--json]",
  purpose: "finds words, phrases, fields and regular expressions in what a folder keeps",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    const [folder, query, ...more] = positionals;
    if (folder === undefined || query === undefined || more.length > 0) throw new UsageError("search needs a folder and a query, in quotes");
    if (values.sort !== undefined && !ORDERS.includes(values.sort)) throw new UsageError(`--sort takes one of ${ORDERS.join(", ")}`);
    if (values.group !== undefined && !GROUPS.includes(values.group)) throw new UsageError(`--group takes one of ${GROUPS.join(", ")}`);
    const asked: SearchAsked = {
      query,
      order: values.sort as HitOrder | undefined,
      isDescending: values.reverse === true,
      group: values.group as HitGroup | undefined,
      isStemmed: values.exact !== true,
      withPassages: true,
      withPlan: values.explain === true,
      facets: (values.facets?.split(",") ?? []).filter((field) => field !== "").map((field) => ({ field, count: VALUES })),
    };
    const [id, limit, offset] = [numberOf("id", values.id), numberOf("limit", values.limit) ?? 10, numberOf("offset", values.offset) ?? 0];
    return await withLibrary(keptFolder("search", [folder]), async (library) => {
      const archives = (await library.list()).filter((archive) => id === undefined || archive.id === id);
      if (id !== undefined && archives.length === 0) throw new UsageError(`there is no archive ${id} in ${folder}`);
      let total = 0;
      for (const archive of archives) total += await searched(library, archive, asked, { from: offset, limit, isJson: values.json === true });
      return total > 0 ? USABLE : DAMAGED;
    });
  },
};

interface Shown {
  readonly from: number;
  readonly limit: number;
  readonly isJson: boolean;
}

async function searched(library: Library, archive: KeptArchive, asked: SearchAsked, { from, limit, isJson }: Shown): Promise<number> {
  const index = await library.index(archive.id);
  const whole = await found(library, archive, index, asked);
  const { total, records, searched, unread, facets, plan } = whole;
  const summary = { archive: archive.id, name: archive.title ?? archive.name, total, records, searched, ...(unread > 0 && { unread }), facets, plan };
  if (isJson) await write(`${JSON.stringify(summary)}\n`);
  else if (whole.total > 0 || whole.unread > 0 || asked.withPlan === true) await write(summed(summary));
  for (let at = from; at < Math.min(from + limit, whole.total); at += HITS_AT_ONCE) {
    const { hits } = await index.search({ ...asked, facets: [], withPlan: false, from: at, count: Math.min(HITS_AT_ONCE, from + limit - at) });
    for (const hit of hits) await write(isJson ? `${JSON.stringify({ archive: archive.id, ...hit })}\n` : told(hit));
    if (hits.length === 0) break;
  }
  return whole.total;
}

/** Where only records tell, they are read from where the archive was added from. */
async function found(library: Library, { id, name, source }: KeptArchive, index: ArchiveIndex, asked: SearchAsked): Promise<SearchFound> {
  const whole = await goOn(index, asked);
  const kept = whole.unread > 0 ? await library.kept(id) : undefined;
  if (!kept) return whole;
  try {
    const archive = await reopenArchive(source, kept);
    try {
      return await goOn(index, asked, archive);
    } finally {
      await archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    process.stderr.write(`stackroom: ${name}: ${whole.unread} records are to be read for this, and cannot be: ${error.message} [${error.code}]\n`);
    return whole;
  }
}

/** All of an answer: a search tells how far it is from time to time. */
async function goOn(index: ArchiveIndex, asked: SearchAsked, archive?: Archive): Promise<SearchFound> {
  for (;;) {
    const found = await index.search(asked, { archive });
    if (found.isDone) return found;
    if (archive && process.stderr.isTTY) process.stderr.write(`\r${found.total} hits, ${found.read} of ${found.toRead} records read`);
  }
}

function summed({ name, total, searched, records, unread = 0, facets, plan }: Pick<SearchFound, "total" | "searched" | "records" | "facets" | "plan"> & { readonly name: string; readonly unread?: number }): string {
  const lines = [`${name}: ${total} ${total === 1 ? "hit" : "hits"} in ${searched === records ? records : `${searched} of ${records}`} records`];
  if (unread > 0) lines.push(`  records that were not read: ${unread}`);
  for (const { what, rows, milliseconds } of plan) lines.push(`  ${milliseconds.toFixed(2).padStart(9)} ms ${String(rows).padStart(10)} rows  ${what}`);
  for (const { field, values } of facets) lines.push(`  ${field}: ${values.map(({ value, count }) => `${value === "" ? "-" : value} ${count}`).join(", ")}`);
  return `${lines.join("\n")}\n`;
}

function told({ record, document, title, passages = [] }: Hit): string {
  const captured = record.captured === undefined ? "" : new Date(record.captured).toISOString().slice(0, 19);
  const named = plain(title) || (document?.title ?? "");
  return [`${captured.padEnd(20)}${record.url}${named === "" ? "" : `\n    ${named}`}`, ...passages.map((passage) => `    ${plain(passage)}`), ""].join("\n");
}

/** What was asked for stands between asterisks. */
function plain(stretches: readonly Stretch[] = []): string {
  return stretches.map(({ text, isMarked }) => (isMarked ? `*${text}*` : text)).join("").replace(/\s+/g, " ");
}
