/** `lookup TARGET... --url U`: captures of a URL in an index or an archive, by the options that CDX servers take. */

import { ArchiveError, lookUp } from "../lib/node.js";
import { DAMAGED, UNUSABLE, USABLE, UsageError, write, type Command } from "./command.js";
import { memberOf } from "./member.js";

/** Options that need no value. Names count without case, `-` and `_`. */
const SWITCHES: ReadonlySet<string> = new Set(["reverse", "resolverevisits", "showpagedindex", "shownumpages", "json"]);

export const lookup: Command = {
  synopsis: "lookup TARGET... --url U [--match M] [--limit N] [--OPTION V]",
  purpose: "captures of a URL, in a CDX, CDXJ or ZipNum index or an archive",
  async run(args) {
    const { targets, query } = read(args);
    if (targets.length === 0) throw new UsageError("lookup needs an index or an archive");
    let [hasRows, exit] = [false, USABLE];
    const onDamage = (damage: { damage: string; offset: number; message: string }, name: string): void => {
      exit = DAMAGED;
      process.stderr.write(`stackroom: ${name}: ${damage.message} [${damage.damage}] at byte ${damage.offset}\n`);
    };
    try {
      for await (const piece of lookUp(targets.map(memberOf), query, { onDamage })) {
        hasRows = true;
        await write(piece);
      }
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      process.stderr.write(`stackroom: ${error.message} [${error.code}]\n`);
      return UNUSABLE;
    }
    return hasRows ? exit : DAMAGED;
  },
};

function read(args: readonly string[]): { targets: string[]; query: [string, string][] } {
  const targets: string[] = [];
  const query: [string, string][] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("--")) {
      targets.push(arg);
      continue;
    }
    const equals = arg.indexOf("=");
    const name = arg.slice(2, equals < 0 ? undefined : equals);
    const next = args[at + 1];
    if (equals >= 0) query.push([name, arg.slice(equals + 1)]);
    else if (SWITCHES.has(name.replaceAll(/[-_]/g, "").toLowerCase())) {
      const isSaid = next === "true" || next === "false";
      query.push([name, isSaid ? next : "true"]);
      at += isSaid ? 1 : 0;
    } else if (next === undefined) throw new UsageError(`--${name} needs a value`);
    else {
      query.push([name, next]);
      at += 1;
    }
  }
  return { targets, query };
}
