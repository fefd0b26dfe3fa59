/** What makes an archive the same one when it is opened again, and in what it differs where it is not. */
import { isReachable } from "../address.js";
import type { NamedFile } from "../drop.js";
import type { Source } from "../state.js";
import { isSigned, unsigned } from "./signed.js";
import { describeFile, type KeptArchive, type KeptFile } from "stackroom/library";

/** Of more files than this only names, sizes and dates are compared. */
const markedMax = 500;

/** The address but for a signature, or what the files are called, how long they are and when they were last changed. */
export async function sourceKey(source: Source): Promise<string> {
  if (source instanceof URL) return unsigned(source);
  const stated = source.map(({ name, source: { size, lastModified } }) => `${name}\t${size}\t${lastModified}`);
  const [only] = stated;
  if (only !== undefined && stated.length === 1) return `file:${only}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(stated.join("\n")));
  return `files:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export function addressOf({ source }: KeptArchive): string | undefined {
  return isReachable(source) && !isSigned(source) ? source : undefined;
}

/** The files as a library knows them again. */
export async function keptFiles(files: readonly NamedFile[]): Promise<KeptFile[]> {
  if (files.length <= markedMax) return Promise.all(files.map(({ source, name }) => describeFile(source, name)));
  return files.map(({ name, source: { size, lastModified } }) => ({ name, size, modified: lastModified }));
}

export const isFolder = ({ files = [] }: KeptArchive): boolean => files.some(({ name }) => name.includes("/"));

/** The first file that is not what the library knows, and what it knows; nothing where all are. */
export function difference({ files = [] }: KeptArchive, now: readonly KeptFile[]): { readonly known?: KeptFile | undefined; readonly given?: KeptFile | undefined } | undefined {
  for (let at = 0; at < Math.max(files.length, now.length); at += 1) {
    const [known, given] = [files[at], now[at]];
    if (known === undefined || given === undefined || !isSame(known, given)) return { known, given };
  }
  return undefined;
}

/** A file that was moved, renamed or copied is the same one. */
function isSame(a: KeptFile, b: KeptFile): boolean {
  if (a.mark !== undefined && b.mark !== undefined) return a.mark === b.mark;
  return a.name === b.name && a.size === b.size && a.modified === b.modified;
}
