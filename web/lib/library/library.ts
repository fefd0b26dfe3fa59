/**
 * Archives that are kept: a catalogue in a store, and beside it the index of each. What is known of an archive and the
 * rows of its index are committed together, so that after a crash they agree.
 */

import type { Archive } from "../archive.js";
import { ArchiveError } from "../errors.js";
import type { MakeStore } from "../store/pages.js";
import type { KeptRecords } from "../open.js";
import type { PageStorage } from "../store/storage.js";
import { Store, type Entry } from "../store/store.js";
import { ArchiveIndex, type IndexManifests, type MakeIndex } from "./archiveindex.js";
import type { DocumentLot } from "./feed.js";
import { divided, type Files, type Guard } from "./files.js";
import { areSame, changedFile } from "./identity.js";
import { isComplete, keepArchive, keptRecords, type AddOptions, type ArchiveNow, type Begun, type Keeper } from "./keeping.js";
import type { ArchiveNamed, BeginOptions, Description, KeptArchive, KeptCopy, LibraryFinding } from "./kept.js";

export interface LibraryOptions {
  readonly storage: PageStorage;
  readonly makeStore: MakeStore;
  readonly makeIndex: MakeIndex;
  /** Carries out what writes, and throws where it may not be acknowledged. */
  readonly guard?: Guard | undefined;
  /** Something is durable for the first time. */
  readonly onKept?: (() => void) | undefined;
}

/** What makes an index and its archive again. */
interface KeptRows extends IndexManifests {
  readonly state: Uint8Array;
}

/** The number below which the catalogue keeps what the next archive is called. */
const NEXT_ID = encode("next");
const CATALOGUE = "archive/";

export class Library implements Keeper {
  readonly #store: Store;
  readonly #makeIndex: MakeIndex;
  readonly #shelf: (number: number) => Files;
  readonly #indexes = new Map<number, Promise<ArchiveIndex>>();
  /** Sources that are being added, with their archives' ids once they have one. */
  readonly #adding = new Map<string, { id: number }>();
  /** Changes of the catalogue read what they change. */
  #lane: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, shelf: (number: number) => Files, makeIndex: MakeIndex) {
    this.#store = store;
    this.#shelf = shelf;
    this.#makeIndex = makeIndex;
  }

  static async open({ storage, makeStore, makeIndex, guard, onKept }: LibraryOptions): Promise<Library> {
    const { storage: own, shelf, shelves } = divided(storage, guard);
    const library = new Library(await Store.open({ make: makeStore, storage: own, guard, onKept }), shelf, makeIndex);
    // Of archives that were being removed when the tab was closed.
    for (const id of await shelves()) if (!(await library.get(id))) await library.#clear(id);
    return library;
  }

  /** What is kept, what was added or opened last first. */
  async list(): Promise<KeptArchive[]> {
    const found: KeptArchive[] = [];
    for await (const [key, value] of this.#store.entries()) if (decode(key).startsWith(CATALOGUE)) found.push(read(value));
    const seen = ({ opened, added }: KeptArchive): number => opened ?? added;
    return found.sort((a, b) => seen(b) - seen(a) || b.id - a.id);
  }

  async get(id: number): Promise<KeptArchive | undefined> {
    const value = await this.#store.get(catalogueKey(id));
    return value && read(value);
  }

  /** The index of an archive, as far as it is kept. It stays open as long as the library. */
  async index(id: number): Promise<ArchiveIndex> {
    if (!(await this.get(id))) throw unknown();
    return this.#indexOf(id);
  }

  /**
   * Keeps the rows of an archive that is open, those that are still to come too; what is kept already is not done again.
   * Resolves when it is indexed.
   */
  add(archive: Archive, options: AddOptions): Promise<KeptArchive> {
    return keepArchive(this, archive, options);
  }

  /** The same files elsewhere are the same archive; other files in the same place are refused, lest rows of both be mixed. */
  async begin(archive: ArchiveNamed, { isAnew = false }: BeginOptions = {}): Promise<Begun> {
    const { source, files } = archive;
    if (this.#adding.has(source)) throw busy();
    const adding = { id: 0 };
    this.#adding.set(source, adding);
    try {
      const all = await this.list();
      const known = all.find((one) => one.source === source) ?? all.find((one) => areSame(one.files, files));
      if (known && this.#isAdding(known.id)) throw busy();
      const changed = isAnew ? undefined : changedFile(known?.files, files);
      if (changed !== undefined) throw new ArchiveError("source/changed", `${changed} is not what it was when it was added: index the archive again, or remove it.`);
      adding.id = known?.id ?? (await this.#newId());
      if (!known || isAnew) await this.#write({ ...known, ...EMPTY, ...archive, id: adding.id, added: known?.added ?? Date.now() }, NO_ROWS);
      else if (known.source !== source) await this.#change(known.id, (one) => ({ ...one, ...archive }));
      if (isAnew) await this.#closeIndex(adding.id);
      const kept = await this.get(adding.id);
      if (!kept) throw unknown();
      const begun = await this.#begunWith(kept);
      if (isComplete(begun)) this.#adding.delete(source);
      return begun;
    } catch (error) {
      this.#adding.delete(source);
      throw error;
    }
  }

  async #begunWith(kept: KeptArchive): Promise<Begun> {
    const { documentsEnd: stated, records, state } = kept;
    if (state === "ready") return { kept, count: records, documentsEnd: stated };
    const index = await this.#indexOf(kept.id);
    return { kept, count: index.count, documentsEnd: index.documentsEnd ?? (index.count === 0 ? 0 : undefined) };
  }

  async keep(id: number, from: number, rows: Uint8Array): Promise<{ count: number; isFull: boolean }> {
    const index = await this.#begun(id);
    // Rows that come twice, or not in order, are those of another attempt.
    if (index.count !== from) throw notBegun();
    const isFull = await index.add(rows);
    return { count: index.count, isFull };
  }

  async keepDocuments(id: number, { from, upTo, documents }: DocumentLot): Promise<void> {
    const index = await this.#begun(id);
    if (!(await index.addDocuments(from, upTo, documents))) throw new ArchiveError("documents/missing", "Documents of records before these are missing.");
  }

  async commit(id: number, { facts, state, isWhole, isLast }: ArchiveNow): Promise<KeptArchive> {
    const index = await this.#begun(id);
    const manifests = await index.keep({ isWhole, isLast });
    const known = isWhole ? await this.get(id) : undefined;
    const captured = isWhole ? (known?.captured ?? (await index.period())) : undefined;
    const hosts = isWhole ? (known?.hosts ?? (await index.hostCount(HOSTS_COUNTED))) : undefined;
    const news = {
      ...facts,
      state: isWhole ? ("ready" as const) : ("indexing" as const),
      records: index.keptCount,
      indexBytes: index.bytes,
      ...(captured && { captured }),
      ...(hosts !== undefined && { hosts }),
      documents: (await index.documentCounts())?.pages,
      documentsEnd: (index.documentsEnd ?? Infinity) < index.keptCount ? index.documentsEnd : undefined,
    };
    const kept = await this.#change(id, (known) => ({ ...known, ...news }), { ...manifests, state });
    await index.tidy();
    if (isLast) this.#adding.delete(kept.source);
    return kept;
  }

  async leave(id: number): Promise<void> {
    for (const [source, adding] of this.#adding) {
      if (adding.id !== id) continue;
      await this.#closeIndex(id);
      this.#adding.delete(source);
    }
  }

  /** What an archive is made of again without being read, see `reopenArchive`. Undefined where nothing is kept yet. */
  async kept(id: number): Promise<KeptRecords | undefined> {
    const state = await this.state(id);
    return state && keptRecords(state, (from, count) => this.storedRows(id, from, count));
  }

  state(id: number): Promise<Uint8Array | undefined> {
    return this.#store.get(stateKey(id));
  }

  async storedRows(id: number, from: number, count: number): Promise<Uint8Array> {
    return (await this.index(id)).storedRows(from, count);
  }

  /** What people call an archive, and what they note of it; `undefined` takes that away. */
  async describe(id: number, description: Description): Promise<KeptArchive> {
    return this.#change(id, (kept) => ({ ...kept, ...description }));
  }

  /** Notes that its bytes are kept too, or are no more. */
  async noteCopy(id: number, copy: KeptCopy | undefined): Promise<KeptArchive> {
    return this.#change(id, (kept) => ({ ...kept, copy }));
  }

  /** Notes that an archive was opened again. */
  async touch(id: number): Promise<KeptArchive> {
    return this.#change(id, (kept) => ({ ...kept, opened: Date.now() }));
  }

  /** Forgets an archive and gives the space of its index back. False where it is not in the library. */
  async remove(id: number): Promise<boolean> {
    if (this.#isAdding(id)) throw new ArchiveError("library/busy", "This archive is being added. Cancel that first.");
    if (!(await this.get(id))) return false;
    await this.#store.batch({ remove: [catalogueKey(id), ...indexKeys(id)] });
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
      if (state !== "ready" || this.#isAdding(id)) continue;
      const index = await this.#indexOf(id);
      await this.#store.batch({ put: manifestEntries(id, await index.keep({ isWhole: true, isLast: true })) });
      await index.tidy();
    }
    await this.#store.compact();
  }

  async close(): Promise<void> {
    for (const id of [...this.#indexes.keys()]) await this.#closeIndex(id);
    await this.#store.close();
  }

  #isAdding(id: number): boolean {
    return [...this.#adding.values()].some((adding) => adding.id === id);
  }

  #begun(id: number): Promise<ArchiveIndex> {
    if (!this.#isAdding(id)) throw notBegun();
    return this.#indexOf(id);
  }

  /** Reads what is known of an archive and commits what becomes of it. */
  #change(id: number, change: (kept: KeptArchive) => KeptArchive, rows?: KeptRows): Promise<KeptArchive> {
    const changed = this.#lane.then(async () => {
      const known = await this.get(id);
      if (!known) throw unknown();
      const kept = change(known);
      await this.#write(kept, rows);
      return kept;
    });
    this.#lane = changed.catch(() => {});
    return changed;
  }

  /** With `NO_ROWS` the index is empty. */
  #write(kept: KeptArchive, rows?: KeptRows): Promise<void> {
    const put: Entry[] = [[catalogueKey(kept.id), encode(JSON.stringify(kept))]];
    const { id } = kept;
    if (rows === NO_ROWS) return this.#store.batch({ put, remove: indexKeys(id) });
    if (rows) put.push(...manifestEntries(id, rows), [stateKey(id), rows.state]);
    return this.#store.batch({ put });
  }

  async #clear(id: number): Promise<void> {
    const files = this.#shelf(id);
    for (const { file } of await files.list()) await files.remove(file);
  }

  #indexOf(id: number): Promise<ArchiveIndex> {
    let index = this.#indexes.get(id);
    if (!index) {
      index = this.#open(id);
      index.catch(() => this.#indexes.delete(id));
      this.#indexes.set(id, index);
    }
    return index;
  }

  async #open(id: number): Promise<ArchiveIndex> {
    const [manifest, documents, search] = [await this.#store.get(manifestKey(id)), await this.#store.get(documentsKey(id)), await this.#store.get(searchKey(id))];
    return ArchiveIndex.open(this.#makeIndex, this.#shelf(id), {
      manifest,
      documents,
      search,
      // Of an archive that is being added the next commit tells that too.
      onSearchable: async (search) => (this.#isAdding(id) ? undefined : this.#store.put(searchKey(id), search)),
    });
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

/** Hosts of an archive are counted up to here: each takes two reads or three. */
const HOSTS_COUNTED = 1_000;

const EMPTY = { state: "indexing", records: 0, damageCount: 0, indexBytes: 0, captured: undefined, hosts: undefined, documents: undefined, documentsEnd: undefined } as const;
const NO_ROWS: KeptRows = { manifest: new Uint8Array(0), state: new Uint8Array(0) };

const busy = (): ArchiveError => new ArchiveError("library/busy", "This archive is being added already.");
const unknown = (): ArchiveError => new ArchiveError("library/unknown", "This archive is not in the library.");
const notBegun = (): ArchiveError => new ArchiveError("library/not-begun", "This archive is not being added.");
const catalogueKey = (id: number): Uint8Array => encode(`${CATALOGUE}${id}`);
const stateKey = (id: number): Uint8Array => encode(`state/${id}`);
const manifestKey = (id: number): Uint8Array => encode(`index/${id}`);
const documentsKey = (id: number): Uint8Array => encode(`documents/${id}`);
const searchKey = (id: number): Uint8Array => encode(`search/${id}`);
const indexKeys = (id: number): Uint8Array[] => [manifestKey(id), documentsKey(id), searchKey(id), stateKey(id)];
const manifestEntries = (id: number, { manifest, documents, search }: IndexManifests): Entry[] => [
  [manifestKey(id), manifest],
  ...(documents ? [[documentsKey(id), documents] as const] : []),
  ...(search ? [[searchKey(id), search] as const] : []),
];
const read = (value: Uint8Array): KeptArchive => JSON.parse(decode(value)) as KeptArchive;

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
