/** `filter FILE... --where QUERY -o OUT`: the records that a query asks for, into a WARC file. */

import { parseArgs } from "node:util";

import { UsageError, parsed, type Command } from "./command.js";
import { CUT_OPTIONS, cutInto } from "./cut.js";

const OPTIONS = { ...CUT_OPTIONS, where: { type: "string", short: "w" } } as const;

export const filter: Command = {
  synopsis: "filter FILE... --where QUERY -o OUT [--gzip] [--append]",
  purpose: "records that a query asks for, copied byte for byte",
  async run(args) {
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }));
    if (values.where === undefined) throw new UsageError("filter needs --where QUERY, such as --where 'type:response status:4xx'");
    return cutInto(positionals, values.where, values);
  },
};
