/**
 * The one error that the library throws, and its form on the wire.
 * Cancelling is no error of ours: it rejects with the `AbortError` that the platform uses.
 */

export interface ErrorOnWire {
  readonly code: string;
  readonly message: string;
  readonly offset?: number;
}

/** Something that could not be done: a stable `code`, a sentence for a person, and where in the file. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  readonly code: string;
  readonly offset?: number;

  constructor(code: string, message: string, options: { offset?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.offset !== undefined) this.offset = options.offset;
  }
}

const ABORTED = "aborted";

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

export function abortError(): Error {
  return new DOMException("The operation was cancelled.", "AbortError");
}

export function noMember(member: string): ArchiveError {
  return new ArchiveError("read/no-member", `There is no member ${member} with records in this file.`);
}

export function notOpen(): ArchiveError {
  return new ArchiveError("read/not-open", "No archive is open.");
}

/** Throws if the signal says stop. */
export function checkAbort(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError();
}

export function errorToWire(error: unknown): ErrorOnWire {
  if (isAbort(error)) return { code: ABORTED, message: "The operation was cancelled." };
  if (error instanceof ArchiveError) {
    const { code, message, offset } = error;
    return offset === undefined ? { code, message } : { code, message, offset };
  }
  const thrown = typeof error === "string" ? engineError(error) : undefined;
  if (thrown) return errorToWire(thrown);
  return { code: "bug/engine", message: `The engine failed: ${error instanceof Error ? error.message : String(error)}` };
}

export function errorFromWire(error: ErrorOnWire): Error {
  if (error.code === ABORTED) return abortError();
  return new ArchiveError(error.code, error.message, error.offset === undefined ? {} : { offset: error.offset });
}

/** The engine throws texts of the form `code\noffset\nmessage`. */
function engineError(text: string): ArchiveError | undefined {
  const [code, offset, ...message] = text.split("\n");
  if (!code || offset === undefined) return undefined;
  return new ArchiveError(code, message.join("\n"), offset === "" ? {} : { offset: Number(offset) });
}
