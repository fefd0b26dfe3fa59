#!/usr/bin/env node
/** The command line: arguments in, exit code out. Each command is a file of its own. */

import { ArchiveError, VERSION } from "../lib/node.js";
import { add } from "./add.js";
import { cat } from "./cat.js";
import { cdx } from "./cdx.js";
import { check } from "./check.js";
import { USABLE, UNUSABLE, UsageError, type Command } from "./command.js";
import { compact } from "./compact.js";
import { convert } from "./convert.js";
import { dump } from "./dump.js";
import { filter } from "./filter.js";
import { host } from "./host.js";
import { lookup } from "./lookup.js";
import { records } from "./records.js";
import { search } from "./search.js";
import { surtCommand } from "./surt.js";
import { verify } from "./verify.js";

const COMMANDS: Readonly<Record<string, Command>> = { records, check, cat, surt: surtCommand, cdx, lookup, filter, convert, add, search, dump, verify, compact, host };

const commandOf = (name: string): Command | undefined => (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);

/** Of one command, where it is one of them. */
function usage(name = ""): string {
  const asked = commandOf(name);
  if (asked) return `stackroom ${asked.synopsis}\n\n  ${asked.purpose}\n`;
  const lines = Object.values(COMMANDS).map(({ synopsis, purpose }) => `  stackroom ${synopsis.padEnd(62)} ${purpose}`);
  return `stackroom ${VERSION}: read web archives\n\n${lines.join("\n")}\n\nExit code 0: fine. 1: damage, or no match. 2: unusable input or usage.\n`;
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(usage(rest[0]));
    return name === undefined ? UNUSABLE : USABLE;
  }
  if (name === "--version") {
    process.stdout.write(`${VERSION}\n`);
    return USABLE;
  }
  const command = commandOf(name);
  if (!command) throw new UsageError(`there is no command "${name}"`);
  const end = rest.indexOf("--");
  if (rest.slice(0, end < 0 ? rest.length : end).includes("--help")) {
    process.stdout.write(usage(name));
    return USABLE;
  }
  return command.run(rest);
}

// A reader that has enough, such as head, is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(USABLE);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) process.stderr.write(`stackroom: ${error.message}\n\n${usage(process.argv[2])}`);
  else if (error instanceof ArchiveError) process.stderr.write(`stackroom: ${error.message} [${error.code}]\n`);
  else throw error;
  process.exitCode = UNUSABLE;
}
