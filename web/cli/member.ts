/**
 * `FILE!member`: what of an argument is the file, and what a member of it. A file that is called so comes first; in a URL
 * such a mark of its own is written %21.
 */

import { existsSync } from "node:fs";

import { isAddress, type MemberSource } from "../lib/node.js";

export interface Argument {
  readonly file: string;
  readonly member?: string;
}

/** Keys of objects stand as they are, and may have such marks: one counts behind the name of a file that may hold others. */
const holder = /^.*?\.(?:wacz|zip|tar|tgz|tar\.gz|json|json\.gz|idx)(?=!)/is;

export function argument(text: string): Argument {
  if (/^s3:/i.test(text)) return atMark(text, holder.exec(text)?.[0].length ?? -1);
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
