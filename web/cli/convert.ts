/** `convert FILE... -o OUT`: every record of any archive, as WARC. */

import { parseArgs } from "node:util";

import { parsed, type Command } from "./command.js";
import { CUT_OPTIONS, cutInto } from "./cut.js";

export const convert: Command = {
  synopsis: "convert FILE... -o OUT [--gzip] [--append] [--warc-version 1.0|1.1]",
  purpose: "all records of ARC, HAR, WACZ, WARC... as WARC",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: CUT_OPTIONS, allowPositionals: true }));
    return cutInto(positionals, "", values);
  },
};
