/** `compact DIR`: gives space back. */

import { parseArgs } from "node:util";

import { COMMON, USABLE, parsed, type Command } from "./command.js";
import { keptFolder, withLibrary } from "./kept.js";

export const compact: Command = {
  synopsis: "compact DIR",
  purpose: "gives back the space that a folder can do without",
  async run(args) {
    const { positionals } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    await withLibrary(keptFolder("compact", positionals), (library) => library.compact());
    return USABLE;
  },
};
