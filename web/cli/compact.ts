/** `compact DIR`: gives space back. */

import { parseArgs } from "node:util";

import { openLibrary } from "../lib/library/node.js";
import { COMMON, USABLE, parsed, type Command } from "./command.js";
import { keptFolder } from "./verify.js";

export const compact: Command = {
  synopsis: "compact DIR",
  purpose: "gives back the space that a folder can do without",
  async run(args) {
    const { positionals } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    const library = await openLibrary(keptFolder("compact", positionals));
    try {
      await library.compact();
      return USABLE;
    } finally {
      await library.close();
    }
  },
};
