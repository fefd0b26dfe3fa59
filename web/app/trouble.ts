/**
 * Errors as the viewer shows them: a title and advice for a person, the library's sentence, the stable code in small print.
 * Words for each code are in `words.ts`.
 */
import { ArchiveError } from "stackroom";

import { words } from "./words.js";

export interface Trouble {
  readonly title: string;
  readonly message: string;
  readonly advice: string;
  readonly code: string;
  readonly offset?: number;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

export function troubleOf(error: unknown): Trouble {
  const code = error instanceof ArchiveError ? error.code : "viewer/unexpected";
  const message = error instanceof Error ? error.message : String(error);
  const offset = error instanceof ArchiveError ? error.offset : undefined;
  const known = words.failures[code] ?? (code.startsWith("source/http-") ? words.failureHttp : words.failureOther);
  return { ...known, message, code, ...(offset === undefined ? {} : { offset }) };
}

/** Trouble that the viewer finds itself, before the library is asked. */
export function troubleWith(code: string, message: string): Trouble {
  return { ...(words.failures[code] ?? words.failureOther), message, code };
}
