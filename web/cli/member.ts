/** `FILE!member`: what of an argument is the file, and what a member of it. A file that is called so comes first. */

import { existsSync } from "node:fs";

import { isAddress, type MemberSource } from "../lib/node.js";

export interface Argument {
  readonly file: string;
  readonly member?: string;
}

export function argument(text: string): Argument {
  if (isAddress(text)) return atMark(text, text.indexOf("!"));
  if (existsSync(text)) return { file: text };
  for (let mark = text.indexOf("!"); mark > 0; mark = text.indexOf("!", mark + 1)) {
    if (existsSync(text.slice(0, mark))) return atMark(text, mark);
  }
  return { file: text };
}

/** The same as a source that is a member of another, where it is one. */
export function memberOf(text: string): string | MemberSource {
  const { file, member } = argument(text);
  return member === undefined ? file : { source: file, member };
}

function atMark(text: string, mark: number): Argument {
  return mark < 0 ? { file: text } : { file: text.slice(0, mark), member: text.slice(mark + 1) };
}
