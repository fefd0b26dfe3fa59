/**
 * The library as the viewer has it: what is in it, what of it is open, what is being kept, and the list in its orders.
 * It comes late and may not come at all; whatever it cannot do, opening goes on without it.
 */
import { ArchiveError, type Archive, type RecordRow } from "stackroom";
import type { AddOptions, Description, Hit, KeptArchive, KeptDocument, Room, SharedIndex, SharedLibrary, SortColumn } from "stackroom/library";
import { html, type TemplateResult } from "lit";

import { startLibrary } from "../ahead.js";
import type { NamedFile } from "../drop.js";
import { formatCount } from "../format.js";
import { SearchBar } from "../search/bar.js";
import { words as searching } from "../search/words.js";
import type { Listing, OpenArchive, Opening, Source, Store } from "../state.js";
import { isAbort, troubleOf, type Trouble } from "../trouble.js";
import { Copying } from "./copying.js";
import { keepable, openForKeeping } from "./forkeeping.js";
import { forgetHandles, handled, keepHandles, pickHandles } from "./handles.js";
import { menuItems } from "./menuitems.js";
import { OpenDocument } from "./opendocument.js";
import { inOrderOf, sliceOf, sortableMax, type Choice } from "./orders.js";
import { readSetting, writeSetting } from "./settings.js";
import { difference, keptFiles, sourceKey } from "./sources.js";
import { words } from "./words.js";
import { words as common } from "../words.js";
import "./arrange.js";
import "./browse.js";
import "./captures.js";
import "./found.js";
import "./kept.js";
import "./list.js";
import "./said.js";

/** What is being done about the open archive; `elsewhere`: another tab keeps it. */
export type Keeping = "not" | "keeping" | "elsewhere" | "kept" | "failed";

/** Gives the library to the viewer where this browser has what it takes. */
export async function openShelf(store: Store, openArchive: OpenArchive): Promise<void> {
  const library = await startLibrary();
  const shelf = new Shelf(library, store, openArchive);
  await shelf.refresh();
  store.library = shelf;
  store.libraryChanged();
}

/** Adding it goes on with it. */
const isToComplete = ({ state, documentsEnd }: KeptArchive): boolean => state === "indexing" || documentsEnd !== undefined;

export class Shelf {
  /** The latest first. */
  entries: readonly KeptArchive[] = [];
  /** Those whose files are at hand. */
  handled: ReadonlySet<number> = new Set();
  room?: Room | undefined;
  /** Of the open archive. */
  keeping: Keeping = "not";
  kept?: KeptArchive | undefined;
  trouble?: Trouble | undefined;
  copying?: Copying | undefined;
  /** Of the open archive, once all of it is kept. */
  index?: SharedIndex | undefined;
  choice?: Choice | undefined;
  isBrowsing = readSetting("browse") === "on";
  isKeepingOn = readSetting("keep") !== "off";
  readonly library: SharedLibrary;
  readonly searchBar: SearchBar;
  readonly #store: Store;
  readonly #openArchive: OpenArchive;
  /** Those that were not read, with what is kept of them. */
  readonly #reopened = new WeakMap<Archive, KeptArchive>();
  /** Addresses at which there is something else than what is kept. */
  readonly #changed = new Set<string>();
  #archive: Archive | undefined;
  readonly #document = new OpenDocument(() => this.#tell());
  /** Of the archive that is being kept. */
  #key = "";
  #adding: AbortController | undefined;
  #added: Promise<void> = Promise.resolve();
  #isRefreshing = false;
  #isStale = false;

  constructor(library: SharedLibrary, store: Store, openArchive: OpenArchive) {
    this.library = library;
    this.#store = store;
    this.#openArchive = openArchive;
    this.searchBar = new SearchBar(store, () => this.isComing);
    library.onChange(() => void this.#store.shown.then(() => this.refresh()));
  }

  /** Reads anew what is in the library, once at a time. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const [entries, room, ids] = await Promise.all([this.library.list(), this.library.room().catch(() => undefined), handled()]);
        this.entries = entries;
        writeSetting("kept", entries.length > 0 ? "some" : undefined);
        this.room = room;
        this.handled = ids;
        const { kept } = this;
        const other = this.keeping === "elsewhere" && kept === undefined ? entries.find(({ source }) => source === this.#key) : undefined;
        if (other?.state === "ready") this.#isKept(other);
        if (kept !== undefined) this.#follow(entries.find(({ id }) => id === kept.id));
        this.#tell();
      }
    } finally {
      this.#isRefreshing = false;
    }
  }

  /** What the library says now of the open archive: another tab may have changed or removed it. */
  #follow(entry: KeptArchive | undefined): void {
    this.kept = entry;
    if (entry !== undefined || this.keeping !== "kept") return;
    this.keeping = "not";
    this.#forgetOrders();
  }

  #tell(): void {
    this.#store.libraryChanged();
  }

  // Opening

  /** Opens what is in the library without reading it again, and what is to be kept so that it can be. */
  readonly opener: OpenArchive = async (source, options) => {
    const known = await this.#known(source).catch(() => undefined);
    const again = known && (await this.#reopen(known, source, options));
    if (again !== undefined) return again;
    return this.isKeepingOn ? openForKeeping(this.#openArchive, source, options) : this.#openArchive(source, options);
  };

  /** By where it is; files that lie elsewhere now by what they are. */
  async #known(source: Source): Promise<KeptArchive | undefined> {
    const key = await sourceKey(source);
    if (this.#changed.has(key)) return undefined;
    const known = this.entries.find((entry) => entry.source === key);
    if (known !== undefined || source instanceof URL) return known;
    const alike = this.entries.filter(({ files = [] }) => files.length === source.length && files.every(({ size }, at) => size === source[at]?.source.size));
    if (alike.length === 0) return undefined;
    const files = await keptFiles(source);
    return alike.find((entry) => difference(entry, files) === undefined);
  }

  /** Undefined where that does not work, as where it has changed: then it is read as if it were new. */
  async #reopen(known: KeptArchive, source: Source, { signal, name, onProgress }: Opening): Promise<Archive | undefined> {
    try {
      const sources = source instanceof URL ? source : source.map(({ source: file, name: called }) => ({ source: file, name: called }));
      const archive = await this.library.reopen(known.id, sources, { signal, name, onProgress, withDocuments: isToComplete(known), workers: "auto" });
      if (known.state === "ready") this.#reopened.set(archive, known);
      if (isToComplete(known)) keepable.add(archive);
      return archive;
    } catch (error) {
      if (isAbort(error)) throw error;
      return undefined;
    }
  }

  /** An archive was opened in the viewer. */
  opened(archive: Archive, source: Source, signal: AbortSignal): void {
    this.#archive = archive;
    this.#adding = undefined;
    this.keeping = "not";
    this.kept = undefined;
    this.trouble = undefined;
    this.index = undefined;
    this.choice = undefined;
    this.searchBar.begin();
    const known = this.#reopened.get(archive);
    if (known !== undefined) {
      this.#isKept(known);
      if (source instanceof URL) void this.#compare(archive, source);
      else void keepHandles(known.id, source).then(() => this.refresh());
    }
    if (keepable.has(archive)) this.#keep(archive, source, signal);
    this.#tell();
  }

  /** A server says what it has when bytes are asked for: where that is something else by now, it is read anew. */
  async #compare(archive: Archive, source: URL): Promise<void> {
    await this.#store.shown;
    try {
      await archive.indexed;
      const [row] = await archive.rows(0, 1);
      if (row !== undefined) await archive.bytes(row, "raw", { limit: 1 });
    } catch (error) {
      if (this.#archive !== archive || !(error instanceof ArchiveError) || error.code !== "source/changed") return;
      this.#changed.add(source.href);
      this.#store.say(words.changedSince);
      await this.#store.openAddress(source.href);
    }
  }

  /** Keeps the open archive that was opened without that: it is read a second time, beside. */
  async keepNow(): Promise<void> {
    const { archive, source } = this.#store;
    if (archive === undefined) return;
    if (keepable.has(archive)) {
      this.#keep(archive, source, new AbortController().signal);
      this.#tell();
      return;
    }
    await this.#readAgain(archive, source, false);
  }

  /** Reads all of what is kept of an archive, and says whether it is what was written. */
  async check(id: number): Promise<void> {
    this.#store.say(words.checkingIndex);
    try {
      const findings = await this.library.index(id).verify();
      this.#store.say(findings.length === 0 ? words.indexSound : words.indexDamaged(formatCount(findings.length), findings.length === 1));
    } catch (error) {
      this.#store.say(words.indexNotChecked(troubleOf(error).message));
    }
  }

  /** Reads the open archive a second time, to keep what an older index does not have. */
  async indexAgain(): Promise<void> {
    const { archive, source } = this.#store;
    if (archive === undefined) return;
    this.#adding?.abort();
    await this.#added;
    this.#forgetOrders();
    await this.#readAgain(archive, source, true);
  }

  async #readAgain(archive: Archive, source: Source, isAnew: boolean): Promise<void> {
    this.keeping = "keeping";
    this.#tell();
    const abort = new AbortController();
    try {
      const second = await this.#openArchive(source, { signal: abort.signal, name: archive.name, isForKeeping: true, withDocuments: true, workers: "auto", onProgress: () => undefined });
      if (this.#archive === archive) this.#keep(second, source, abort.signal, isAnew);
      await this.#added;
      await second.close();
    } catch (error) {
      this.#failed(error);
    }
  }

  #keep(archive: Archive, source: Source, signal: AbortSignal, isAnew = false): void {
    const shown = this.#archive;
    const adding = new AbortController();
    this.#adding = adding;
    if (this.index === undefined) this.keeping = "keeping";
    this.trouble = undefined;
    this.#added = this.#add(archive, source, AbortSignal.any([signal, adding.signal]), isAnew, () => this.#archive === shown);
  }

  async #add(archive: Archive, source: Source, signal: AbortSignal, isAnew: boolean, isShown: () => boolean): Promise<void> {
    const files = source instanceof URL ? undefined : source;
    let last: KeptArchive | undefined;
    const onKept = (kept: KeptArchive): void => {
      if (last === undefined && files !== undefined) void keepHandles(kept.id, files);
      last = kept;
      if (!isShown()) return;
      if (kept.state === "ready") this.#isKept(kept);
      this.kept = kept;
      this.#tell();
    };
    try {
      await this.#store.shown;
      this.#key = await sourceKey(source);
      const options = { source: this.#key, ...(files && { files: await keptFiles(files) }), isAnew, signal, onKept };
      const kept = await this.#addOrAnew(archive, options);
      if (files !== undefined) await keepHandles(kept.id, files);
      if (isShown()) this.#isKept(kept);
    } catch (error) {
      // Nobody takes its documents any more.
      archive.stopDocuments().catch(() => undefined);
      if (isShown()) this.#failed(error);
      // Of what was given up at once nothing is to be seen.
      if (last?.records === 0 && isAbort(error)) await this.library.remove(last.id).catch(() => undefined);
    }
    if (isShown()) this.#adding = undefined;
    void this.refresh();
  }

  /** What was kept of an archive that has changed since is of no use: it is indexed anew. */
  async #addOrAnew(archive: Archive, options: AddOptions): Promise<KeptArchive> {
    try {
      const kept = await this.library.add(archive, { ...options, isAnew: this.#changed.delete(options.source) || options.isAnew });
      const { records, bytesTotal } = await archive.indexed;
      if (records === kept.records && (bytesTotal === undefined || bytesTotal === kept.bytes)) return kept;
    } catch (error) {
      if (!(error instanceof ArchiveError) || error.code !== "source/changed") throw error;
    }
    this.#store.say(words.changedSince);
    return this.library.add(archive, { ...options, isAnew: true });
  }

  #isKept(entry: KeptArchive): void {
    this.kept = entry;
    this.keeping = "kept";
    if (this.index === undefined) {
      this.index = this.library.index(entry.id);
      this.searchBar.ready();
    }
    this.#tell();
  }

  #failed(error: unknown): void {
    // Its records are kept; what its pages say is gone on with when it is opened again.
    if (this.index !== undefined) return this.#tell();
    const isElsewhere = error instanceof ArchiveError && error.code === "library/busy";
    this.keeping = isAbort(error) ? "not" : isElsewhere ? "elsewhere" : "failed";
    this.trouble = this.keeping === "failed" ? troubleOf(error) : undefined;
    this.#tell();
  }

  /** How much is known of what the pages of the open archive say, from 0 to 1; undefined where nothing more comes. */
  get shareOfPages(): number | undefined {
    const { kept } = this;
    if (kept?.documentsEnd === undefined || this.#adding === undefined || kept.state !== "ready") return undefined;
    return kept.documentsEnd / kept.records;
  }

  /** More of the open archive is still being kept. */
  get isComing(): boolean {
    return this.#adding !== undefined;
  }

  /** There are records of the open archive in the library, and not all. */
  get isKeptInPart(): boolean {
    return this.kept?.state === "indexing" && this.kept.records > 0;
  }

  /** How much of the open archive is kept, from 0 to 1. */
  get share(): number {
    const { progress } = this.#store;
    if (progress === undefined || progress.records === 0) return 0;
    const read = progress.isDone ? 1 : progress.bytesTotal === undefined ? 0 : progress.bytes / progress.bytesTotal;
    return Math.min(1, ((this.kept?.records ?? 0) / progress.records) * read);
  }

  // The library

  async remove(id: number): Promise<void> {
    if (this.kept?.id === id) {
      this.#adding?.abort();
      await this.#added;
      this.keeping = "not";
      this.kept = undefined;
      this.#forgetOrders();
    }
    await this.library.remove(id);
    await forgetHandles(id);
    await this.refresh();
  }

  /** Keeps the bytes of the open archive too, so that it opens without its files. */
  async keepCopy(): Promise<void> {
    const { kept } = this;
    const { source } = this.#store;
    if (kept === undefined || this.copying !== undefined) return;
    const copying = new Copying(kept.id, kept.bytes);
    this.copying = copying;
    this.#tell();
    const trouble = await copying.run(this.library, source, () => this.#tell());
    this.copying = undefined;
    if (trouble !== undefined) this.#store.say(words.notCopied(trouble.message));
    await this.refresh();
  }

  async dropCopy(id: number): Promise<void> {
    await this.library.dropCopy(id);
    await this.refresh();
  }

  async describe(id: number, changes: Description): Promise<void> {
    await this.library.describe(id, changes);
    await this.refresh();
  }

  setKeeping(isOn: boolean): void {
    this.isKeepingOn = isOn;
    writeSetting("keep", isOn ? undefined : "off");
    this.#tell();
  }

  setBrowsing(isOn: boolean): void {
    this.isBrowsing = isOn;
    writeSetting("browse", isOn ? "on" : undefined);
    this.#tell();
  }

  /** Items for the menu of the viewer. */
  menu(): TemplateResult {
    return menuItems(this);
  }

  /** Files or a folder by the picker that gives handles; `otherwise` is done at once where there is none. */
  pick(what: "files" | "folder", otherwise: () => void): Promise<readonly NamedFile[] | undefined> {
    return pickHandles(what, otherwise);
  }

  // Pages

  /** Web pages that were found in the open archive; without their number where an older index has none. */
  get found(): { readonly count: number | undefined } | undefined {
    if (this.index === undefined || this.kept === undefined) return undefined;
    if (this.kept.documents === 0 && this.kept.documentsEnd === undefined) return undefined;
    return { count: this.kept.documents };
  }

  /** What a record says, once that is read. */
  saidBy(row: RecordRow): KeptDocument | undefined {
    return this.found?.count === undefined ? undefined : this.#document.of(this.index, row.row);
  }

  /** Opens what a search found; a document in the view that says its text. */
  openHit({ record, document }: Hit): void {
    if (document !== undefined && this.saidBy(record)?.record.row !== record.row) this.#document.know(this.index, { record, document });
    this.#store.openRecord(record, document === undefined ? undefined : "page");
    // What is open already is marked anew.
    this.#tell();
  }

  // What there is to list beside the records

  list(listing: Listing): TemplateResult | undefined {
    const store = this.#store;
    if (listing === "found") return this.found && html`<stackroom-found class="instead" .store=${store}></stackroom-found>`;
    if (listing === "hits") return this.searchBar.isShown ? html`<stackroom-hits class="instead" .store=${store}></stackroom-hits>` : undefined;
    return undefined;
  }

  /** Their names. */
  listings(hasStatedPages: boolean): readonly (readonly [Listing, string])[] {
    const { found, searchBar } = this;
    const counted = (name: string, count: number | undefined): string => (count === undefined ? name : `${name} ${formatCount(count)}`);
    return [
      ...(found === undefined ? [] : [["found", counted(hasStatedPages ? words.allPages : common.pages, found.count)] as const]),
      ...(searchBar.isShown ? [["hits", counted(searching.hits, searchBar.search.found?.total)] as const] : []),
    ];
  }

  /** Gives the field in the bar what there is to search. */
  dress(input: HTMLInputElement | null): void {
    this.searchBar.dress(input);
  }

  /** Whether a step in the history of the tab is one in the open archive, and taken. */
  follows(state: unknown): boolean {
    return this.searchBar.follows(state);
  }

  /** Whether a text is looked for in what is kept: then it filters no URLs. */
  takes(text: string): boolean {
    return this.searchBar.takes(text, this.index);
  }

  // Orders of the list

  /** Why the list cannot be sorted and browsed yet; nothing when it can. */
  get why(): string | undefined {
    if (this.index !== undefined) return undefined;
    if (this.keeping === "keeping" || this.keeping === "elsewhere") return words.waitsForKeeping;
    if (this.keeping === "failed") return words.waitsForRoom;
    return words.waitsForLibrary;
  }

  /** Sorts by a column: up, then down, then as the files are. */
  sortBy(column: SortColumn): void {
    const { arrangement } = this.#store;
    if (arrangement?.column !== column) void this.sort(column, false);
    else if (arrangement.isDescending !== true) void this.sort(column, true);
    else void this.sort(undefined, false);
  }

  async sort(column: SortColumn | undefined, isDescending: boolean): Promise<void> {
    const { index, choice, kept } = this;
    if (index === undefined || kept === undefined) {
      this.#store.say(this.why ?? "");
      return;
    }
    if (choice === undefined) {
      this.#store.arrange(column === undefined ? undefined : sliceOf(index, { column, from: 0, count: kept.records }, kept.records, isDescending));
    } else if (column === choice.column && choice.rows === undefined) {
      this.#store.arrange(sliceOf(index, choice, kept.records, isDescending));
    } else if (choice.count <= sortableMax) {
      const arrangement = await inOrderOf(index, choice, column, isDescending);
      if (this.choice === choice) this.#store.arrange(arrangement);
    } else {
      this.#store.say(words.tooManyToSort(formatCount(sortableMax)));
    }
    this.#tell();
  }

  /** Lists some of the records; all of them without a choice. */
  choose(choice: Choice | undefined): void {
    this.choice = choice;
    const { index, kept } = this;
    if (choice === undefined || index === undefined || kept === undefined) this.#store.arrange(undefined);
    else this.#store.arrange(choice.rows === undefined ? sliceOf(index, choice, kept.records, false) : { ...choice.rows, what: choice.what });
    this.#tell();
  }

  #forgetOrders(): void {
    this.index = undefined;
    this.choice = undefined;
    this.searchBar.search.end();
    if (this.#store.arrangement !== undefined) this.#store.arrange(undefined);
  }
}
