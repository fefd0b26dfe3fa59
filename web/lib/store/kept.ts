/**
 * Blocks of a store on a server, kept in a store here: what was read once costs no round trip in another session either.
 * They are of one version of it; those of another are thrown away. Bounded in bytes: any make room for new ones.
 */

import { ArchiveError } from "../errors.js";
import { BLOCK_BYTES, type KeptBlocks } from "./http.js";
import type { Store } from "./store.js";

const VERSION_KEY = new TextEncoder().encode("version");
const NAME_PREFIX = "block ";
const CLEARED_AT_ONCE = 1_000;

const keyOf = (name: string): Uint8Array => new TextEncoder().encode(`${NAME_PREFIX}${name}`);
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);
const isBlock = (key: Uint8Array): boolean => textOf(key)?.startsWith(NAME_PREFIX) ?? false;

/** The store is of these blocks alone, and is closed with them. */
export async function keptBlocks(store: Store, version: string, bytesMax: number): Promise<KeptBlocks> {
  if (textOf(await store.get(VERSION_KEY)) !== version) {
    for (let keys = await someKeys(store, CLEARED_AT_ONCE); keys.length > 0; keys = await someKeys(store, CLEARED_AT_ONCE)) await store.batch({ remove: keys });
    await store.put(VERSION_KEY, new TextEncoder().encode(version));
  }
  return new Kept(store, Math.max(1, Math.floor(bytesMax / BLOCK_BYTES)));
}

async function someKeys(store: Store, limit: number): Promise<Uint8Array[]> {
  const { rows } = await store.part({ limit });
  return rows.map(({ key }) => key).filter(isBlock);
}

class Kept implements KeptBlocks {
  readonly #store: Store;
  readonly #blocksMax: number;
  /** Nothing can be kept any more: it goes on without. */
  #isOver = false;
  #keeping: Promise<void> = Promise.resolve();

  constructor(store: Store, blocksMax: number) {
    this.#store = store;
    this.#blocksMax = blocksMax;
  }

  async get(names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    try {
      const blocks = await this.#store.getMany(names.map(keyOf));
      for (const [n, name] of names.entries()) {
        const block = blocks[n];
        if (block) found.set(name, block);
      }
    } catch (error) {
      // Damaged, perhaps: the server has what was lost here.
      this.#giveUp(error);
    }
    return found;
  }

  put(blocks: ReadonlyMap<string, Uint8Array>): void {
    this.#keeping = this.#keeping.then(() => (this.#isOver ? undefined : this.#keep(blocks))).catch((error: unknown) => this.#giveUp(error));
  }

  async close(): Promise<void> {
    await this.#keeping;
    await this.#store.close();
  }

  async #keep(blocks: ReadonlyMap<string, Uint8Array>): Promise<void> {
    // The version is an entry too.
    const over = (await this.#store.count()) - 1 + blocks.size - this.#blocksMax;
    const remove = over > 0 ? (await someKeys(this.#store, over + 1)).slice(0, over) : [];
    const put = [...blocks].slice(0, this.#blocksMax).map(([name, block]) => [keyOf(name), block] as const);
    await this.#store.batch({ remove, put });
  }

  #giveUp(error: unknown): void {
    if (!(error instanceof ArchiveError)) throw error;
    this.#isOver = true;
  }
}
