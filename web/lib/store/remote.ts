/**
 * One version of a file on a server, read by Range. A server that is overloaded or not there for a while is asked again;
 * one that knows no ranges, or has another version by now, is refused.
 */

import { ArchiveError } from "../errors.js";
import { NOTHING } from "./storage.js";

const RETRY_MS = [250, 500, 1000, 2000];
const FIRST_RETRIES = 1;

export class RemoteFile {
  readonly name: string;
  readonly #url: string;
  readonly #mayBeAbsent: boolean;
  readonly #closing = new AbortController();
  #version: string | undefined;
  #size: number | undefined;

  /** `base` ends with a slash. What may be absent reads as empty. */
  constructor(base: string, name: string, mayBeAbsent = false) {
    this.name = name;
    this.#url = `${base}${name}`;
    this.#mayBeAbsent = mayBeAbsent;
  }

  get version(): string {
    return this.#version ?? "";
  }

  /** What there is of these bytes. */
  async fetch(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(at + length, this.#size ?? Infinity);
    if (at >= end) return NOTHING;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#ask(at, end);
      } catch (error) {
        if (error instanceof ArchiveError) throw error;
        if (this.#closing.signal.aborted) throw new ArchiveError("store/closed", "The store was closed.", { cause: error });
        // The first request tells whether there is anything: nobody waits long for a wrong address.
        const isPatient = this.#version !== undefined || attempt < FIRST_RETRIES;
        const wait = isPatient ? RETRY_MS[attempt] : undefined;
        if (wait === undefined) throw this.#unreachable(error);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(at: number, end: number): Promise<Uint8Array> {
    const headers = { Range: `bytes=${at}-${end - 1}` };
    // Kept here, and not in the browser's cache as well.
    const response = await fetch(this.#url, { headers, signal: this.#closing.signal, credentials: "same-origin", cache: "no-store" });
    if (response.status === 416) return NOTHING;
    if (!response.ok) {
      void response.body?.cancel();
      if (response.status === 404 && this.#mayBeAbsent) return NOTHING;
      if (response.status >= 500) throw new Error(`the server answered ${response.status}`);
      throw new ArchiveError(`source/http-${response.status}`, `The server answered ${response.status} for ${this.#url}.`);
    }
    try {
      this.#check(response);
    } catch (error) {
      void response.body?.cancel();
      throw error;
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const expected = Math.min(end, this.#size ?? at + bytes.length) - at;
    if (bytes.length !== expected) throw new Error(`${bytes.length} bytes instead of ${expected}`);
    return bytes;
  }

  #check(response: Response): void {
    const { headers, status } = response;
    if (status !== 206 || headers.has("Content-Encoding")) {
      const message = `The server of ${this.#url} does not send parts of files: it must answer requests with a Range, and not compress what it sends.`;
      throw new ArchiveError("store/no-ranges", message);
    }
    const total = /^bytes \d+-\d+\/(\d+)$/.exec(headers.get("Content-Range") ?? "")?.[1];
    const version = `${headers.get("ETag") ?? ""} ${headers.get("Last-Modified") ?? ""} ${total ?? ""}`;
    if (this.#version !== undefined && this.#version !== version) {
      throw new ArchiveError("store/changed", "The store on the server changed while it was open. Open it again.");
    }
    this.#version = version;
    if (total !== undefined) this.#size = Number(total);
  }

  #unreachable(cause: unknown): ArchiveError {
    const message =
      `${this.#url} could not be read. There is no connection, or that server does not let other sites read it: ` +
      "it must send the header Access-Control-Allow-Origin.";
    return new ArchiveError("source/unreachable", message, { cause });
  }
}
