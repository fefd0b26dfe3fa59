/** `surt`: URLs on stdin, their keys on stdout. */

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

import { surt } from "../lib/node.js";
import { COMMON, USABLE, UsageError, parsed, write, type Command } from "./command.js";

const BATCH_URLS = 4096;

export const surtCommand: Command = {
  synopsis: "surt",
  purpose: "URLs on stdin, their CDX keys on stdout",
  async run(args) {
    const { positionals } = parsed(() => parseArgs({ args: [...args], options: COMMON, allowPositionals: true }));
    if (positionals.length > 0) throw new UsageError("surt reads URLs from stdin, one a line");
    let batch: string[] = [];
    const flush = async (): Promise<void> => {
      const keys = await surt(batch);
      batch = [];
      await write(keys.map((key) => `${key}\n`).join(""));
    };
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (batch.push(line) >= BATCH_URLS) await flush();
    }
    if (batch.length > 0) await flush();
    return USABLE;
  },
};
