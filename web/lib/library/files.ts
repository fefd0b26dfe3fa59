/**
 * One storage for a store and for files that are written once beside it: a commit of the store makes both durable, and
 * whoever takes the storage over has both.
 */

import { NOTHING, type ExtentFile, type PageStorage } from "../store/storage.js";

/** Files are extents from this number on; a store does not come near it. */
const FIRST_FILE = 2 ** 30;
/** Who keeps files has so many numbers for them. */
const SHELF_FILES = 2 ** 20;
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

export type Guard = <T>(write: () => Promise<T>) => Promise<T>;

/**
 * The storage without the files, for a store; the files of each shelf, by its number; and which shelves have any. Who no
 * longer owns the storage must not write over the files of who does: what is appended and removed goes through the guard.
 */
export function divided(storage: PageStorage, guard: Guard = (write) => write()): { readonly storage: PageStorage; readonly shelf: (number: number) => Files; readonly shelves: () => Promise<number[]> } {
  const extents = async (from: number, to: number): Promise<ExtentFile[]> => (await storage.extents()).filter(({ file }) => file >= from && file < to);
  return {
    storage: { ...storage, extents: () => extents(0, FIRST_FILE) },
    shelves: async () => [...new Set((await extents(FIRST_FILE, Infinity)).map(({ file }) => Math.floor((file - FIRST_FILE) / SHELF_FILES)))],
    shelf(number) {
      const first = FIRST_FILE + number * SHELF_FILES;
      return {
        prepare: (file) => storage.prepare([first + file]),
        append: (file, offset, bytes) => guard(async () => storage.write({ appends: [{ file: first + file, offset, bytes }], pages: NO_PAGES, bytes: NOTHING })),
        read(file, offset, length) {
          const spans = storage.readSpans([{ file: first + file, offset, length }]);
          return spans instanceof Promise ? spans.then(([bytes]) => bytes ?? NOTHING) : (spans[0] ?? NOTHING);
        },
        remove: (file) => guard(async () => storage.removeExtent(first + file)),
        list: async () => (await extents(first, first + SHELF_FILES)).map(({ file, bytes }) => ({ file: file - first, bytes })),
      };
    },
  };
}
