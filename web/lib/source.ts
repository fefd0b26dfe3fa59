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
  /** Whether reading a place again costs little. */
  readonly isNear?: boolean | undefined;
  /** How other workers reach the same version of it, each at a place of its own; absent where they cannot. */
  readonly shared?: SourceRef | undefined;
  /**
   * The bytes from `offset` to the end, in pieces, as long as the caller takes them. A piece is good until the next
   * one is asked for. A caller who will stop soon after `until` says so, lest much be read beyond it in vain.
   */
  chunks(offset: number, signal: AbortSignal, until?: number): AsyncIterable<Uint8Array>;
}

/** Large enough that a read costs little beside its bytes, small enough that memory stays flat. */
export const WINDOW_BYTES = 1 << 20;

/** Most gzip members that begin before a place end within this many bytes after it. */
export const BEYOND_BYTES = 64 << 10;

export type OpenSource = (reference: SourceRef) => Source | Promise<Source>;

export function openSource(reference: SourceRef): Source {
  switch (reference.kind) {
    case "blob":
      return blobSource(reference.blob);
    case "bytes":
      return bytesSource(reference.bytes);
    case "url":
      return new UrlSource(reference);
    case "path":
      throw new ArchiveError("source/unsupported", "Files can be opened by path in Node only.");
  }
}

function blobSource(blob: Blob): Source {
  return {
    size: blob.size,
    isNear: true,
    shared: { kind: "blob", blob },
    async *chunks(offset, signal, until = Infinity) {
      try {
        for (let at = offset, end = at; at < blob.size; at = end) {
          end = Math.min(blob.size, windowEnd(at, until));
          // Chromium leaves about one in a thousand reads of a file's stream into a given buffer unanswered for ever.
          for await (const chunk of pieces(blob.slice(at, end).stream().getReader())) {
            checkAbort(signal);
            yield chunk;
          }
        }
      } catch (error) {
        if (isAbort(error)) throw error;
        const message =
          "The file can no longer be read. It was moved, changed or deleted, or the permission ended: choose it again.";
        throw new ArchiveError("source/unreadable", message, { cause: error });
      }
    },
  };
}

/** Somewhat beyond where the caller means to stop; from there on in steps that grow. */
function windowEnd(at: number, until: number): number {
  return at < until ? until + BEYOND_BYTES : at + Math.max(BEYOND_BYTES, at - until);
}

function bytesSource(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    isNear: true,
    async *chunks(offset, signal) {
      for (let at = offset; at < bytes.length; at += WINDOW_BYTES) {
        checkAbort(signal);
        yield bytes.subarray(at, at + WINDOW_BYTES);
      }
    },
  };
}

/** One buffer for all streams of one reading. Without it every chunk is garbage, and browsers let a lot of that gather. */
interface Hold {
  buffer: ArrayBuffer;
}

const nowhere = new MessageChannel();
nowhere.port2.close();

/** Frees a chunk at once by sending it where nobody listens: left to the collector, they gather to a hundred megabytes. */
function discard({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) nowhere.port1.postMessage(null, [buffer]);
}

async function* pieces(
  reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>,
  hold: Hold = { buffer: new ArrayBuffer(0) },
  giveUp: () => void = () => void reader.cancel().catch(() => {}),
): AsyncGenerator<Uint8Array, void, undefined> {
  let isOver = false;
  try {
    if (reader instanceof ReadableStreamDefaultReader) {
      for (;;) {
        const { value, done } = await reader.read();
        isOver = done;
        if (done) return;
        yield value;
        discard(value);
      }
    }
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(hold.buffer));
      if (value) hold.buffer = value.buffer;
      isOver = done;
      if (done) return;
      yield value;
    }
  } finally {
    // Ends what is still under way; a stream that failed has said so already.
    if (!isOver) giveUp();
  }
}

function bufferedReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array> {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // Not every browser reads every stream into a given buffer.
    return stream.getReader();
  }
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: "access is not allowed",
  403: "access is not allowed",
  404: "there is no such file",
  410: "the file is gone",
  503: "it is overloaded: try again later",
};
/** What one request asks for. Firefox does not hold a response back that is read slowly: it keeps all of it in memory. */
export const REQUEST_BYTES = 8 << 20;
/** Firefox loses what ends a request of a worker right after its first bytes, and then keeps the connection for good. */
const ABORT_AFTER_MS = 200;
const RETRIES = 4;
const RETRY_MS = 250;

/** Length of the file as a Range request tells it. */
function totalOf(response: Response): number | undefined {
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1];
  return total === undefined ? undefined : Number(total);
}

/** A URL, asked for in windows by Range. A server without Range is read on in one go. */
export class UrlSource implements Source {
  size: number | undefined;
  readonly #url: string;
  readonly #fetch: typeof fetch;
  /** What the server says of the version that was read first. */
  #version: string | undefined;

  #isRanged = false;

  /** Other addresses than those of HTTP are asked for by who knows them. */
  constructor({ url, size, version }: Extract<SourceRef, { kind: "url" }>, ask: typeof fetch = (...asked) => fetch(...asked)) {
    this.#url = url;
    this.#fetch = ask;
    this.size = size;
    this.#version = version;
  }

  get shared(): SourceRef | undefined {
    if (!this.#isRanged || this.size === undefined || this.#version === undefined) return undefined;
    return { kind: "url", url: this.#url, size: this.size, version: this.#version };
  }

  async *chunks(offset: number, signal: AbortSignal, until = Infinity): AsyncIterable<Uint8Array> {
    let at = offset;
    for (let failures = 0; ; ) {
      try {
        for await (const chunk of this.#request(at, signal, until)) {
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

  async *#request(offset: number, signal: AbortSignal, until: number): AsyncGenerator<Uint8Array, void, undefined> {
    // Ends the request when the caller stops taking chunks, not only when it aborts.
    const controller = new AbortController();
    const onAbort = (): void => controller.abort();
    signal.addEventListener("abort", onAbort);
    checkAbort(signal);
    try {
      const hold = { buffer: new ArrayBuffer(WINDOW_BYTES) };
      for (let at = offset; ; ) {
        const bytes = Math.min(REQUEST_BYTES, windowEnd(at, until) - at);
        const response = await this.#ask(at, bytes, controller.signal);
        if (!response?.body) return;
        const isPart = response.status === 206;
        const start = isPart ? at : 0;
        let end = start;
        for await (const piece of pieces(bufferedReader(response.body), hold, () => {})) {
          const unwanted = Math.max(0, at - end);
          end += piece.length;
          if (unwanted < piece.length) yield unwanted > 0 ? piece.subarray(unwanted) : piece;
        }
        this.#checkReceived(response, end - start);
        if (!isPart || end === at || this.#isLast(response, end, end - start < bytes)) return;
        at = end;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      setTimeout(() => controller.abort(), ABORT_AFTER_MS);
    }
  }

  /** A window of bytes from `at` on, or all of the file; undefined where there are none. */
  async #ask(at: number, bytes: number, signal: AbortSignal): Promise<Response | undefined> {
    const get = (headers: Record<string, string>): Promise<Response> =>
      // An archive would push everything else out of the browser's cache, and writing it there takes time.
      this.#fetch(this.#url, { headers, signal, credentials: "same-origin", cache: "no-store" });
    const response = await get({ Range: `bytes=${at}-${at + bytes - 1}` }).catch((error: unknown) => {
      // A browser may ask another site for leave to send Range, and the site may only answer plain requests.
      if (at > 0 || signal.aborted) throw error;
      return get({});
    });
    if (response.status === 416) return undefined;
    this.#check(response, at);
    this.#isRanged = response.status === 206;
    if (response.status === 206 && this.size === undefined) await this.#askSize(signal);
    return response;
  }

  /** Other sites may hide how long the file is from a Range request, but not from a plain one. */
  async #askSize(signal: AbortSignal): Promise<void> {
    const response = await this.#fetch(this.#url, { method: "HEAD", signal, credentials: "same-origin", cache: "no-store" }).catch(() => undefined);
    const length = response?.headers.get("Content-Length");
    if (response?.ok && length && !response.headers.has("Content-Encoding")) this.size = Number(length);
  }

  /** Whether the file ends where this window ends. A server may give less than was asked for. */
  #isLast(response: Response, end: number, isShort: boolean): boolean {
    const total = totalOf(response);
    if (total !== undefined) return end >= total;
    return isShort && (this.size === undefined || end >= this.size);
  }

  #check(response: Response, offset: number): void {
    const { status, headers } = response;
    if (!response.ok) {
      const meaning = MEANINGS[status] ?? response.statusText;
      throw new ArchiveError(`source/http-${status}`, `The server answered ${status}${meaning ? ` (${meaning})` : ""} for ${this.#url}`);
    }
    const isEncoded = headers.has("Content-Encoding");
    if (isEncoded && this.#isGzip()) throw this.#unpacked();
    const length = headers.get("Content-Length");
    const total = totalOf(response) ?? (status === 200 && length !== null && !isEncoded ? Number(length) : undefined);
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
  #checkReceived(response: Response, received: number): void {
    const announced = response.headers.get("Content-Length");
    if (announced !== null && Number(announced) !== received && this.#isGzip()) throw this.#unpacked();
    if (response.status !== 206) this.size = received;
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
