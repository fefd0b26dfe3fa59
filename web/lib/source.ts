/**
 * Where bytes come from: a `Blob` or `File`, memory, or a URL read forward and by Range.
 * A source is read in chunks from any offset on; it keeps nothing but what is under way.
 * Files of Node are in `files.ts`, since no browser may load that.
 */

import { ArchiveError, abortError, checkAbort, isAbort } from "./errors.js";
import type { SourceRef } from "./protocol.js";

export interface Source {
  /** Bytes in all; undefined until it is known. */
  readonly size: number | undefined;
  /** The bytes from `offset` to the end, in pieces, as long as the caller takes them. */
  chunks(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Large enough that a read costs little beside its bytes, small enough that memory stays flat. */
export const WINDOW_BYTES = 1 << 20;

export type OpenSource = (reference: SourceRef) => Source | Promise<Source>;

export function openSource(reference: SourceRef): Source {
  switch (reference.kind) {
    case "blob":
      return blobSource(reference.blob);
    case "bytes":
      return bytesSource(reference.bytes);
    case "url":
      return new UrlSource(reference.url);
    case "path":
      throw new ArchiveError("source/unsupported", "Files can be opened by path in Node only.");
  }
}

function blobSource(blob: Blob): Source {
  const read = async (offset: number): Promise<Uint8Array | undefined> => {
    if (offset >= blob.size) return undefined;
    return new Uint8Array(await blob.slice(offset, offset + WINDOW_BYTES).arrayBuffer());
  };
  return {
    size: blob.size,
    async *chunks(offset, signal) {
      let next = read(offset);
      try {
        for (let at = offset; ; at += WINDOW_BYTES) {
          const chunk = await next;
          checkAbort(signal);
          if (!chunk) return;
          // The next window is read while this one is parsed.
          next = read(at + WINDOW_BYTES);
          yield chunk;
        }
      } catch (error) {
        if (isAbort(error)) throw error;
        const message =
          "The file can no longer be read. It was moved, changed or deleted, or the permission ended: choose it again.";
        throw new ArchiveError("source/unreadable", message, { cause: error });
      } finally {
        next.catch(() => {});
      }
    },
  };
}

function bytesSource(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    async *chunks(offset, signal) {
      for (let at = offset; at < bytes.length; at += WINDOW_BYTES) {
        checkAbort(signal);
        yield bytes.subarray(at, at + WINDOW_BYTES);
      }
    },
  };
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: "access is not allowed",
  403: "access is not allowed",
  404: "there is no such file",
  410: "the file is gone",
  503: "it is overloaded: try again later",
};
const RETRIES = 4;
const RETRY_MS = 250;

/** A URL: one request as long as reading goes on, a Range request wherever it starts elsewhere. */
class UrlSource implements Source {
  size: number | undefined;
  readonly #url: string;
  /** What the server says of the version that was read first. */
  #version: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async *chunks(offset: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    let at = offset;
    for (let failures = 0; ; ) {
      try {
        for await (const chunk of this.#request(at, signal)) {
          failures = 0;
          at += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (signal.aborted) throw abortError();
        const isFirst = at === 0;
        if (error instanceof ArchiveError || isFirst || ++failures > RETRIES) throw this.#explained(error, at);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** failures));
      }
    }
  }

  async *#request(offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    // Ends the request when the caller stops taking chunks, not only when it aborts.
    const controller = new AbortController();
    const onAbort = (): void => controller.abort();
    signal.addEventListener("abort", onAbort);
    checkAbort(signal);
    try {
      const headers: Record<string, string> = offset > 0 ? { Range: `bytes=${offset}-` } : {};
      const response = await fetch(this.#url, { headers, signal: controller.signal, credentials: "same-origin" });
      if (response.status === 416) return;
      this.#check(response, offset);
      // A server without Range sends all of it again.
      const isWhole = response.status !== 206;
      let received = isWhole ? 0 : offset;
      const reader = response.body?.getReader();
      if (!reader) return;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const unwanted = Math.max(0, offset - received);
        received += value.length;
        if (unwanted < value.length) yield unwanted > 0 ? value.subarray(unwanted) : value;
      }
      if (isWhole) this.#checkReceived(received);
    } finally {
      signal.removeEventListener("abort", onAbort);
      controller.abort();
    }
  }

  #check(response: Response, offset: number): void {
    const { status, headers } = response;
    if (!response.ok) {
      const meaning = MEANINGS[status] ?? response.statusText;
      throw new ArchiveError(`source/http-${status}`, `The server answered ${status}${meaning ? ` (${meaning})` : ""} for ${this.#url}`);
    }
    const isEncoded = headers.has("Content-Encoding");
    if (isEncoded && this.#isGzip()) throw this.#unpacked();
    const range = /^bytes \d+-\d+\/(\d+)$/.exec(headers.get("Content-Range") ?? "");
    const length = headers.get("Content-Length");
    const total = range ? Number(range[1]) : status === 200 && length !== null && !isEncoded ? Number(length) : undefined;
    // A server that compresses on the fly marks its ETag; the file is the same one.
    const tag = (headers.get("ETag") ?? "").replace(/^W\//, "").replace(/[-;](gzip|br|zstd)"$/, '"');
    const version = `${tag} ${headers.get("Last-Modified") ?? ""}`;
    const isOther = total !== undefined && this.size !== undefined && this.size !== total;
    if (isOther || (this.#version !== undefined && this.#version !== version)) {
      throw new ArchiveError("source/changed", "The file on the server changed while it was open. Open it again.", { offset });
    }
    this.size ??= total;
    this.#version ??= version;
  }

  /** What came is compared with what was announced; browsers hide from other sites that they unpacked it. */
  #checkReceived(received: number): void {
    if (this.size === undefined || this.size === received) return;
    if (this.#isGzip()) throw this.#unpacked();
    this.size = received;
  }

  #isGzip(): boolean {
    return /\.gz$/i.test(new URL(this.#url).pathname);
  }

  /** Browsers unpack such a file, and only its first gzip member at that: all but one record would be missing. */
  #unpacked(): ArchiveError {
    const message =
      "The server sends this file with the header Content-Encoding: gzip, so the browser unpacks it on the way and loses " +
      "most of it. The server must send .warc.gz files as they are, without that header.";
    return new ArchiveError("source/encoded", message);
  }

  #explained(error: unknown, at: number): Error {
    if (error instanceof ArchiveError) return error;
    if (at > 0) {
      return new ArchiveError("source/interrupted", "The connection broke and could not be taken up again.", { offset: at, cause: error });
    }
    const message =
      `${this.#url} could not be read. There is no connection, or that server does not let other sites read it: ` +
      "it must send the header Access-Control-Allow-Origin.";
    return new ArchiveError("source/unreachable", message, { cause: error });
  }
}
