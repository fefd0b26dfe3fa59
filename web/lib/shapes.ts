/**
 * The public data shapes: what a caller sees of an archive.
 * Words: an *archive* is one file or several that are opened together, a *part* of it is a file or a member of one, a
 * *record* is what WARC calls so, and *damage* is input that could not be read.
 * Types only, no behaviour.
 */

/** Record types of WARC 1.1, and `unknown` for anything else that a file claims. */
export type RecordType =
  | "warcinfo"
  | "response"
  | "resource"
  | "request"
  | "metadata"
  | "revisit"
  | "conversion"
  | "continuation"
  | "unknown";

/** What a file is, or a part of one; several files together are a collection. */
export type ArchiveFormat =
  | "warc"
  | "warc.gz"
  | "warc.zst"
  | "arc"
  | "arc.gz"
  | "cdx"
  | "cdx.gz"
  /** WACZ files are ZIP files. */
  | "zip"
  | "tar"
  | "tar.gz"
  | "gz"
  /** A list of archives at other addresses. */
  | "manifest"
  | "har"
  | "wbn"
  | "collection";

/** A part of an archive that holds records of its own: one of its files, or a member of one. */
export interface ArchivePart {
  readonly part: number;
  /** The file in which it lies, by the order in which files were given. */
  readonly file: number;
  /** The name of the file, and after `!` that of the member, such as `crawl.wacz!archive/data.warc.gz`. */
  readonly name: string;
  readonly format: ArchiveFormat;
  /** Its records go from here to the first one of the next part. */
  readonly firstRow: number;
}

/** One of several files that could not be read, or not to its end. */
export interface RefusedFile {
  /** By the order in which files were given. */
  readonly file: number;
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly offset?: number;
}

/** One row of the record table: small, and held for every record of the archive. */
export interface RecordRow {
  /** Position in the archive, from 0, in the order of the file. */
  readonly row: number;
  /** Number of the part of the archive in which the record lies: 0 in a file that holds nothing but records. */
  readonly part: number;
  /** Where the record (or the gzip member that holds it) starts in the file. */
  readonly offset: number;
  /** Bytes that it takes there. */
  readonly length: number;
  /** Bytes to pass over in the inflated member before the record starts: 0 in every well-made file. */
  readonly skip: number;
  readonly type: RecordType;
  /** HTTP status, absent where the record has none. */
  readonly status?: number;
  /** Media type in lower case without parameters, absent where none is said. */
  readonly mime?: string;
  /** Bytes of the stored payload: after the HTTP headers if there are any, as stored. */
  readonly size: number;
  /** Milliseconds since 1970, absent where the date is missing or unreadable. */
  readonly captured?: number;
  /** Target URL as stated, empty where the record has none. */
  readonly url: string;
}

/** Some documents of an archive, in the order of their rows. */
export interface DocumentLot {
  /** As the engine writes them, one after another; may be none. */
  readonly documents: Uint8Array;
  /** All documents of rows before this one are told by now. */
  readonly upTo: number;
}

/** A capture of a URL that is known: enough to read it and to choose among several. */
export type Capture = Pick<RecordRow, "row" | "part" | "offset" | "length" | "skip" | "type" | "status" | "captured">;

export type HeaderField = readonly [name: string, value: string];

/** Everything that a record says of itself. */
export interface RecordDetail extends RecordRow {
  /** First line, such as `WARC/1.1`. */
  readonly version: string;
  readonly warcHeaders: readonly HeaderField[];
  /** Absent where the block is not HTTP. */
  readonly http?: {
    /** First line, such as `HTTP/1.1 200 OK` or `GET / HTTP/1.1`. */
    readonly startLine: string;
    readonly headers: readonly HeaderField[];
  };
  /** Media type with its parameters, as the HTTP (or else WARC) headers state it. */
  readonly contentType?: string;
  /** Character set that the content type states, in lower case. */
  readonly charset?: string;
  /** Content encodings that the body had to be (or could not be) decoded from. */
  readonly contentEncoding?: string;
  readonly transferEncoding?: string;
}

/**
 * Parts of a record, as bytes:
 * `raw` the record as it is in the inflated file, `warc` its WARC header block,
 * `http` its HTTP header block, `body` the payload, de-chunked and decoded.
 */
export type RecordPart = "raw" | "warc" | "http" | "body";

/** Input that could not be read as it should be. Reading went on after it. */
export interface Damage {
  /** The part in which it was found, in whose bytes the offset counts. */
  readonly part: number;
  /** Stable code such as `warc/bad-length`. */
  readonly code: string;
  /** Where in the file. */
  readonly offset: number;
  /** Bytes of the file that belong to no record because of it. */
  readonly skipped: number;
  /** One sentence for a person. */
  readonly message: string;
}

/** What came of a digest that a record states. */
export interface DigestVerdict {
  /** As it stands in the header, such as `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`. */
  readonly stated: string;
  /** `elsewhere`: it is of bytes that are not in this record, as with a revisit. */
  readonly verdict: "holds" | "differs" | "unknown-algorithm" | "unreadable" | "elsewhere";
  /** Which bytes it holds for: the block, or the payload as stored, without its chunking, or decoded. */
  readonly of?: "block" | "stored" | "dechunked" | "decoded";
  /** What the digest of the bytes is, where another one is stated. */
  readonly found?: string;
}

/** Each is absent where the record states no such digest. */
export interface RecordVerdicts {
  readonly block?: DigestVerdict;
  readonly payload?: DigestVerdict;
}

/** An entry of a list of pages, as WACZ files have them. */
export interface ArchivePage {
  /** Position among all pages of the archive. */
  readonly page: number;
  /** The file, by the order in which files were given. */
  readonly file: number;
  readonly url: string;
  readonly title?: string;
  /** Milliseconds since 1970. */
  readonly captured?: number;
}

/** Whether something is what its package says. */
export type PackageVerdict = "not-checked" | "holds" | "differs" | "missing" | "elsewhere" | "no-hash";

/** What a file that holds others says of itself, of a member, or of who signed it. */
export type ArchiveFact =
  | { readonly aside: "about"; readonly source: number; readonly file: string; readonly title?: string; readonly software?: string; readonly created?: string }
  | { readonly aside: "resource"; readonly source: number; readonly file: string; readonly hash?: string; readonly verdict: PackageVerdict }
  | {
      readonly aside: "signature";
      readonly source: number;
      readonly file: string;
      readonly digest: PackageVerdict;
      readonly is_signed: boolean;
      readonly is_valid?: boolean;
      readonly signer?: string;
      readonly stamped?: string;
      /** What is proven and what is not, in sentences. */
      readonly words: string;
    };

/** How far indexing is. */
export interface Progress {
  readonly bytes: number;
  /** Absent where the length of the source is not known. */
  readonly bytesTotal?: number;
  readonly records: number;
  readonly parts: number;
  /** Entries of page lists. */
  readonly pages: number;
  readonly damageCount: number;
  /** Files among several that could not be read. */
  readonly refusedCount: number;
  /** Milliseconds since opening began. */
  readonly elapsedMs: number;
  readonly isDone: boolean;
}

/** A line of `records`: a record with its digests, read in full. */
export interface InspectedRecord {
  /** The file and, after `!`, its member, where there are several. */
  readonly file?: string;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly uri?: string;
  readonly date?: string;
  readonly status?: string;
  readonly mime?: string;
  readonly content_length?: string;
  readonly payload_digest?: string;
  /** Of the payload as stored; absent for a row of an index, whose bytes are in another file. */
  readonly raw_len?: number;
  readonly raw_sha1?: string;
  readonly body_len?: number;
  readonly body_sha1?: string;
  readonly te?: string;
  readonly ce?: string;
  readonly digest_ok?: boolean;
}

/** How much of a source was read. */
export interface ReadProgress {
  readonly bytes: number;
  /** Absent where the length of the source is not known. */
  readonly bytesTotal?: number;
}

/** How far cutting records out of a source is. */
export interface CutProgress extends ReadProgress {
  /** Records of the source so far. */
  readonly seen: number;
  /** Those of them that were written. */
  readonly written: number;
}

/** Rows of an archive that follow each other. */
export interface RowRange {
  readonly from: number;
  readonly count: number;
}

/** What is made of records that are cut out: a WARC file, with a gzip member for each record or plain, or an index of them. */
export type CutForm = "warc.gz" | "warc" | "cdxj" | "cdx11";

/** A damage line of `records`. */
export interface InspectedDamage {
  readonly file?: string;
  readonly damage: string;
  readonly offset: number;
  readonly skipped: number;
  readonly message: string;
}

/** A line of `check`: something in the archive that is not as it should be. */
export interface Problem {
  /** Which file, and which member of it, where that is not plain. */
  readonly file?: string;
  /** Stable code such as `digest/differs`. */
  readonly problem: string;
  /** Where in the file, or in its member. */
  readonly offset: number;
  /** One sentence for a person. */
  readonly message: string;
  readonly uri?: string;
}

/** The last line of `check`. */
export interface CheckSummary {
  readonly file?: string;
  readonly checked: true;
  readonly records: number;
  readonly problems: number;
  /** Stated digests that hold. */
  readonly digests: number;
}
