/**
 * Pages of a store on a server, read by Range. Nothing is written.
 *
 * R1  Pages come in blocks; a block under way or in the cache is not asked for again. Blocks that are asked for
 *     together and lie near each other come in one request.
 * R2  All blocks are of one version of the file, by its ETag, date and length. Another one ends the reading.
 * R3  The cache is bounded in bytes; the blocks that were used last stay. With `kept` they outlive this storage.
 */

import { ArchiveError } from "../errors.js";
import { PAGE_BYTES, type PageStorage, type Span } from "./storage.js";

export interface HttpOptions {
  readonly cacheBytes?: number | undefined;
  /** Where blocks are kept for the next time, of this version of the file. */
  readonly kept?: ((version: string) => Promise<KeptBlocks>) | undefined;
}

export interface KeptBlocks {
  get(block: number): Promise<Uint8Array | undefined>;
  put(blocks: ReadonlyMap<number, Uint8Array>): Promise<void>;
  close(): void;
}

/** A page costs a round trip like a few of its neighbours. */
export const BLOCK_BYTES = 16 * PAGE_BYTES;
const CACHE_BYTES = 16 << 20;
/** Blocks that are read along, so that one request does instead of two. */
const GAP_BLOCKS = 2;
const REQUEST_BLOCKS_MAX = 64;
const REQUESTS_MAX = 6;
const RETRY_MS = [250, 500, 1000, 2000];
const FIRST_RETRIES = 1;

const NOTHING = new Uint8Array(0);

/** Opens a file that is there and whose server answers by Range; refuses others with what is wrong. */
export async function httpStorage(url: string, options: HttpOptions = {}): Promise<PageStorage> {
  const remote = new RemoteFile(url);
  // The superblocks are needed first, and tell whether the server does what it must.
  const first = await remote.fetch(0, BLOCK_BYTES);
  const kept = await options.kept?.(remote.version);
  return new HttpStorage(remote, first, Math.max(1, Math.floor((options.cacheBytes ?? CACHE_BYTES) / BLOCK_BYTES)), kept);
}

class HttpStorage implements PageStorage {
  readonly #remote: RemoteFile;
  readonly #blocksMax: number;
  readonly #kept: KeptBlocks | undefined;
  /** In the order of their last use. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();

  constructor(remote: RemoteFile, first: Uint8Array, blocksMax: number, kept: KeptBlocks | undefined) {
    this.#remote = remote;
    this.#blocksMax = blocksMax;
    this.#kept = kept;
    this.#blocks.set(0, Promise.resolve(first));
  }

  async read(pages: ArrayLike<number>): Promise<Uint8Array[]> {
    const perBlock = BLOCK_BYTES / PAGE_BYTES;
    const wanted = Array.from(pages);
    const numbers = [...new Set(wanted.map((page) => Math.floor(page / perBlock)))].sort((a, b) => a - b);
    const blocks = await this.#take(numbers);
    return wanted.map((page) => {
      const block = blocks.get(Math.floor(page / perBlock)) ?? NOTHING;
      const at = (page % perBlock) * PAGE_BYTES;
      return block.subarray(at, at + PAGE_BYTES);
    });
  }

  readSpans(spans: readonly Span[]): Uint8Array[] {
    if (spans.length > 0) throw new ArchiveError("store/no-extents", "Of a store on a server, pages alone are read.");
    return [];
  }

  write(): never {
    throw new ArchiveError("store/read-only", "A store on a server is only read.");
  }

  truncate(): never {
    return this.write();
  }

  removeExtent(): never {
    return this.write();
  }

  extents(): number[] {
    return [];
  }

  prepare(): void {}

  close(): void {
    this.#remote.close();
    this.#kept?.close();
    this.#blocks.clear();
  }

  async #take(numbers: readonly number[]): Promise<Map<number, Uint8Array>> {
    const waiting = new Map<number, Promise<Uint8Array>>();
    const absent: number[] = [];
    for (const number of numbers) {
      const known = this.#blocks.get(number);
      if (known) waiting.set(number, this.#use(number, known));
      else absent.push(number);
    }
    if (absent.length > 0) {
      const coming = this.#bring(absent);
      for (const number of absent) {
        const block = coming.then((found) => found.get(number) ?? NOTHING);
        waiting.set(number, this.#use(number, block));
        // What failed is asked for again the next time.
        block.catch(() => this.#blocks.get(number) === block && this.#blocks.delete(number));
      }
      this.#shrink();
    }
    const found = new Map<number, Uint8Array>();
    for (const [number, block] of waiting) found.set(number, await block);
    return found;
  }

  #use(number: number, block: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    return block;
  }

  #shrink(): void {
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#blocksMax) return;
      this.#blocks.delete(number);
    }
  }

  /** From where they are kept, the rest from the server. */
  async #bring(numbers: readonly number[]): Promise<Map<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>();
    if (this.#kept) {
      for (const number of numbers) {
        const block = await this.#kept.get(number);
        if (block) found.set(number, block);
      }
    }
    const absent = numbers.filter((number) => !found.has(number));
    if (absent.length === 0) return found;
    const fetched = new Map<number, Uint8Array>();
    const requests = runsOf(absent).map(({ from, to }) => async (): Promise<void> => {
      const bytes = await this.#remote.fetch(from * BLOCK_BYTES, (to - from) * BLOCK_BYTES);
      for (let number = from; number < to; number++) {
        const at = (number - from) * BLOCK_BYTES;
        // Not the bytes of a whole run for as long as one of its blocks is there.
        fetched.set(number, bytes.slice(at, at + BLOCK_BYTES));
      }
    });
    await Promise.all(Array.from({ length: REQUESTS_MAX }, async () => {
      for (let next = requests.shift(); next; next = requests.shift()) await next();
    }));
    await this.#kept?.put(fetched);
    return new Map([...found, ...fetched]);
  }
}

interface Run {
  readonly from: number;
  to: number;
}

function runsOf(numbers: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && number - last.to <= GAP_BLOCKS && number - last.from < REQUEST_BLOCKS_MAX) last.to = number + 1;
    else runs.push({ from: number, to: number + 1 });
  }
  return runs;
}

/** One version of a file on a server. */
class RemoteFile {
  readonly #url: string;
  readonly #closing = new AbortController();
  #version: string | undefined;
  #size: number | undefined;

  constructor(url: string) {
    this.#url = url;
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
