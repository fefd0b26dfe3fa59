/** What a library says of the archives that it keeps. */

import type { ArchiveFormat } from "../shapes.js";
import type { Finding } from "../store/packing.js";

/** A file of an archive, as far as its source says. */
export interface KeptFile {
  readonly name: string;
  readonly size?: number | undefined;
  /** Milliseconds since 1970. */
  readonly modified?: number | undefined;
  /** By which it is known again, see `identity.ts`. */
  readonly mark?: string | undefined;
}

/** What is known of an archive while it is read. */
export interface ArchiveFacts {
  readonly damageCount: number;
  /** How much of it is read, from 0 to 1, while it is being read and its size is known. */
  readonly share?: number | undefined;
  /** Bytes of the archive, where they are known. */
  readonly bytes?: number | undefined;
}

/** What makes an archive the one that it is. */
export interface ArchiveNamed {
  /** Where it came from, as the caller calls it: what makes it the same archive when it is added again. */
  readonly source: string;
  readonly name: string;
  readonly format: ArchiveFormat;
  readonly files?: readonly KeptFile[] | undefined;
}

export interface BeginOptions {
  /** What is kept of it already is forgotten, but for what people said of it. */
  readonly isAnew?: boolean | undefined;
}

/** What people say of an archive. */
export interface Description {
  readonly title?: string | undefined;
  readonly note?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Its bytes, kept in the browser too: the names of its files, in their order. */
export interface KeptCopy {
  readonly names: readonly string[];
  readonly bytes: number;
}

export interface KeptArchive extends ArchiveNamed, ArchiveFacts, Description {
  readonly id: number;
  /** `ready` with all its records, `indexing` before; that too where it was broken off: adding the archive again goes on with it. */
  readonly state: "indexing" | "ready";
  readonly records: number;
  readonly indexBytes: number;
  /** Milliseconds since 1970. */
  readonly added: number;
  /** When it was opened again last. */
  readonly opened?: number | undefined;
  /** The first time and the last that a record has; of one that is ready. */
  readonly captured?: { readonly from: number; readonly to: number } | undefined;
  /** How many hosts its records are of, up to 1,000; of one that is ready. */
  readonly hosts?: number | undefined;
  readonly copy?: KeptCopy | undefined;
  /** Web pages among its records; undefined where documents were not kept with them. */
  readonly documents?: number | undefined;
  /** Where documents of its records from this one on are not kept yet: adding the archive again goes on with them. */
  readonly documentsEnd?: number | undefined;
}

/** With the id of the archive that it is about, if it is about one. */
export interface LibraryFinding extends Finding {
  readonly id?: number;
}
