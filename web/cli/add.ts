/** `add FILE... --to DIR`: archives indexed once, and their indexes kept in a folder. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { describePath, type Library } from "../lib/library/node.js";
import { ArchiveError, isAddress, openArchive, reopenArchive } from "../lib/node.js";
import { COMMON, DAMAGED, UNUSABLE, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { withLibrary } from "./kept.js";

export const add: Command = {
  synopsis: "add FILE... --to DIR [--again]",
  purpose: "indexes archives once and keeps that in a folder; goes on where it was broken off; --again indexes anew what has changed",
  async run(args) {
    const { positionals: files, values } = parsed(() => parseArgs({ args: [...args], options: { ...COMMON, to: { type: "string" }, again: { type: "boolean" } }, allowPositionals: true }));
    if (files.length === 0) throw new UsageError("add needs a file");
    if (values.to === undefined) throw new UsageError("add needs a folder: --to DIR");
    return await withLibrary(values.to, async (library) => {
      let exit = USABLE;
      for (const file of files) exit = Math.max(exit, await keep(library, file, values.again === true));
      return exit;
    });
  },
};

async function keep(library: Library, file: string, isAnew: boolean): Promise<number> {
  const isElsewhere = isAddress(file);
  const source = isElsewhere ? file : resolve(file);
  try {
    const begun = isAnew ? undefined : (await library.list()).find((one) => one.source === source && (one.state === "indexing" || one.documentsEnd !== undefined));
    const kept = begun && (await library.kept(begun.id));
    const archive = kept ? await reopenArchive(file, kept, { withDocuments: true }) : await openArchive(file, { isForKeeping: true, withDocuments: true });
    try {
      const onKept = ({ records }: { records: number }): void => {
        if (process.stderr.isTTY) process.stderr.write(`\r${file}: ${records} records`);
      };
      const added = await library.add(archive, { source, isAnew, onKept, ...(!isElsewhere && { files: await describePath(source) }) });
      if (process.stderr.isTTY) process.stderr.write("\n");
      await write(`${JSON.stringify(added)}\n`);
      return added.damageCount > 0 ? DAMAGED : USABLE;
    } finally {
      await archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    process.stderr.write(`stackroom: ${file}: ${error.message} [${error.code}]\n`);
    return UNUSABLE;
  }
}
