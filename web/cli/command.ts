/** What the commands share: exit codes, options, output that waits for its reader. */

import { once } from "node:events";

export const USABLE = 0;
export const DAMAGED = 1;
export const UNUSABLE = 2;

export interface Command {
  readonly synopsis: string;
  readonly purpose: string;
  run(args: readonly string[]): Promise<number>;
}

/** The command was called wrongly. */
export class UsageError extends Error {}

/** What `parseArgs` throws is the caller's mistake. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Every command takes `--json`: lines of JSON are what they print anyway. */
export const COMMON = { json: { type: "boolean" } } as const;

/** Writes, and waits where the reader is slower. */
export async function write(data: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(data)) await once(process.stdout, "drain");
}
