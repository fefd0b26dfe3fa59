/** `cat FILE --offset N`, or `cat FILE!MEMBER`: the bytes of one record, or of one part of it. */

import { parseArgs } from "node:util";

import { readRecord, type RecordPart } from "../lib/node.js";
import { COMMON, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { argument } from "./member.js";

const PARTS: readonly RecordPart[] = ["raw", "warc", "http", "body"];

const OPTIONS = {
  ...COMMON,
  offset: { type: "string" },
  skip: { type: "string", default: "0" },
  part: { type: "string", default: "raw" },
} as const;

export const cat: Command = {
  synopsis: "cat FILE --offset N [--skip N] [--part raw|warc|http|body]",
  purpose: "one record's bytes; body is de-chunked and decoded",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    const [named, ...others] = positionals;
    if (named === undefined || others.length > 0) throw new UsageError("cat needs one file");
    const part = PARTS.find((known) => known === values.part);
    if (!part) throw new UsageError(`--part is one of ${PARTS.join(", ")}`);
    const place = { offset: count("offset", values.offset), skip: count("skip", values.skip) };
    const { file, member } = argument(named);
    for await (const bytes of readRecord(file, place, part, { member })) await write(bytes);
    return USABLE;
  },
};

function count(name: string, text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} needs a number of bytes`);
  return Number(text);
}
