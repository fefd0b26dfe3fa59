/** `verify DIR`: whether what a folder keeps is whole. */

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

import { openLibrary } from "../lib/library/node.js";
import { COMMON, DAMAGED, USABLE, UsageError, parsed, write, type Command } from "./command.js";

export const verify: Command = {
  synopsis: "verify DIR",
  purpose: "everything that is wrong with what a folder keeps, a JSON line each",
  async run(args) {
    const { positionals } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    const library = await openLibrary(keptFolder("verify", positionals));
    try {
      const findings = await library.verify();
      await write(findings.map((finding) => `${JSON.stringify(finding)}\n`).join(""));
      return findings.length > 0 ? DAMAGED : USABLE;
    } finally {
      await library.close();
    }
  },
};

/** The one folder that a command is called with. */
export function keptFolder(command: string, [folder, ...more]: readonly string[]): string {
  if (folder === undefined || more.length > 0) throw new UsageError(`${command} needs a folder`);
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  return folder;
}
