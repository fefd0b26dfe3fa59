/**
 * One storage for a store and for files that are written once beside it: a commit of the store makes both durable, and
 * whoever takes the storage over has both.
 */

import { NOTHING, type ExtentFile, type PageStorage } from "../store/storage.js";

/** Files are extents from this number on; a store does not come near it. */
const FIRST_FILE = 2 ** 30;
const NO_PAGES = new Uint32Array(0);

/** Files by number, written from their beginning to their end. */
export interface Files {
  /** Makes ready that this file can be written. */
  prepare(file: number): void | Promise<void>;
  append(file: number, offset: number, bytes: Uint8Array): void | Promise<void>;
  /** Short where the file ends before. */
  read(file: number, offset: number, length: number): Uint8Array | Promise<Uint8Array>;
  remove(file: number): void | Promise<void>;
  list(): Promise<ExtentFile[]>;
}

/** The storage without the files, for a store; and the files. */
export function divided(storage: PageStorage): { readonly storage: PageStorage; readonly files: Files } {
  const extents = async (): Promise<{ own: ExtentFile[]; files: ExtentFile[] }> => {
    const all = await storage.extents();
    const isFile = ({ file }: ExtentFile): boolean => file >= FIRST_FILE;
    return { own: all.filter((extent) => !isFile(extent)), files: all.filter(isFile) };
  };
  return {
    storage: { ...storage, extents: async () => (await extents()).own },
    files: {
      prepare: (file) => storage.prepare(FIRST_FILE + file),
      append: (file, offset, bytes) => storage.write({ appends: [{ file: FIRST_FILE + file, offset, bytes }], pages: NO_PAGES, bytes: NOTHING }),
      read(file, offset, length) {
        const spans = storage.readSpans([{ file: FIRST_FILE + file, offset, length }]);
        return spans instanceof Promise ? spans.then(([bytes]) => bytes ?? NOTHING) : (spans[0] ?? NOTHING);
      },
      remove: (file) => storage.removeExtent(FIRST_FILE + file),
      list: async () => (await extents()).files.map(({ file, bytes }) => ({ file: file - FIRST_FILE, bytes })),
    },
  };
}
