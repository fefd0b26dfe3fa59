/**
 * Reads what the engine writes: record rows and headers.
 * The grammar stands with the writers: `Captures::encode`, `Extractor::heads`, `KeptIndex::nearest` and `KeptIndex::groups` in the crate.
 */

import type { Capture, HeaderField, RecordRow, RecordType } from "./shapes.js";

const TYPES: readonly RecordType[] = [
  "unknown",
  "warcinfo",
  "response",
  "resource",
  "request",
  "metadata",
  "revisit",
  "conversion",
  "continuation",
];

const decoder = new TextDecoder();
const latin = new TextDecoder("latin1");
/** Longer texts are rather decoded than looked through. */
const SHORT = 512;

/** An object that is being made. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

export class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  /** All bytes as letters, one for each: to cut an ASCII text out of them is much faster than to decode it. */
  readonly #whole: { letters?: string };
  #at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, whole: { letters?: string } = {}) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
    this.#whole = whole;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("the engine's answer breaks off");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  bytes(): Uint8Array {
    const start = this.#skip();
    return this.#bytes.slice(start, this.#at);
  }

  /** What is in these bytes, read by itself. */
  inner(): Reader {
    const start = this.#skip();
    return new Reader(this.#bytes, start, this.#at, this.#whole);
  }

  text(): string {
    const start = this.#skip();
    const end = this.#at;
    if (end === start) return "";
    let at = start;
    if (end - start <= SHORT) while (at < end && (this.#bytes[at] ?? 0x80) < 0x80) at++;
    if (at === end) return (this.#whole.letters ??= latin.decode(this.#bytes)).slice(start, end);
    return decoder.decode(this.#bytes.subarray(start, end));
  }

  /** Goes behind what begins with its length; gives where it begins. */
  #skip(): number {
    const length = this.number();
    const start = this.#at;
    this.#at += length;
    return start;
  }

  fields(): HeaderField[] {
    const count = this.number();
    const fields: HeaderField[] = [];
    for (let n = 0; n < count; n++) fields.push([this.text(), this.text()]);
    return fields;
  }
}

export const typeName = (number: number): RecordType => TYPES[number] ?? "unknown";

export function decodeRows(bytes: Uint8Array): RecordRow[] {
  const reader = new Reader(bytes);
  const rows: RecordRow[] = [];
  while (!reader.isAtEnd) rows.push(readRow(reader));
  return rows;
}

export function readRow(reader: Reader): RecordRow {
  const row = reader.number();
  const part = reader.number();
  const offset = reader.number();
  const length = reader.number();
  const skip = reader.number();
  const type = typeName(reader.number());
  const status = reader.number();
  const size = reader.number();
  const captured = reader.number();
  const mime = reader.text();
  const url = reader.text();
  // Lists of hits are made of these: fields that are set take a third of the time of objects that are spread.
  const read: Writable<RecordRow> = { row, part, offset, length, skip, type, size, url };
  if (status > 0) read.status = status - 1;
  if (captured > 0) read.captured = (captured - 1) * 1000;
  if (mime !== "") read.mime = mime;
  return read;
}

export function decodeCaptures(bytes: Uint8Array): Capture[] {
  const reader = new Reader(bytes);
  const captures: Capture[] = [];
  while (!reader.isAtEnd) {
    const captured = reader.number();
    const row = reader.number();
    const length = reader.number();
    const part = reader.number();
    const offset = reader.number();
    const skip = reader.number();
    const type = typeName(reader.number());
    const status = reader.number();
    captures.push({
      row,
      part,
      offset,
      length,
      skip,
      type,
      ...(status > 0 && { status: status - 1 }),
      ...(captured > 0 && { captured: (captured - 1) * 1000 }),
    });
  }
  return captures;
}

export interface RawGroup {
  readonly name: Uint8Array;
  readonly behind: Uint8Array;
  readonly records: number;
  readonly bytes: number;
  readonly isLeaf: boolean;
}

export function decodeGroups(bytes: Uint8Array): RawGroup[] {
  const reader = new Reader(bytes);
  const groups: RawGroup[] = [];
  while (!reader.isAtEnd) {
    groups.push({ name: reader.bytes(), behind: reader.bytes(), records: reader.number(), bytes: reader.number(), isLeaf: reader.number() === 1 });
  }
  return groups;
}

export interface Heads {
  readonly version: string;
  readonly warcHeaders: HeaderField[];
  readonly http?: { readonly startLine: string; readonly headers: HeaderField[] };
}

export function decodeHeads(bytes: Uint8Array): Heads {
  const reader = new Reader(bytes);
  const version = reader.text();
  const warcHeaders = reader.fields();
  if (reader.number() === 0) return { version, warcHeaders };
  const startLine = reader.text();
  return { version, warcHeaders, http: { startLine, headers: reader.fields() } };
}
