/**
 * The one store of the viewer: which archive is open, how far it is read, which rows are listed, which record is open.
 * Views read fields and subscribe to topics; every change is a method here. Draws nothing, and touches the address bar
 * only through `onSource`, which the composition root sets.
 */
import type { Archive, ArchivePart, CheckSummary, Damage, Problem, Progress, ReadProgress, RecordRow, RefusedFile, View } from "stackroom";

import { isReachable } from "./address.js";
import type { NamedFile } from "./drop.js";
import type { Shelf } from "./library/shelf.js";
import { OpenRecord } from "./record.js";
import { RowPages, type RowSource } from "./rows.js";
import { isAbort, troubleOf, troubleWith, type Trouble } from "./trouble.js";
import { words } from "./words.js";
import { formatCount } from "./format.js";

/** What changed: the archive or its phase, how far it is read, its parts, the rows of the list, the open record, a passing notice, the library. */
export type Topic = "phase" | "progress" | "parts" | "rows" | "record" | "notice" | "library";

export type Phase = "start" | "opening" | "open";

/** Records, the pages that an archive states itself, those that were found in it, or what a search found. */
export type Listing = "records" | "pages" | "found" | "hits";

/** An archived page to be shown as it was; around which time, in milliseconds since 1970. */
export interface Address {
  readonly url: string;
  readonly captured?: number | undefined;
}

export type Source = readonly NamedFile[] | URL;

export interface Opening {
  readonly signal: AbortSignal;
  readonly name: string;
  readonly isForKeeping: boolean;
  readonly withDocuments?: boolean;
  readonly workers?: "auto";
  readonly onProgress: (progress: Progress) => void;
}

export type OpenArchive = (source: Source, options: Opening) => Promise<Archive>;

/** Rows in another order than that of the files, or some of them. */
export interface Arrangement extends RowSource {
  /** The column that they are in the order of; none where that is the order of the files. */
  readonly column?: string | undefined;
  readonly isDescending?: boolean | undefined;
  /** Which rows they are, in words, where they are not all. */
  readonly what?: string | undefined;
}

export type CheckArchive = (
  source: NamedFile | URL,
  options: { signal: AbortSignal; isAlwaysNamed: boolean; onProgress: (progress: ReadProgress) => void },
) => AsyncIterable<Problem | CheckSummary>;

/** How long a new filter may take before its still empty list replaces the old one. */
const filterGraceMs = 150;
const rateWindowMs = 4_000;

export class Store {
  phase: Phase = "start";
  /** What is being opened or is open. */
  name = "";
  /** Why opening failed; shown on the start page. */
  trouble?: Trouble | undefined;
  /** What happened that is no failure; shown on the start page. */
  note?: string | undefined;
  archive?: Archive | undefined;
  progress?: Progress | undefined;
  /** Bytes a second over the last seconds. */
  rate = 0;
  /** Why indexing stopped before the end. */
  stopped?: Trouble | undefined;
  /** The last problem found: where a file that was cut off ends. */
  lastDamage?: Damage | undefined;
  /** The files of the archive and their members, as far as they are known. */
  parts: readonly ArchivePart[] = [];
  /** Those of them in which records lie. */
  filled: readonly ArchivePart[] = [];
  /** Files among several that could not be read. */
  refused: readonly RefusedFile[] = [];
  filterText = "";
  /** The part whose records alone are listed. */
  filterPart?: number | undefined;
  /** How the list differs from the archive as it is; a filter takes its place. */
  arrangement?: Arrangement | undefined;
  /** Once it is there, if this browser has what it needs. */
  library?: Shelf | undefined;
  /** When it is there, or is waited for no longer. */
  ready: Promise<unknown> = Promise.resolve();
  /** Opens what cannot be in the library, while that is not there yet. */
  early?: OpenArchive | undefined;
  /** When the page is there that a link led to, or is waited for no longer: what it does not need comes after it. */
  shown: Promise<unknown> = Promise.resolve();
  /** What the left pane lists. */
  listing: Listing = "records";
  view?: View | undefined;
  rows?: RowPages | undefined;
  record?: OpenRecord | undefined;
  /** The view of the record that it is to be shown in. */
  tab?: "page" | undefined;
  /** What is replayed in place of the open record. */
  replaying?: Address | undefined;
  notice = "";
  /** Told when an archive is opened or closed: its address where it has one. */
  onSource: (url: URL | undefined) => void = () => undefined;

  readonly #openArchive: OpenArchive;
  readonly #checkArchive: CheckArchive;
  #source: Source = [];
  readonly #listeners = new Map<Topic, Set<() => void>>();
  #abort = new AbortController();
  #next?: { readonly view: View; readonly timer: number } | undefined;
  #samples: { readonly atMs: number; readonly bytes: number }[] = [];
  #noticeTimer = 0;

  constructor(openArchive: OpenArchive, checkArchive: CheckArchive) {
    this.#openArchive = openArchive;
    this.#checkArchive = checkArchive;
  }

  on(topic: Topic, listener: () => void): () => void {
    const set = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, set.add(listener));
    return () => void set.delete(listener);
  }

  /** Tells that the library, or what it says of the open archive, is another one. */
  libraryChanged(): void {
    this.#emit("library");
  }

  #emit(topic: Topic): void {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener();
  }

  // Opening and closing

  /** Opens the files as one archive. */
  async openFiles(files: readonly NamedFile[]): Promise<void> {
    const [first] = files;
    if (first === undefined) return;
    await this.#open(files, files.length === 1 ? first.name : nameOfAll(files));
  }

  /** Opens an address as it was typed or linked; relative ones are taken from the viewer's own. */
  async openAddress(text: string): Promise<void> {
    let url: URL;
    try {
      url = new URL(text.trim(), document.baseURI);
    } catch {
      await this.#refuse(text);
      return;
    }
    if (!isReachable(url.href)) {
      await this.#refuse(text);
      return;
    }
    await this.#open(url, decodeName(url));
  }

  async #refuse(text: string): Promise<void> {
    await this.close();
    this.trouble = troubleWith("viewer/bad-address", text);
    this.#emit("phase");
  }

  async #open(source: Source, name: string): Promise<void> {
    const abort = this.#begin(name);
    this.#source = source;
    this.onSource(source instanceof URL ? source : undefined);
    const early = this.library === undefined ? this.early : undefined;
    if (early === undefined) await this.ready;
    if (abort.signal.aborted) return;
    const open = early ?? this.library?.opener ?? this.#openArchive;
    try {
      const archive = await open(source, {
        signal: abort.signal,
        name,
        isForKeeping: false,
        onProgress: (progress) => {
          if (!abort.signal.aborted) this.#advance(progress);
        },
      });
      if (abort.signal.aborted) {
        await archive.close();
        return;
      }
      this.#opened(archive, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#reset("start");
      // The address stays: what is linked to may work on the next try.
      this.trouble = troubleOf(error);
      this.#emit("phase");
    }
  }

  /** Lets go of what was open before anything new is asked for. */
  #begin(name: string): AbortController {
    this.#reset("opening");
    this.name = name;
    this.#abort = new AbortController();
    this.#emit("phase");
    return this.#abort;
  }

  #opened(archive: Archive, signal: AbortSignal): void {
    this.archive = archive;
    this.phase = "open";
    this.#advance(archive.progress);
    this.#list({ source: this.#allRows(archive) });
    this.#emit("phase");
    if (this.library) this.library.opened(archive, this.#source, signal);
    else void this.#openedEarly(archive, this.#source, signal);
    archive.indexed.then(
      (progress) => {
        if (signal.aborted) return;
        this.#advance(progress);
        void this.#learnDamage(archive);
      },
      (error: unknown) => {
        if (signal.aborted || isAbort(error)) return;
        this.stopped = troubleOf(error);
        this.#emit("progress");
        this.#emit("rows");
      },
    );
  }

  async #openedEarly(archive: Archive, source: Source, signal: AbortSignal): Promise<void> {
    await this.ready;
    if (signal.aborted) return;
    // Nobody takes its documents where no library comes.
    if (this.library) this.library.opened(archive, source, signal);
    else if (archive.hasDocuments) await archive.stopDocuments().catch(() => undefined);
  }

  async #learnDamage(archive: Archive): Promise<void> {
    const count = archive.progress.damageCount;
    if (count === 0) return;
    const [damage] = await archive.damage(count - 1, 1).catch(() => []);
    if (this.archive !== archive) return;
    this.lastDamage = damage;
    this.#emit("progress");
  }

  /** Reads every byte of what is open and tells of every problem, and of each file at its end what holds. */
  async *check(signal: AbortSignal, onProgress: (progress: ReadProgress) => void): AsyncGenerator<Problem | CheckSummary, void, undefined> {
    const sources = this.#source instanceof URL ? [this.#source] : this.#source;
    // Of what was closed nobody wants to know.
    const either = AbortSignal.any([signal, this.#abort.signal]);
    const isAlwaysNamed = sources.length > 1;
    // Bytes of the files before.
    let before = 0;
    for (const source of sources) {
      let last: ReadProgress = { bytes: 0 };
      const tell = (progress: ReadProgress): void => {
        last = progress;
        const bytes = before + progress.bytes;
        const bytesTotal = this.progress?.bytesTotal;
        onProgress(bytesTotal === undefined ? { bytes } : { bytes, bytesTotal });
      };
      yield* this.#checkArchive(source, { signal: either, isAlwaysNamed, onProgress: tell });
      before += last.bytesTotal ?? last.bytes;
    }
  }

  /** Stops opening or indexing and forgets all of it. */
  async cancel(): Promise<void> {
    const { name } = this;
    const isInPart = this.library?.isKeptInPart === true;
    await this.close();
    this.note = isInPart ? words.cancelledInPart(name) : words.cancelled(name);
    this.#emit("phase");
  }

  async close(): Promise<void> {
    this.#reset("start");
    this.onSource(undefined);
    this.#emit("phase");
  }

  #reset(phase: Phase): void {
    this.#abort.abort();
    this.#dropNext();
    this.record?.close();
    this.rows?.close();
    this.view?.close();
    // Nothing waits for the old worker to end; a failure to end it is of no use to anybody.
    void this.archive?.close().catch(() => undefined);
    this.archive = undefined;
    this.progress = undefined;
    this.stopped = undefined;
    this.lastDamage = undefined;
    this.trouble = undefined;
    this.note = undefined;
    this.record = undefined;
    this.replaying = undefined;
    this.rows = undefined;
    this.view = undefined;
    this.filterText = "";
    this.filterPart = undefined;
    this.arrangement = undefined;
    this.listing = "records";
    this.parts = [];
    this.filled = [];
    this.refused = [];
    this.name = "";
    this.rate = 0;
    this.#samples = [];
    this.phase = phase;
    this.#emit("record");
    this.#emit("rows");
    this.#emit("progress");
  }

  dismiss(): void {
    this.trouble = undefined;
    this.note = undefined;
    this.#emit("phase");
  }

  // Progress

  #advance(progress: Progress): void {
    this.progress = progress;
    const now = { atMs: progress.elapsedMs, bytes: progress.bytes };
    this.#samples = [...this.#samples.filter((one) => now.atMs - one.atMs < rateWindowMs), now];
    const first = this.#samples[0];
    const span = first === undefined ? 0 : now.atMs - first.atMs;
    if (first !== undefined && span > 0) this.rate = ((now.bytes - first.bytes) * 1_000) / span;
    else if (now.atMs > 0) this.rate = (now.bytes * 1_000) / now.atMs;
    this.#emit("progress");
    if (this.view === undefined) this.#emit("rows");
    if (progress.parts > this.parts.length || progress.refusedCount > this.refused.length) void this.#learnParts();
    else if (progress.isDone) this.#weighParts();
  }

  #isLearning = false;

  async #learnParts(): Promise<void> {
    const { archive } = this;
    if (archive === undefined || this.#isLearning) return;
    this.#isLearning = true;
    const [parts, refused] = await Promise.all([archive.parts(this.parts.length), archive.refused()]).catch(() => [[], []]);
    this.#isLearning = false;
    if (this.archive !== archive) return;
    this.parts = [...this.parts, ...parts];
    this.refused = refused;
    this.#weighParts();
    // More may have been found while these were on their way.
    if (parts.length > 0 && (this.progress?.parts ?? 0) > this.parts.length) void this.#learnParts();
  }

  /** A file that holds others has no records of its own. */
  #weighParts(): void {
    const records = this.progress?.records ?? 0;
    this.filled = this.parts.filter(({ firstRow }, at) => (this.parts[at + 1]?.firstRow ?? records) > firstRow);
    this.#emit("parts");
  }

  /** The part in which a record lies, where there are several. */
  partOf(row: RecordRow): ArchivePart | undefined {
    return this.filled.length > 1 ? this.parts[row.part] : undefined;
  }

  /** The files, or the address, of what is open. */
  get source(): Source {
    return this.#source;
  }

  /** Whether the archive is still being read. */
  get isIndexing(): boolean {
    return this.phase === "open" && this.progress?.isDone !== true && this.stopped === undefined;
  }

  // List and filter

  #allRows(archive: Archive): RowSource {
    const records = (): number => this.progress?.records ?? 0;
    return {
      get count() {
        return records();
      },
      rows: (start, count, options) => archive.rows(start, count, options),
    };
  }

  #list({ source, view }: { readonly source: RowSource; readonly view?: View }): void {
    this.rows?.close();
    if (this.view !== view) this.view?.close();
    this.view = view;
    this.rows = new RowPages(source, () => this.#emit("rows"));
    this.#emit("rows");
  }

  /** Lists the records whose URL holds the text; all of them for an empty one. */
  filter(text: string): void {
    if (text === this.filterText) return;
    this.filterText = text;
    this.#filter();
  }

  /** Lists the records so, instead of those that a filter lets through; without an arrangement, all of them in the order of the files. */
  arrange(arrangement: Arrangement | undefined): void {
    const { archive } = this;
    if (archive === undefined) return;
    this.#dropNext();
    this.filterText = "";
    this.filterPart = undefined;
    this.listing = "records";
    this.arrangement = arrangement;
    this.#list({ source: arrangement ?? this.#allRows(archive) });
  }

  /** Lists the records of one part, or of all. */
  choosePart(part: number | undefined): void {
    if (part === this.filterPart) return;
    this.filterPart = part;
    this.#filter();
  }

  #filter(): void {
    const { archive, filterPart: part } = this;
    if (archive === undefined) return;
    // What a search takes is no part of a URL.
    const text = this.library?.takes(this.filterText) ? "" : this.filterText;
    this.#dropNext();
    this.arrangement = undefined;
    if (text === "" && part === undefined) {
      this.#list({ source: this.#allRows(archive) });
      return;
    }
    const parts = part === undefined ? undefined : { from: part, to: part + 1 };
    const view = archive.filter(text, { parts, signal: this.#abort.signal });
    const timer = window.setTimeout(() => this.#show(view), filterGraceMs);
    this.#next = { view, timer };
    view.onChange(() => {
      if (this.view === view) this.#emit("rows");
      else if (view.count > 0 || view.isComplete) this.#show(view);
    });
    if (view.isComplete) this.#show(view);
  }

  /** Puts a new view in place of the old list, once it has something to say. */
  #show(view: View): void {
    if (this.#next?.view !== view) return;
    window.clearTimeout(this.#next.timer);
    this.#next = undefined;
    this.#list({ source: view, view });
  }

  #dropNext(): void {
    if (this.#next === undefined) return;
    window.clearTimeout(this.#next.timer);
    this.#next.view.close();
    this.#next = undefined;
  }

  // The open record

  openRecord(row: RecordRow, tab?: "page"): void {
    const archive = this.archive;
    this.tab = tab;
    const wasReplaying = this.replaying !== undefined;
    this.replaying = undefined;
    if (archive === undefined || this.record?.row.row === row.row) {
      if (wasReplaying) this.#emit("record");
      return;
    }
    this.record?.close();
    const record = new OpenRecord(archive, row);
    this.record = record;
    this.#emit("record");
    void record.load(() => {
      if (this.record === record) this.#emit("record");
    });
  }

  /** Compares the digests of the open record with its bytes. */
  verifyRecord(): void {
    const { record } = this;
    void record?.verify(() => {
      if (this.record === record) this.#emit("record");
    });
  }

  choose(listing: Listing): void {
    this.listing = listing;
    this.#emit("rows");
  }

  /** Shows an archived page as it was; of none, what was shown before it. */
  replay(address: Address | undefined): void {
    // Another object each time: the same page may be asked for again, when its links were followed.
    this.replaying = this.archive && address && { url: address.url, captured: address.captured };
    this.#emit("record");
  }

  closeRecord(): void {
    if (this.record === undefined) return;
    this.record.close();
    this.record = undefined;
    this.#emit("record");
  }

  // Notices

  /** A sentence that is shown for some seconds and read out. */
  say(text: string): void {
    this.notice = text;
    window.clearTimeout(this.#noticeTimer);
    this.#noticeTimer = window.setTimeout(() => {
      this.notice = "";
      this.#emit("notice");
    }, 6_000);
    this.#emit("notice");
  }
}

/** The folder that all files lie in, or how many there are. */
function nameOfAll(files: readonly NamedFile[]): string {
  const folder = /^[^/]+(?=\/)/.exec(files[0]?.name ?? "")?.[0];
  if (folder !== undefined && files.every(({ name }) => name.startsWith(`${folder}/`))) return folder;
  return words.severalFiles(formatCount(files.length));
}

/** The file name at the end of an address, or the host. */
function decodeName(url: URL): string {
  const last = url.pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || url.host;
  } catch {
    return last;
  }
}
