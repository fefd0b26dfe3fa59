/** `verify DIR`: whether what a folder keeps is whole. */

import { parseArgs } from "node:util";

import { COMMON, DAMAGED, USABLE, parsed, write, type Command } from "./command.js";
import { keptFolder, withLibrary } from "./kept.js";

export const verify: Command = {
  synopsis: "verify DIR",
  purpose: "everything that is wrong with what a folder keeps, a JSON line each",
  async run(args) {
    const { positionals } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    const findings = await withLibrary(keptFolder("verify", positionals), (library) => library.verify());
    await write(findings.map((finding) => `${JSON.stringify(finding)}\n`).join(""));
    return findings.length > 0 ? DAMAGED : USABLE;
  },
};
