/** What makes an archive the same one when it is opened again, and in what it differs where it is not. */
import type { NamedFile } from "../drop.js";
import type { Source } from "../state.js";
import type { KeptArchive } from "stackroom/library";

type KeptFile = NonNullable<KeptArchive["files"]>[number];

/** The address, or what the files are called, how long they are and when they were last changed. */
export async function sourceKey(source: Source): Promise<string> {
  if (source instanceof URL) return source.href;
  const stated = source.map(({ name, source: { size, lastModified } }) => `${name}\t${size}\t${lastModified}`);
  const [only] = stated;
  if (only !== undefined && stated.length === 1) return `file:${only}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(stated.join("\n")));
  return `files:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export function addressOf({ source }: KeptArchive): string | undefined {
  return /^https?:/.test(source) ? source : undefined;
}

export function keptFiles(files: readonly NamedFile[]): KeptFile[] {
  return files.map(({ name, source: { size, lastModified } }) => ({ name, size, modified: lastModified }));
}

export const isFolder = ({ files = [] }: KeptArchive): boolean => files.some(({ name }) => name.includes("/"));

/** The first file that is not what the library knows, and what it knows; nothing where all are. */
export function difference({ files = [] }: KeptArchive, given: readonly NamedFile[]): { readonly known?: KeptFile | undefined; readonly given?: KeptFile | undefined } | undefined {
  const now = keptFiles(given);
  for (let at = 0; at < Math.max(files.length, now.length); at += 1) {
    const [known, one] = [files[at], now[at]];
    if (known?.name !== one?.name || known?.size !== one?.size || known?.modified !== one?.modified) return { known, given: one };
  }
  return undefined;
}
