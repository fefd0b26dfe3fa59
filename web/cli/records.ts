/** `records FILE...`: a JSON line for each record, read in full; damage lines in place. `FILE!MEMBER` is a file in a file. */

import { parseArgs } from "node:util";

import { ArchiveError, inspectArchive } from "../lib/node.js";
import { COMMON, DAMAGED, UNUSABLE, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { argument } from "./member.js";

/** Lines are gathered to about this many characters before they are written. */
const BATCH_CHARS = 1 << 16;

export const records: Command = {
  synopsis: "records FILE...",
  purpose: "one JSON line a record, with digests; damage lines in place",
  async run(args) {
    const { positionals: files } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    if (files.length === 0) throw new UsageError("records needs a file");
    let exit = USABLE;
    for (const file of files) exit = Math.max(exit, await list(file, files.length > 1));
    return exit;
  },
};

async function list(named: string, isAlwaysNamed: boolean): Promise<number> {
  const { file, member } = argument(named);
  let exit = USABLE;
  let batch = "";
  try {
    for await (const line of inspectArchive({ source: file, name: file }, { isAlwaysNamed, member })) {
      if ("damage" in line) exit = DAMAGED;
      batch += `${JSON.stringify(line)}\n`;
      if (batch.length < BATCH_CHARS) continue;
      await write(batch);
      batch = "";
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    await write(batch);
    process.stderr.write(`stackroom: ${named}: ${error.message} [${error.code}]\n`);
    return UNUSABLE;
  }
  await write(batch);
  return exit;
}
