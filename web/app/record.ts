/**
 * The record that is open in the detail pane: its headers, the first bytes of its body, and what those bytes are.
 * Views read more of the body through it; everything stops when it is closed. Draws nothing.
 */
import type { Archive, RecordDetail, RecordPart, RecordRow, RecordVerdicts } from "stackroom";

import { bodyKind, type BodyKind } from "./content/kind.js";
import { isAbort, troubleOf, type Trouble } from "./trouble.js";

/** Bytes read of every body that is opened: enough for magic, character set and the first screen. */
export const headBytes = 65_536;

export class OpenRecord {
  readonly row: RecordRow;
  readonly #archive: Archive;
  readonly #abort = new AbortController();
  detail?: RecordDetail;
  trouble?: Trouble;
  /** The first bytes of the decoded body; absent until read, and where it cannot be decoded. */
  head?: Uint8Array;
  isHeadWhole = false;
  kind?: BodyKind;
  bodyTrouble?: Trouble;
  /** What came of the digests that the record states, once that was asked for. */
  verdicts?: RecordVerdicts;
  isVerifying = false;
  verifyTrouble?: Trouble;
  /** Of a revisit: the record whose body is shown. */
  original?: RecordRow | undefined;

  constructor(archive: Archive, row: RecordRow) {
    this.#archive = archive;
    this.row = row;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Reads headers and the head of the body. Never rejects: what fails is kept as trouble. */
  async load(onChange: () => void): Promise<void> {
    const options = { signal: this.signal };
    // Headers need not wait for a body that takes long to decode.
    const tell = (): void => {
      if (!this.signal.aborted) onChange();
    };
    const detail = this.#archive.detail(this.row, options).then(
      (read) => {
        this.detail = read;
        tell();
      },
      (error: unknown) => {
        if (!isAbort(error)) this.trouble = troubleOf(error);
      },
    );
    // One byte more than is kept tells whether the body goes on.
    const head = this.#archive.bytes(this.row, "body", { ...options, limit: headBytes + 1 }).then(
      (bytes) => {
        this.isHeadWhole = bytes.length <= headBytes;
        this.head = bytes.subarray(0, headBytes);
        this.kind = bodyKind(this.head, this.row.mime, this.isHeadWhole);
        tell();
      },
      (error: unknown) => {
        if (!isAbort(error)) this.bodyTrouble = troubleOf(error);
      },
    );
    const original = this.#archive.original(this.row, options).then(
      (row) => (this.original = row),
      () => undefined,
    );
    await Promise.all([detail, head, original]);
    tell();
  }

  /** Reads the record in full and compares its digests; never rejects. */
  async verify(onChange: () => void): Promise<void> {
    if (this.isVerifying) return;
    this.isVerifying = true;
    delete this.verdicts;
    delete this.verifyTrouble;
    onChange();
    try {
      this.verdicts = await this.#archive.verify(this.row, { signal: this.signal });
    } catch (error) {
      if (!isAbort(error)) this.verifyTrouble = troubleOf(error);
    }
    this.isVerifying = false;
    if (!this.signal.aborted) onChange();
  }

  /** The decoded body up to a limit. */
  async body(limit: number): Promise<Uint8Array> {
    if (this.isHeadWhole && this.head !== undefined) return this.head.subarray(0, limit);
    return this.#archive.bytes(this.row, "body", { signal: this.signal, limit });
  }

  /** A part as a stream, for saving. */
  stream(part: RecordPart): ReadableStream<Uint8Array> {
    return this.#archive.read(this.row, part, { signal: this.signal });
  }

  /** `count` bytes of a part from `start`; reads past what comes before and keeps none of it. */
  async window(part: RecordPart, start: number, count: number, signal: AbortSignal): Promise<Uint8Array> {
    const stream = this.#archive.read(this.row, part, { signal: AbortSignal.any([signal, this.signal]) });
    const reader = stream.getReader();
    const kept = new Uint8Array(count);
    let at = 0;
    let filled = 0;
    try {
      while (filled < count) {
        const { done, value } = await reader.read();
        if (done) break;
        const from = Math.max(0, start - at);
        if (from < value.length) {
          const piece = value.subarray(from, from + count - filled);
          kept.set(piece, filled);
          filled += piece.length;
        }
        at += value.length;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
    return kept.subarray(0, filled);
  }

  close(): void {
    this.#abort.abort();
  }
}
