/** What the commands share that work on the library of a folder. */

import { existsSync } from "node:fs";

import { openLibrary, type Library } from "../lib/library/node.js";
import { UsageError } from "./command.js";

/** The one folder that a command is called with. */
export function keptFolder(command: string, [folder, ...more]: readonly string[]): string {
  if (folder === undefined || more.length > 0) throw new UsageError(`${command} needs a folder`);
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  return folder;
}

/** Opens a folder's library for some work, and closes it whatever comes of that. */
export async function withLibrary<T>(folder: string, work: (library: Library) => Promise<T>): Promise<T> {
  const library = await openLibrary(folder);
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

/** What an option gives as a number. */
export function numberOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} takes a number`);
  return Number(value);
}
