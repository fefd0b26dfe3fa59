/** `host`: the files to host the viewer on servers of one's own. */

import { parseArgs } from "node:util";

import { HostingError, writeHosting } from "../serve/hosting.js";
import { COMMON, USABLE, UsageError, parsed, type Command } from "./command.js";

export const host: Command = {
  synopsis: "host DIR --viewer URL [--wildcard TEMPLATE [--hash] | --single URL]",
  purpose: "the viewer and its replay origins as files, for nginx, Caddy or others",
  async run(args) {
    const options = { ...COMMON, viewer: { type: "string" }, wildcard: { type: "string" }, hash: { type: "boolean" }, single: { type: "string" } } as const;
    const { positionals, values } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: true }));
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) throw new UsageError("host writes into one folder");
    if (values.viewer === undefined) throw new UsageError("host needs --viewer, where the viewer will be: https://app.example");
    try {
      await writeHosting(folder, { viewer: values.viewer, wildcard: values.wildcard, isHidden: values.hash, single: values.single });
    } catch (error) {
      if (error instanceof HostingError) throw new UsageError(error.message);
      throw error;
    }
    return USABLE;
  },
};
