/** What `filter` and `convert` share: records of files into one WARC file. */

import { basename } from "node:path";

import { ArchiveError, checkQuery, cutRecords, type CutProgress, type InspectedDamage } from "../lib/node.js";
import { COMMON, DAMAGED, UNUSABLE, USABLE, UsageError } from "./command.js";
import { argument } from "./member.js";
import { Output } from "./output.js";

export const CUT_OPTIONS = {
  ...COMMON,
  output: { type: "string", short: "o" },
  gzip: { type: "boolean" },
  append: { type: "boolean" },
  "warc-version": { type: "string", default: "1.1" },
} as const;

export interface CutValues {
  readonly output?: string | undefined;
  readonly gzip?: boolean | undefined;
  readonly append?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly "warc-version"?: string | undefined;
}

/** Writes the records that the query asks for; tells of damage, progress and the outcome on stderr. */
export async function cutInto(files: readonly string[], where: string, values: CutValues): Promise<number> {
  const version = values["warc-version"];
  if (version !== "1.0" && version !== "1.1") throw new UsageError("--warc-version is 1.0 or 1.1");
  if (files.length === 0) throw new UsageError("there is no file to read");
  if (values.output === undefined) throw new UsageError("-o OUT says where to write; - is standard output");
  await checkQuery(where);
  const output = await Output.to({ path: values.output, gzip: values.gzip, append: values.append }, files.map((named) => argument(named).file));
  const line = new ProgressLine();
  let exit = USABLE;
  let isRead = false;
  let [seen, written] = [0, 0];
  try {
    for (const named of files) {
      const { file, member } = argument(named);
      let last: CutProgress | undefined;
      const tell = (text: string): void => line.say(`stackroom: ${named}: ${text}`);
      try {
        const options = {
          where,
          gzip: output.isGzip,
          version,
          name: basename(file),
          member,
          target: output.name,
          onProgress: (progress: CutProgress) => line.show(named, (last = progress)),
          onDamage: (damage: InspectedDamage) => {
            exit = Math.max(exit, DAMAGED);
            tell(values.json ? JSON.stringify(damage) : `${damage.message} [${damage.damage}] at byte ${damage.offset}`);
          },
        } as const;
        for await (const bytes of cutRecords(file, options)) await output.write(bytes);
        isRead = true;
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        // Once records were written, they stay.
        isRead ||= (last?.written ?? 0) > 0;
        tell(`${error.message} [${error.code}]`);
        exit = UNUSABLE;
      }
      seen += last?.seen ?? 0;
      written += last?.written ?? 0;
    }
    if (isRead) await output.finish();
  } finally {
    await output.discard();
    line.clear();
  }
  if (values.json) process.stderr.write(`${JSON.stringify({ records: seen, written })}\n`);
  else if (process.stderr.isTTY || written === 0) process.stderr.write(`stackroom: ${written === 0 ? "no record" : written} of ${seen} records written\n`);
  return Math.max(exit, written === 0 ? DAMAGED : USABLE);
}

/** How far it is, on one line of a terminal. */
class ProgressLine {
  readonly #isShown = process.stderr.isTTY;
  #isThere = false;

  show(file: string, { bytes, bytesTotal, seen, written }: CutProgress): void {
    if (!this.#isShown) return;
    const part = bytesTotal ? `${Math.floor((100 * bytes) / bytesTotal)} %` : `${bytes} bytes`;
    process.stderr.write(`\r\x1b[K${file}: ${part}, ${written} of ${seen} records`);
    this.#isThere = true;
  }

  say(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
  }

  clear(): void {
    if (this.#isThere) process.stderr.write("\r\x1b[K");
    this.#isThere = false;
  }
}
