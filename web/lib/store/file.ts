/**
 * A store in files that answer at once: one of pages, and a folder of extents. Opening a file may have to be waited
 * for, and the store never waits inside an operation: `prepare` opens ahead.
 */

import { ArchiveError } from "../errors.js";
import { fullError, NOTHING, PAGE_BYTES, type SyncFile, type SyncPageStorage } from "./storage.js";

/** Where the extents of a store are. An empty one counts as none. */
export interface ExtentFolder {
  /** Those that were there, opened. */
  readonly files: Map<number, SyncFile>;
  /** Makes a file, or opens it. */
  open(file: number): SyncFile | Promise<SyncFile>;
  /** Removes a file that was closed. */
  remove(file: number): void | Promise<void>;
}

/** The name of the file of pages in a store's folder. */
export const INDEX = "index.pages";

/** The name of an extent in its folder. */
export const extentName = (file: number): string => `ext.${String(file).padStart(4, "0")}`;

/** The number of the extent that has this name. */
export function extentNumber(name: string): number | undefined {
  const digits = /^ext\.(\d{4,})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Without a folder a storage of pages alone. */
export function fileStorage(index: SyncFile, folder?: ExtentFolder): SyncPageStorage {
  const extents = folder?.files ?? new Map<number, SyncFile>();
  const unflushed = new Set<SyncFile>();
  /** What is opened ahead may come after the end. */
  let isClosed = false;

  function writeAll(file: SyncFile, bytes: Uint8Array, at: number): void {
    unflushed.add(file);
    let written: number;
    try {
      written = file.write(bytes as Uint8Array<ArrayBuffer>, { at });
    } catch (error) {
      if (error instanceof DOMException && error.name === "QuotaExceededError") throw fullError(error);
      throw error;
    }
    if (written !== bytes.length) throw fullError();
  }

  function flush(): void {
    for (const file of unflushed) file.flush();
    unflushed.clear();
  }

  return {
    readPage: (page, into) => index.read(into as Uint8Array<ArrayBuffer>, { at: page * PAGE_BYTES }),
    readSpan: (file, offset, into) => extents.get(file)?.read(into as Uint8Array<ArrayBuffer>, { at: offset }) ?? 0,
    read: (pages) => Array.from(pages, (page) => readAt(index, page * PAGE_BYTES, PAGE_BYTES)),
    readSpans: (spans) =>
      spans.map(({ file, offset, length }) => {
        const extent = extents.get(file);
        return extent ? readAt(extent, offset, length) : NOTHING;
      }),
    write({ appends, pages, bytes, superblock }) {
      for (const append of appends ?? []) {
        const extent = extents.get(append.file);
        if (!extent) throw new ArchiveError("store/no-handle", "A file of the store was not opened ahead.");
        writeAll(extent, append.bytes, append.offset);
      }
      for (const run of runs(pages)) {
        writeAll(index, bytes.subarray(run.from * PAGE_BYTES, run.to * PAGE_BYTES), run.page * PAGE_BYTES);
      }
      if (!superblock) return;
      // Also where nothing was written to it: a file whose lock was lost says so before its superblock is touched.
      unflushed.add(index);
      flush();
      writeAll(index, superblock.bytes, superblock.page * PAGE_BYTES);
      flush();
    },
    truncate(pages) {
      if (index.getSize() > pages * PAGE_BYTES) index.truncate(pages * PAGE_BYTES);
    },
    async removeExtent(file) {
      const extent = extents.get(file);
      if (!extent) return;
      extents.delete(file);
      unflushed.delete(extent);
      extent.truncate(0);
      extent.close();
      await folder?.remove(file);
    },
    pages: () => Math.ceil(index.getSize() / PAGE_BYTES),
    extents: () => {
      const held = [...extents].map(([file, extent]) => ({ file, bytes: extent.getSize() }));
      return held.filter(({ bytes }) => bytes > 0).sort((a, b) => a.file - b.file);
    },
    prepare(wanted) {
      const waits: Promise<unknown>[] = [];
      for (const next of wanted) {
        if (!folder || extents.has(next)) continue;
        const opened = folder.open(next);
        // What is open at once is there at once.
        if (opened instanceof Promise) waits.push(opened.then((extent) => (isClosed ? extent.close() : extents.set(next, extent))));
        else extents.set(next, opened);
      }
      return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined;
    },
    close() {
      isClosed = true;
      for (const file of [index, ...extents.values()]) file.close();
    },
  };
}

function readAt(file: SyncFile, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const found = file.read(bytes, { at });
  return found === length ? bytes : bytes.subarray(0, found);
}

interface Run {
  readonly page: number;
  readonly from: number;
  to: number;
}

/** Neighbours in the file go out in one write: a call costs more than its bytes. */
function runs(pages: Uint32Array): Run[] {
  const found: Run[] = [];
  pages.forEach((page, at) => {
    const last = found.at(-1);
    if (last && page === last.page + (last.to - last.from)) last.to = at + 1;
    else found.push({ page, from: at, to: at + 1 });
  });
  return found;
}
