// Types of storagecontract.mjs, as far as TypeScript specs need them.

interface ExtentFile {
  readonly file: number;
  readonly bytes: number;
}

interface Storage {
  read(pages: ArrayLike<number>): Uint8Array[] | Promise<Uint8Array[]>;
  readSpans(spans: readonly { readonly file: number; readonly offset: number; readonly length: number }[]): Uint8Array[] | Promise<Uint8Array[]>;
  write(batch: Batch): void | Promise<void>;
  truncate(pages: number): void | Promise<void>;
  removeExtent(file: number): void | Promise<void>;
  pages(): number | Promise<number>;
  extents(): ExtentFile[] | Promise<ExtentFile[]>;
  prepare(files: readonly number[]): void | Promise<void>;
  close(): void;
}

interface Batch {
  readonly appends?: readonly { readonly file: number; readonly offset: number; readonly bytes: Uint8Array }[];
  readonly pages: Uint32Array;
  readonly bytes: Uint8Array;
  readonly superblock?: { readonly page: number; readonly bytes: Uint8Array };
}

type Cases = Record<string, (open: () => Storage | Promise<Storage>) => Promise<void>>;

export const writing: Cases;
export const reading: Cases;
export const written: Batch;
