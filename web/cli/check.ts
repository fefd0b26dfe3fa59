/** `check FILE...`: every problem of an archive, one a line, and what was checked. `FILE!MEMBER` is a file in a file. */

import { parseArgs } from "node:util";

import { ArchiveError, checkArchive, type CheckSummary, type Problem } from "../lib/node.js";
import { COMMON, DAMAGED, UNUSABLE, USABLE, UsageError, parsed, write, type Command } from "./command.js";
import { argument } from "./member.js";

export const check: Command = {
  synopsis: "check FILE... [--json]",
  purpose: "every problem found: damage, digests, fields, lengths",
  async run(args) {
    const { positionals: files, values } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    if (files.length === 0) throw new UsageError("check needs a file");
    const print = values.json === true ? (line: Problem | CheckSummary): string => JSON.stringify(line) : sentence;
    let exit = USABLE;
    for (const file of files) exit = Math.max(exit, await checked(file, files.length > 1 || values.json !== true, print));
    return exit;
  },
};

async function checked(named: string, isAlwaysNamed: boolean, print: (line: Problem | CheckSummary) => string): Promise<number> {
  const { file, member } = argument(named);
  let exit = USABLE;
  try {
    for await (const line of checkArchive({ source: file, name: file }, { isAlwaysNamed, member })) {
      if ("problem" in line) exit = DAMAGED;
      await write(`${print(line)}\n`);
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    process.stderr.write(`stackroom: ${named}: ${error.message} [${error.code}]\n`);
    return UNUSABLE;
  }
  return exit;
}

/** For a person: where, what, and the code to look up. What an archive says cannot steer the terminal. */
function sentence(line: Problem | CheckSummary): string {
  return shown("checked" in line ? summary(line) : problem(line));
}

function problem({ file, offset, message, problem: code, uri }: Problem): string {
  const about = uri === undefined ? "" : ` (${uri})`;
  return `${file ?? ""}: at byte ${offset}: ${message}${about} [${code}]`;
}

function summary({ file, records, problems, digests }: CheckSummary): string {
  const found = problems === 0 ? "no problem" : count(problems, "problem");
  return `${file ?? ""}: ${found} in ${count(records, "record")}; ${count(digests, "digest")} verified`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function shown(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
