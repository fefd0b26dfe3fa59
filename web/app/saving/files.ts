/** What records hold, as files in a ZIP: a folder for each host, no name twice. */
import { makeZip } from "client-zip";
import type { Archive, RecordRow } from "stackroom";

import { bodyFileName, folderName } from "../content/filename.js";
import { pieces } from "./pieces.js";

/** Requests, and what tells of the crawl, hold nothing that was archived. */
const holding: ReadonlySet<RecordRow["type"]> = new Set(["response", "resource", "conversion", "revisit"]);

export interface FileCounts {
  done: number;
  /** Those whose bytes could not be read to their end. */
  broken: number;
}

export function files(archive: Archive, rows: AsyncIterable<readonly RecordRow[]>, signal: AbortSignal, onProgress: (counts: FileCounts) => void): ReadableStream<Uint8Array> {
  const counts: FileCounts = { done: 0, broken: 0 };
  const names = new Map<string, number>();
  async function* entries(): AsyncGenerator<{ name: string; lastModified?: Date; input: AsyncIterable<Uint8Array<ArrayBuffer>> }, void, undefined> {
    for await (const some of rows) {
      for (const row of some) {
        onProgress(counts);
        if (holding.has(row.type)) yield { name: once(names, nameOf(row)), ...(row.captured !== undefined && { lastModified: new Date(row.captured) }), input: body(row) };
        counts.done += 1;
      }
    }
    onProgress(counts);
  }
  /** As much of it as can be read: one that is damaged must not take the others along. */
  async function* body(row: RecordRow): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    try {
      // A revisit has the bytes of the record that it refers to.
      const original = row.type === "revisit" ? await archive.original(row, { signal }) : undefined;
      for await (const piece of pieces(archive.read(original ?? row, "body", { signal }))) yield piece;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      counts.broken += 1;
    }
  }
  return makeZip(entries());
}

function nameOf({ url, mime }: RecordRow): string {
  return `${folderName(url)}/${bodyFileName(url, mime)}`;
}

/** `a.html`, `a (2).html`: whatever case they are in, since file systems may not tell these apart. */
function once(names: Map<string, number>, name: string): string {
  const key = name.toLowerCase();
  const count = (names.get(key) ?? 0) + 1;
  names.set(key, count);
  if (count === 1) return name;
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > name.lastIndexOf("/") + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  // A file may be called so already.
  return once(names, `${stem} (${count})${extension}`);
}
