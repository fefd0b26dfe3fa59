/**
 * What a file is told by: its size and what it begins and ends with. Archives are not read whole to be recognised;
 * whoever changes one in the middle and leaves its length changes what no list of records would show.
 */

import type { KeptFile } from "./kept.js";

const END_BYTES = 64 << 10;

/** The mark of a file of that size; `read` gives bytes from an offset on. */
export async function markOf(size: number, read: (offset: number, length: number) => Promise<Uint8Array>): Promise<string> {
  const head = await read(0, Math.min(END_BYTES, size));
  const tail = await read(Math.max(0, size - END_BYTES), Math.min(END_BYTES, size));
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return `${size}-${[...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A file as a library knows it again. */
export async function describeFile(file: Blob, name = "name" in file ? String(file.name) : ""): Promise<KeptFile> {
  const read = async (offset: number, length: number): Promise<Uint8Array> => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
  const modified = "lastModified" in file ? Number(file.lastModified) : undefined;
  return { name, size: file.size, mark: await markOf(file.size, read), ...(modified !== undefined && { modified }) };
}

/** Whether both are known, and are the same files in the same order, wherever they lie. */
export function areSame(some: readonly KeptFile[] | undefined, others: readonly KeptFile[] | undefined): boolean {
  return isMarked(some) && isMarked(others) && some.length === others.length && some.every(({ mark }, at) => mark === others[at]?.mark);
}

/** The name of the first file that is not what it was, where both are known. */
export function changedFile(known: readonly KeptFile[] | undefined, now: readonly KeptFile[] | undefined): string | undefined {
  if (!isMarked(known) || !isMarked(now) || areSame(known, now)) return undefined;
  const at = known.findIndex(({ mark }, file) => mark !== now[file]?.mark);
  return (known[at] ?? now[known.length])?.name;
}

const isMarked = (files: readonly KeptFile[] | undefined): files is readonly KeptFile[] => files !== undefined && files.length > 0 && files.every(({ mark }) => mark !== undefined);
