/** A store in memory: gone with the tab. */

import { NOTHING, PAGE_BYTES, pagesOf, type Span, type SyncPageStorage } from "./storage.js";

interface Growing {
  bytes: Uint8Array;
  length: number;
}

export function memoryStorage(): SyncPageStorage {
  const kept = new Map<number, Uint8Array>();
  const extents = new Map<number, Growing>();

  function append(file: number, offset: number, bytes: Uint8Array): void {
    const extent = extents.get(file) ?? { bytes: NOTHING, length: 0 };
    extents.set(file, extent);
    const length = offset + bytes.length;
    if (length > extent.bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * extent.bytes.length));
      larger.set(extent.bytes.subarray(0, extent.length));
      extent.bytes = larger;
    }
    extent.bytes.set(bytes, offset);
    extent.length = Math.max(extent.length, length);
  }

  const spanOf = ({ file, offset, length }: Span): Uint8Array => {
    const extent = extents.get(file);
    return extent?.bytes.subarray(offset, Math.min(offset + length, extent.length)) ?? NOTHING;
  };
  const copy = (found: Uint8Array, into: Uint8Array): number => {
    into.set(found);
    return found.length;
  };

  return {
    readPage: (page, into) => copy(kept.get(page) ?? NOTHING, into),
    readSpan: (file, offset, into) => copy(spanOf({ file, offset, length: into.length }), into),
    read: (pages) => Array.from(pages, (page) => kept.get(page) ?? NOTHING),
    readSpans: (spans) => spans.map((span) => spanOf(span).slice()),
    write({ appends, pages, bytes, superblock }) {
      for (const { file, offset, bytes } of appends ?? []) append(file, offset, bytes);
      pages.forEach((page, at) => kept.set(page, bytes.slice(at * PAGE_BYTES, (at + 1) * PAGE_BYTES)));
      if (superblock) for (const [page, content] of pagesOf(superblock.page, superblock.bytes)) kept.set(page, content);
    },
    truncate(pages) {
      for (const page of kept.keys()) if (page >= pages) kept.delete(page);
    },
    removeExtent: (file) => void extents.delete(file),
    pages: () => [...kept.keys()].reduce((most, page) => Math.max(most, page + 1), 0),
    extents: () => [...extents].map(([file, { length }]) => ({ file, bytes: length })).sort((a, b) => a.file - b.file),
    prepare() {},
    close() {},
  };
}
