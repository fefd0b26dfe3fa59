/**
 * A store in a folder on a server, read by Range: `index.pages` and `ext.0000`, ... as other storages write them.
 *
 * R1  Files come in blocks; a block under way or in the cache is not asked for again. Blocks that are asked for
 *     together and lie near each other come in one request.
 * R2  All blocks of a file are of one version of it, by its ETag, date and length. Another one ends the reading.
 * R3  The cache is bounded in bytes; the blocks that were used last stay. With `kept` they outlive this storage.
 */

import { ArchiveError } from "../errors.js";
import { joined } from "../joined.js";
import { extentName, INDEX } from "./file.js";
import { RemoteFile } from "./remote.js";
import { NOTHING, PAGE_BYTES, type PageStorage, type Span } from "./storage.js";

export interface HttpOptions {
  readonly cacheBytes?: number | undefined;
  /** Where blocks are kept for the next time, of this version of the store. */
  readonly kept?: ((version: string) => Promise<KeptBlocks>) | undefined;
}

export interface KeptBlocks {
  /** Those that are kept. */
  get(names: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** Keeps them in its own time: nobody waits for it. */
  put(blocks: ReadonlyMap<string, Uint8Array>): void;
  close(): Promise<void>;
}

/** A page costs a round trip like a few of its neighbours. */
export const BLOCK_BYTES = 16 * PAGE_BYTES;
const CACHE_BYTES = 16 << 20;
/** Blocks that are read along, so that one request does instead of two. */
const GAP_BLOCKS = 2;
const REQUEST_BLOCKS_MAX = 64;
const REQUESTS_MAX = 6;

/** Opens a store that is there and whose server answers by Range; refuses others with what is wrong. */
export async function httpStorage(folder: string, options: HttpOptions = {}): Promise<PageStorage> {
  const base = folder.endsWith("/") ? folder : `${folder}/`;
  const index = new RemoteFile(base, INDEX);
  // The superblocks are needed first, and tell whether the server does what it must.
  const first = await index.fetch(0, BLOCK_BYTES);
  // What is kept spares round trips; without it there are some more.
  const kept = await options.kept?.(index.version).catch(withoutKept);
  return new HttpStorage(base, index, first, Math.max(1, Math.floor((options.cacheBytes ?? CACHE_BYTES) / BLOCK_BYTES)), kept);
}

function withoutKept(error: unknown): undefined {
  if (!(error instanceof ArchiveError)) throw error;
}

interface Block {
  readonly file: RemoteFile;
  readonly number: number;
}

const nameOf = ({ file, number }: Block): string => `${file.name} ${number}`;

class HttpStorage implements PageStorage {
  readonly #base: string;
  readonly #index: RemoteFile;
  readonly #extents = new Map<number, RemoteFile>();
  readonly #blocksMax: number;
  readonly #kept: KeptBlocks | undefined;
  /** In the order of their last use. */
  readonly #blocks = new Map<string, Promise<Uint8Array>>();

  constructor(base: string, index: RemoteFile, first: Uint8Array, blocksMax: number, kept: KeptBlocks | undefined) {
    this.#base = base;
    this.#index = index;
    this.#blocksMax = blocksMax;
    this.#kept = kept;
    this.#blocks.set(nameOf({ file: index, number: 0 }), Promise.resolve(first));
  }

  read(pages: ArrayLike<number>): Promise<Uint8Array[]> {
    return this.#read(Array.from(pages, (page) => ({ file: this.#index, offset: page * PAGE_BYTES, length: PAGE_BYTES })));
  }

  readSpans(spans: readonly Span[]): Promise<Uint8Array[]> {
    return this.#read(spans.map(({ file, offset, length }) => ({ file: this.#extent(file), offset, length })));
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

  pages(): never {
    return this.write();
  }

  /** Which there are is known to who wrote them; a store that is only read does not ask. */
  extents(): never {
    return this.write();
  }

  prepare(): void {}

  async close(): Promise<void> {
    for (const file of [this.#index, ...this.#extents.values()]) file.close();
    this.#blocks.clear();
    await this.#kept?.close();
  }

  #extent(number: number): RemoteFile {
    const known = this.#extents.get(number) ?? new RemoteFile(this.#base, extentName(number), true);
    this.#extents.set(number, known);
    return known;
  }

  async #read(parts: readonly { file: RemoteFile; offset: number; length: number }[]): Promise<Uint8Array[]> {
    const wanted = new Map<string, Block>();
    const blocksOf = ({ file, offset, length }: (typeof parts)[number]): Block[] => {
      const from = Math.floor(offset / BLOCK_BYTES);
      const to = Math.ceil((offset + length) / BLOCK_BYTES);
      return Array.from({ length: to - from }, (_, n) => ({ file, number: from + n }));
    };
    for (const block of parts.flatMap(blocksOf)) wanted.set(nameOf(block), block);
    const found = await this.#take([...wanted.values()]);
    return parts.map((part) => {
      const blocks = blocksOf(part).map((block) => found.get(nameOf(block)) ?? NOTHING);
      const start = part.offset % BLOCK_BYTES;
      return joined(blocks).subarray(start, start + part.length);
    });
  }

  async #take(wanted: readonly Block[]): Promise<Map<string, Uint8Array>> {
    const waiting = new Map<string, Promise<Uint8Array>>();
    const absent: Block[] = [];
    for (const block of wanted) {
      const name = nameOf(block);
      const known = this.#blocks.get(name);
      if (known) waiting.set(name, this.#use(name, known));
      else absent.push(block);
    }
    if (absent.length > 0) {
      const coming = this.#bring(absent);
      for (const name of absent.map(nameOf)) {
        const block = coming.then((found) => found.get(name) ?? NOTHING);
        waiting.set(name, this.#use(name, block));
        // What failed is asked for again the next time.
        block.catch(() => this.#blocks.get(name) === block && this.#blocks.delete(name));
      }
      this.#shrink();
    }
    const found = new Map<string, Uint8Array>();
    for (const [name, block] of waiting) found.set(name, await block);
    return found;
  }

  #use(name: string, block: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#blocks.delete(name);
    this.#blocks.set(name, block);
    return block;
  }

  #shrink(): void {
    for (const name of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#blocksMax) return;
      this.#blocks.delete(name);
    }
  }

  /** From where they are kept, the rest from the server. */
  async #bring(wanted: readonly Block[]): Promise<Map<string, Uint8Array>> {
    const found = (await this.#kept?.get(wanted.map(nameOf))) ?? new Map<string, Uint8Array>();
    const fetched = new Map<string, Uint8Array>();
    const requests = runsOf(wanted.filter((block) => !found.has(nameOf(block)))).map(({ file, from, to }) => async (): Promise<void> => {
      const bytes = await file.fetch(from * BLOCK_BYTES, (to - from) * BLOCK_BYTES);
      for (let number = from; number < to; number++) {
        const at = (number - from) * BLOCK_BYTES;
        // Not the bytes of a whole run for as long as one of its blocks is there.
        fetched.set(nameOf({ file, number }), bytes.slice(at, at + BLOCK_BYTES));
      }
    });
    if (requests.length === 0) return found;
    await Promise.all(
      Array.from({ length: REQUESTS_MAX }, async () => {
        for (let next = requests.shift(); next; next = requests.shift()) await next();
      }),
    );
    this.#kept?.put(fetched);
    return new Map([...found, ...fetched]);
  }
}

interface Run {
  readonly file: RemoteFile;
  readonly from: number;
  to: number;
}

function runsOf(blocks: readonly Block[]): Run[] {
  const runs: Run[] = [];
  const inOrder = [...blocks].sort((a, b) => (a.file === b.file ? a.number - b.number : a.file.name < b.file.name ? -1 : 1));
  for (const { file, number } of inOrder) {
    const last = runs.at(-1);
    if (last?.file === file && number - last.to <= GAP_BLOCKS && number - last.from < REQUEST_BLOCKS_MAX) last.to = number + 1;
    else runs.push({ file, from: number, to: number + 1 });
  }
  return runs;
}
