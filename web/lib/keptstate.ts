/**
 * The state of an archive as bytes that are kept: what is known of its files, and what the engine keeps of their table.
 * Described in FORMAT.md of the crate. They may be any: what is no state is refused.
 */

import { ArchiveError } from "./errors.js";
import type { ArchiveFormat, RefusedFile } from "./shapes.js";

/** What tells a file from another one, or from the same one changed. */
export interface KeptFile {
  readonly size?: number;
  /** Of a URL, as its source has it. */
  readonly version?: string;
}

export interface KeptFiles {
  readonly format: ArchiveFormat;
  /** In the order in which they were given. */
  readonly given: readonly KeptFile[];
  /** Those that are in the table, by their numbers among the given ones. */
  readonly files: readonly number[];
  readonly refused: readonly RefusedFile[];
  /** Reading goes on with this one. */
  readonly next: number;
}

export interface KeptState extends KeptFiles {
  readonly table: Uint8Array;
}

const VERSION = 1;
const HEADER_BYTES = 5;

export function packState({ table, ...files }: KeptState): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(files));
  const bytes = new Uint8Array(HEADER_BYTES + text.length + table.length);
  bytes[0] = VERSION;
  new DataView(bytes.buffer).setUint32(1, text.length, true);
  bytes.set(text, HEADER_BYTES);
  bytes.set(table, HEADER_BYTES + text.length);
  return bytes;
}

export function unpackState(bytes: Uint8Array): KeptState {
  const files = readFiles(bytes);
  if (!files) throw notAState("The kept state of this archive cannot be used: it is damaged, or of another version of Stackroom.");
  return { ...files.known, table: bytes.subarray(files.end) };
}

export function notAState(what: string): ArchiveError {
  return new ArchiveError("open/not-a-state", `${what} It must be indexed again.`);
}

function readFiles(bytes: Uint8Array): { known: KeptFiles; end: number } | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) return undefined;
  const end = HEADER_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
  if (end > bytes.length) return undefined;
  try {
    const known: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(HEADER_BYTES, end)));
    return isKept(known) ? { known, end } : undefined;
  } catch {
    return undefined;
  }
}

type Loose<T> = { readonly [Key in keyof T]?: unknown };

function isKept(value: unknown): value is KeptFiles {
  if (typeof value !== "object" || value === null) return false;
  const { format, given, files, refused, next }: Loose<KeptFiles> = value;
  if (typeof format !== "string" || !Array.isArray(given) || !Array.isArray(files) || !Array.isArray(refused)) return false;
  const isNumber = (number: unknown): number is number => Number.isSafeInteger(number) && (number as number) >= 0;
  const isRising = files.every((file: unknown, at) => isNumber(file) && file < given.length && (at === 0 || file > (files[at - 1] as number)));
  return isRising && isNumber(next) && next <= given.length && given.every(isFile) && refused.every(isRefused);

  function isFile(file: unknown): boolean {
    if (typeof file !== "object" || file === null) return false;
    const { size, version }: Loose<KeptFile> = file;
    return (size === undefined || isNumber(size)) && (version === undefined || typeof version === "string");
  }
  function isRefused(one: unknown): boolean {
    if (typeof one !== "object" || one === null) return false;
    const { file, name, code, message }: Loose<RefusedFile> = one;
    return isNumber(file) && [name, code, message].every((text) => typeof text === "string");
  }
}
