/**
 * Archives that are kept: a catalogue in a store, and beside it the index of each. What is known of an archive and the
 * rows of its index are committed together, so that after a crash they agree.
 */

import type { Archive } from "../archive.js";
import { ArchiveError, checkAbort } from "../errors.js";
import type { ArchiveFormat } from "../shapes.js";
import type { Finding } from "../store/packing.js";
import type { MakeStore } from "../store/pages.js";
import type { PageStorage } from "../store/storage.js";
import { Store } from "../store/store.js";
import { ArchiveIndex, type MakeIndex } from "./archiveindex.js";
import { divided, type Files } from "./files.js";

export interface KeptArchive {
  readonly id: number;
  readonly name: string;
  readonly format: ArchiveFormat;
  /** `indexing` too where that was broken off: adding the archive again goes on with it. */
  readonly state: "indexing" | "ready";
  /** Where it came from, as the caller calls it: what makes it the same archive when it is added again. */
  readonly source: string;
  readonly records: number;
  readonly damageCount: number;
  /** Bytes of the archive, where they are known, and of its index. */
  readonly bytes?: number;
  readonly indexBytes: number;
  /** Milliseconds since 1970. */
  readonly added: number;
}

/** With the id of the archive that it is about, if it is about one. */
export interface LibraryFinding extends Finding {
  readonly id?: number;
}

export interface AddOptions {
  readonly source: string;
  readonly signal?: AbortSignal | undefined;
  /** After each commit. */
  readonly onKept?: ((archive: KeptArchive) => void) | undefined;
}

export interface LibraryOptions {
  readonly storage: PageStorage;
  readonly makeStore: MakeStore;
  readonly makeIndex: MakeIndex;
}

/** Rows that cross from the engine at once. */
const ROWS_AT_ONCE = 2_000;
/** The number below which the catalogue keeps what the next archive is called. */
const NEXT_ID = encode("next");
const CATALOGUE = "archive/";
/** No archive has it. */
const NO_ID = 0;

export class Library {
  readonly #store: Store;
  readonly #makeIndex: MakeIndex;
  readonly #shelf: (number: number) => Files;
  readonly #indexes = new Map<number, Promise<ArchiveIndex>>();
  /** Sources that are being added, with their archives' ids once they have one. */
  readonly #adding = new Map<string, number>();

  private constructor(store: Store, shelf: (number: number) => Files, makeIndex: MakeIndex) {
    this.#store = store;
    this.#shelf = shelf;
    this.#makeIndex = makeIndex;
  }

  static async open({ storage, makeStore, makeIndex }: LibraryOptions): Promise<Library> {
    const { storage: own, shelf, shelves } = divided(storage);
    const library = new Library(await Store.open({ make: makeStore, storage: own }), shelf, makeIndex);
    // Of archives that were being removed when the tab was closed.
    for (const id of await shelves()) if (!(await library.get(id))) await library.#clear(id);
    return library;
  }

  /** What is kept, the latest first. */
  async list(): Promise<KeptArchive[]> {
    const found: KeptArchive[] = [];
    for await (const [key, value] of this.#store.entries()) if (decode(key).startsWith(CATALOGUE)) found.push(read(value));
    return found.sort((a, b) => b.added - a.added || b.id - a.id);
  }

  async get(id: number): Promise<KeptArchive | undefined> {
    const value = await this.#store.get(catalogueKey(id));
    return value && read(value);
  }

  /** The index of an archive, as far as it is kept. It stays open as long as the library. */
  async index(id: number): Promise<ArchiveIndex> {
    if (!(await this.get(id))) throw new ArchiveError("library/unknown", "This archive is not in the library.");
    return this.#indexOf(id);
  }

  /**
   * Keeps the rows of an archive that is open, those that are still to come too; what is kept already is not done again.
   * Resolves when it is indexed.
   */
  async add(archive: Archive, { source, signal, onKept }: AddOptions): Promise<KeptArchive> {
    if (this.#adding.has(source)) throw new ArchiveError("library/busy", "This archive is being added already.");
    this.#adding.set(source, NO_ID);
    let id = NO_ID;
    try {
      const known = (await this.list()).find((one) => one.source === source);
      if (known?.state === "ready") return known;
      id = known?.id ?? (await this.#newId());
      this.#adding.set(source, id);
      const index = await this.#indexOf(id);
      const keep = async (state: KeptArchive["state"]): Promise<KeptArchive> => {
        const manifest = await index.keep({ isWhole: state === "ready" });
        const { damageCount, bytesTotal } = archive.progress;
        const kept: KeptArchive = {
          id,
          name: archive.name,
          format: archive.format,
          state,
          source,
          records: index.keptCount,
          damageCount,
          ...(bytesTotal !== undefined && { bytes: bytesTotal }),
          indexBytes: index.bytes,
          added: known?.added ?? Date.now(),
        };
        await this.#store.batch({ put: [[catalogueKey(id), encode(JSON.stringify(kept))], [manifestKey(id), manifest]] });
        await index.tidy();
        onKept?.(kept);
        return kept;
      };
      if (!known) await keep("indexing");
      for await (const rows of archive.keyedRows(index.count, ROWS_AT_ONCE, { signal })) {
        checkAbort(signal);
        if (await index.add(rows)) await keep("indexing");
      }
      await archive.indexed;
      return await keep("ready");
    } catch (error) {
      // What was not kept is forgotten, and read again when the archive is added again.
      await this.#closeIndex(id);
      throw error;
    } finally {
      this.#adding.delete(source);
    }
  }

  /** Forgets an archive and gives the space of its index back. False where it is not in the library. */
  async remove(id: number): Promise<boolean> {
    if ([...this.#adding.values()].includes(id)) throw new ArchiveError("library/busy", "This archive is being added. Cancel that first.");
    if (!(await this.get(id))) return false;
    await this.#store.batch({ remove: [catalogueKey(id), manifestKey(id)] });
    await this.#closeIndex(id);
    await this.#clear(id);
    return true;
  }

  /** Everything that is wrong with the library: its catalogue, and each archive's index. */
  async verify(): Promise<LibraryFinding[]> {
    const findings: LibraryFinding[] = await this.#store.verify();
    for (const { id } of await this.list()) {
      try {
        const index = await this.#indexOf(id);
        findings.push(...(await index.verify()).map((finding) => ({ ...finding, id })));
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        findings.push({ code: error.code, message: error.message, id });
      }
    }
    return findings;
  }

  /** Gives back what space can be given back. Takes a while. */
  async compact(): Promise<void> {
    for (const { id, state } of await this.list()) {
      if (state !== "ready") continue;
      const index = await this.#indexOf(id);
      await this.#store.put(manifestKey(id), await index.keep({ isWhole: true }));
      await index.tidy();
    }
    await this.#store.compact();
  }

  async close(): Promise<void> {
    for (const id of [...this.#indexes.keys()]) await this.#closeIndex(id);
    await this.#store.close();
  }

  async #clear(id: number): Promise<void> {
    const files = this.#shelf(id);
    for (const { file } of await files.list()) await files.remove(file);
  }

  #indexOf(id: number): Promise<ArchiveIndex> {
    let index = this.#indexes.get(id);
    if (!index) {
      index = this.#store.get(manifestKey(id)).then((manifest) => ArchiveIndex.open(this.#makeIndex, this.#shelf(id), { manifest }));
      index.catch(() => this.#indexes.delete(id));
      this.#indexes.set(id, index);
    }
    return index;
  }

  async #closeIndex(id: number): Promise<void> {
    const index = this.#indexes.get(id);
    this.#indexes.delete(id);
    // One that failed is closed.
    await index?.then((open) => open.close()).catch(() => {});
  }

  /** Ids are not used again: files of an archive that was removed while the tab was closed are nobody's. */
  async #newId(): Promise<number> {
    const last = await this.#store.get(NEXT_ID);
    const id = last ? Number(decode(last)) : 1;
    await this.#store.put(NEXT_ID, encode(String(id + 1)));
    return id;
  }
}

const catalogueKey = (id: number): Uint8Array => encode(`${CATALOGUE}${id}`);
const manifestKey = (id: number): Uint8Array => encode(`index/${id}`);
const read = (value: Uint8Array): KeptArchive => JSON.parse(decode(value)) as KeptArchive;

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
