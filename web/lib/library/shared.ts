/**
 * The library as a page has it: one for all tabs of the site. Whichever tab owns it, and whenever that changes, what is
 * asked here is answered; an archive that is being added goes on from the last commit.
 */

import type { Archive } from "../archive.js";
import { ArchiveError } from "../errors.js";
import { openArchive, reopenArchive, type CollectionSource, type OpenOptions } from "../index.js";
import type { Capture, RecordRow } from "../shapes.js";
import type { StorageKind } from "../store/ladder.js";
import type { Finding } from "../store/packing.js";
import type { Room } from "../store/room.js";
import { Tab } from "../tabs/tab.js";
import type { Group, GroupsAsked, NearestAsked, SortedRows, Tally } from "./archiveindex.js";
import { changesChannel, REPEATABLE, type LibraryCalls } from "./calls.js";
import { Copies, type CopyOptions, type CopySource } from "./copies.js";
import type { DocumentCounts, DocumentLink, DocumentsAsked, KeptDocument } from "./documents.js";
import { searchWith } from "./examining.js";
import type { DocumentLot } from "./feed.js";
import { keepArchive, keptRecords, type AddOptions, type ArchiveNow, type Begun, type Keeper } from "./keeping.js";
import type { ArchiveNamed, BeginOptions, Description, KeptArchive, LibraryFinding } from "./kept.js";
import type { SearchAsked, SearchFound, SearchOptions } from "./search.js";

export interface SharedLibraryOptions {
  /** Tabs of one origin with the same name share one library. */
  readonly name?: string | undefined;
  /** Makes a worker whose code calls `serveLibrary`; one of the package's own where it is left out. */
  readonly startWorker?: (() => Worker) | undefined;
  /** Where it may be kept, the best first; what the browser has where it is left out. */
  readonly kinds?: readonly StorageKind[] | undefined;
  /** Where `broker.js` is, if not beside the library. */
  readonly brokerUrl?: string | URL | undefined;
  /** A newer version of this page is open in another tab: the library answers there alone, and here after a reload. */
  readonly onOutdated?: ((version: string) => void) | undefined;
}

type LibraryTab = Tab<LibraryCalls, object>;

/** Rejects where the browser keeps nothing, or does not let tabs share it. */
export async function openSharedLibrary(options: SharedLibraryOptions = {}): Promise<SharedLibrary> {
  const { startWorker = ownWorker, kinds, brokerUrl, onOutdated } = options;
  const name = `library-${options.name ?? "stackroom"}`;
  const tab: LibraryTab = new Tab({ name, startWorker, repeatable: REPEATABLE, kinds, brokerUrl, ...(onOutdated && { onOutdated }) });
  try {
    const kind = await tab.client.call("kind", {});
    if (kind === "memory") throw new ArchiveError("library/no-storage", "This browser keeps nothing for this site: a library would be gone with the tab.");
    return new SharedLibrary(tab, name);
  } catch (error) {
    await tab.close();
    throw error;
  }
}

// Bundlers know this one form of worker and bring its file along.
const ownWorker = (): Worker => new Worker(new URL("./owner.js", import.meta.url), { type: "module" });

export class SharedLibrary implements Keeper {
  readonly #tab: LibraryTab;
  readonly #changes: BroadcastChannel;
  readonly #copies: Copies;
  readonly #listeners = new Set<() => void>();

  constructor(tab: LibraryTab, name: string) {
    this.#tab = tab;
    this.#copies = new Copies(name);
    // Where there is no private file system there are no copies.
    void this.list().then((all) => this.#copies.sweep(new Set(all.filter(({ copy }) => copy).map(({ id }) => id)))).catch(() => {});
    this.#changes = new BroadcastChannel(changesChannel(name));
    this.#changes.onmessage = (): void => {
      for (const listener of [...this.#listeners]) listener();
    };
  }

  /** What is kept, what was added or opened last first. */
  list(): Promise<KeptArchive[]> {
    return this.#tab.client.call("list", {});
  }

  /** Keeps an archive that was opened `isForKeeping`; resolves when it is indexed. */
  add(archive: Archive, options: AddOptions): Promise<KeptArchive> {
    return keepArchive(this, archive, options);
  }

  begin(archive: ArchiveNamed, options: BeginOptions = {}): Promise<Begun> {
    return this.#tab.client.call("begin", { ...archive, ...options });
  }

  keep(id: number, from: number, rows: Uint8Array): Promise<{ readonly count: number; readonly isFull: boolean }> {
    return this.#tab.client.call("keep", { id, from, rows });
  }

  async keepDocuments(id: number, lot: DocumentLot): Promise<void> {
    await this.#tab.client.call("keepDocuments", { id, lot });
  }

  commit(id: number, now: ArchiveNow): Promise<KeptArchive> {
    return this.#tab.client.call("commit", { id, now });
  }

  /**
   * Opens an archive again without reading it. One that was broken off goes on where its rows end, and `add` keeps the
   * rest; where nothing of it is kept yet it is read from its beginning.
   */
  async reopen(id: number, source: CollectionSource | readonly CollectionSource[], options: OpenOptions = {}): Promise<Archive> {
    const state = await this.#tab.client.call("state", { id });
    if (!state) return openArchive(source, { ...options, isForKeeping: true });
    const archive = await reopenArchive(source, keptRecords(state, (from, count) => this.#tab.client.call("storedRows", { id, from, count })), options);
    // Nobody waits for the note.
    this.touch(id).catch(() => {});
    return archive;
  }

  async leave(id: number): Promise<void> {
    await this.#tab.client.call("leave", { id });
  }

  /** What people call an archive, and what they note of it; `undefined` takes that away. */
  describe(id: number, description: Description): Promise<KeptArchive> {
    return this.#tab.client.call("describe", { id, description });
  }

  /** Notes that an archive was opened again. */
  touch(id: number): Promise<KeptArchive> {
    return this.#tab.client.call("touch", { id });
  }

  /** Forgets an archive and gives the space of its index and of its copy back. False where it is not in the library. */
  async remove(id: number): Promise<boolean> {
    const wasThere = await this.#tab.client.call("remove", { id });
    if (wasThere) await this.#copies.remove(id);
    return wasThere;
  }

  /** Keeps the bytes of an archive too, so that it can be opened without its files. */
  async copy(id: number, sources: readonly CopySource[], options: CopyOptions = {}): Promise<KeptArchive> {
    const copy = await this.#copies.write(id, sources, options);
    return this.#tab.client.call("noteCopy", { id, copy });
  }

  /** The files of a copy. */
  async copied(id: number): Promise<File[]> {
    const copy = (await this.list()).find((one) => one.id === id)?.copy;
    if (!copy) throw new ArchiveError("library/no-copy", "Of this archive no copy is kept.");
    return this.#copies.read(id, copy);
  }

  /** Gives the space of a copy back. */
  async dropCopy(id: number): Promise<KeptArchive> {
    const kept = await this.#tab.client.call("noteCopy", { id });
    await this.#copies.remove(id);
    return kept;
  }

  /** Everything that is wrong with the library: its catalogue, and each archive's index. */
  verify(): Promise<LibraryFinding[]> {
    return this.#tab.client.call("verify", {});
  }

  /** Gives back what space can be given back. Takes a while. */
  async compact(): Promise<void> {
    await this.#tab.client.call("compact", {});
  }

  /** The room that this site has in the browser. */
  room(): Promise<Room> {
    return this.#tab.client.call("room", {});
  }

  index(id: number): SharedIndex {
    return new SharedIndex(this.#tab, id);
  }

  /** Something changed, in whichever tab. What it returns ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#changes.close();
    this.#listeners.clear();
    await this.#tab.close();
  }
}

/** The index of an archive, asked as `ArchiveIndex` is. */
export class SharedIndex {
  readonly #tab: LibraryTab;
  readonly #id: number;

  constructor(tab: LibraryTab, id: number) {
    this.#tab = tab;
    this.#id = id;
  }

  /** Rows in the order of the files. */
  rows(from: number, count: number): Promise<RecordRow[]> {
    return this.#tab.client.call("rows", { id: this.#id, from, count });
  }

  /** Rows in the order of a column, of those that are kept. */
  sorted(asked: SortedRows): Promise<RecordRow[]> {
    return this.#tab.client.call("sorted", { id: this.#id, asked });
  }

  /** All records of a URL, by its key as `surt` gives it, in the order of time. */
  captures(urlKey: string, { from = 0, count = Infinity }: { readonly from?: number; readonly count?: number } = {}): Promise<{ readonly total: number; readonly rows: RecordRow[] }> {
    return this.#tab.client.call("captures", { id: this.#id, urlKey, from, count });
  }

  /** Where the captures of a URL lie that are nearest to a time, the nearest first: mostly one block is read. Of those that are kept. */
  nearest(urlKey: string, asked: NearestAsked = {}): Promise<Capture[]> {
    return this.#tab.client.call("nearest", { id: this.#id, urlKey, asked });
  }

  /** How many records there are between each time and the next, in milliseconds since 1970. */
  timeline(times: readonly number[]): Promise<Tally[]> {
    return this.#tab.client.call("timeline", { id: this.#id, times });
  }

  /** The first time and the last that a record has, in milliseconds since 1970. */
  period(): Promise<{ readonly from: number; readonly to: number } | undefined> {
    return this.#tab.client.call("period", { id: this.#id });
  }

  /** Hosts one level below a host, and schemes without hosts at the top, with all that is below them. */
  hosts(under: string, asked: GroupsAsked): Promise<Group[]> {
    return this.#tab.client.call("hosts", { id: this.#id, under, asked });
  }

  /** The values of a column in its order. */
  values(column: "status" | "mime" | "type", asked: GroupsAsked): Promise<Group[]> {
    return this.#tab.client.call("values", { id: this.#id, column, asked });
  }

  /** Web pages in an order, or documents of another kind, with their records; of those that are kept. */
  documents(asked: DocumentsAsked): Promise<KeptDocument[]> {
    return this.#tab.client.call("documents", { id: this.#id, asked });
  }

  /** Whatever a record says, redirects and fragments too. */
  documentOf(row: number): Promise<KeptDocument | undefined> {
    return this.#tab.client.call("documentOf", { id: this.#id, row });
  }

  /** Blocks of text, a line each; empty where there is none or it is not kept. */
  text(row: number): Promise<string> {
    return this.#tab.client.call("text", { id: this.#id, row });
  }

  links(row: number): Promise<DocumentLink[]> {
    return this.#tab.client.call("links", { id: this.#id, row });
  }

  /** How many documents there are of what; undefined where none are kept with this index. */
  documentCounts(): Promise<DocumentCounts | undefined> {
    return this.#tab.client.call("documentCounts", { id: this.#id });
  }

  /**
   * Goes on for a while with a search; until it is done, the same is to be asked again. Of what is searchable by then. What
   * only records tell (`raw:`, `header.NAME:`, `method:`, parts of digests) is read from the `archive`.
   */
  search(asked: SearchAsked, options: SearchOptions = {}): Promise<SearchFound> {
    return searchWith((step) => this.#tab.client.call("search", { id: this.#id, asked: step }), asked, options);
  }

  /** Everything that is wrong with what is kept: each file is read in full. */
  verify(): Promise<Finding[]> {
    return this.#tab.client.call("verifyIndex", { id: this.#id });
  }
}
