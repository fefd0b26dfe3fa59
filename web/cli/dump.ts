/** `dump DIR`: what a folder keeps, as JSON lines: its archives, or the rows of one in any order. */

import { parseArgs } from "node:util";

import type { Library, SortColumn } from "../lib/library/node.js";
import { COMMON, DAMAGED, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { keptFolder, withLibrary } from "./kept.js";

const COLUMNS: readonly string[] = ["url", "time", "status", "mime", "type", "size"];
const ROWS_AT_ONCE = 1_000;
const OPTIONS = { ...COMMON, id: { type: "string" }, sort: { type: "string" }, reverse: { type: "boolean" }, limit: { type: "string" } } as const;

export const dump: Command = {
  synopsis: "dump DIR [--id N] [--sort COLUMN] [--reverse] [--limit N]",
  purpose: "what a folder keeps: its archives, or the records of one of them in any order",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    const folder = keptFolder("dump", positionals);
    if (values.sort !== undefined && !COLUMNS.includes(values.sort)) throw new UsageError(`--sort takes one of ${COLUMNS.join(", ")}`);
    const [id, limit] = [numberOf("id", values.id), numberOf("limit", values.limit) ?? Infinity];
    return await withLibrary(folder, async (library) => {
      if (id !== undefined) return await rows(library, id, limit, values.sort as SortColumn | undefined, values.reverse === true);
      for (const archive of (await library.list()).slice(0, limit)) await write(`${JSON.stringify(archive)}\n`);
      return USABLE;
    });
  },
};

async function rows(library: Library, id: number, limit: number, column: SortColumn | undefined, isDescending: boolean): Promise<number> {
  const index = await library.index(id);
  if (isDescending && column === undefined) throw new UsageError("--reverse needs --sort");
  for (let from = 0; from < Math.min(limit, index.count); from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, limit - from);
    const some = column === undefined ? await index.rows(from, count) : await index.sorted({ column, from, count, isDescending });
    await write(some.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  return index.count > 0 ? USABLE : DAMAGED;
}

function numberOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} takes a number`);
  return Number(value);
}
