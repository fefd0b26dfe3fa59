/**
 * The one field for everything: what is typed there filters URLs, or is searched for in what the library keeps of the
 * open archive. Keeps the store, the search and the address bar in step.
 */
import type { Hit, SharedIndex } from "stackroom/library";

import { addressIn } from "../address.js";
import { arrived } from "../parts.js";
import type { Store } from "../state.js";
import { mark, note, searchIn, visitOf } from "./address.js";
import { Field } from "./field.js";
import { patternOf } from "./marks.js";
import { patternOfWords, withPhrases } from "./phrases.js";
import { remember } from "./remembered.js";
import { Search } from "./search.js";
import { isAddress } from "./terms.js";

/** A hit that was opened, and what is marked where it is shown. */
export interface Opened {
  readonly hit: Hit;
  readonly pattern: RegExp | undefined;
  /** Where phrases alone are asked for, their words: for pages in which those are in several pieces. */
  readonly words: RegExp | undefined;
}

export class SearchBar {
  readonly search: Search;
  /** The list takes the focus when it is there. */
  isListWanted = false;
  /** The hit that was opened last: its words are marked where its record is shown. */
  opened?: Opened | undefined;
  /** Puts the keyboard into the field of the start page. */
  focusEverywhere?: (() => void) | undefined;
  readonly #store: Store;
  #field: Field | undefined;
  /** From the address bar or the start page, until it can be searched for. */
  #wanted = "";
  /** By its number in the library, where it is not the one that the address bar names. */
  #wantedIn: number | undefined;
  #hitWanted: Hit | undefined;
  #visit = "";
  #hasViews = false;
  /** The next change is a step to which one can go back. */
  #isSettled = true;

  constructor(store: Store, isComing: () => boolean) {
    this.#store = store;
    this.search = new Search(() => store.libraryChanged(), isComing, () => store.archive);
    store.on("rows", () => this.#onRows());
    store.on("phase", () => {
      if (store.phase !== "open") this.search.end();
    });
    store.on("library", () => this.search.catchUp());
    window.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get isOn(): boolean {
    return this.search.query !== "";
  }

  /** What shows hits is fetched for the first of them. */
  get isShown(): boolean {
    return this.isOn && this.#hasViews;
  }

  async #fetchViews(): Promise<void> {
    if (this.#hasViews) return;
    if ((await arrived(this.#store, import("./hits.js"))) === undefined) return;
    this.#hasViews = true;
    this.#store.choose(this.#store.listing);
  }

  /** Another archive is open. */
  begin(): void {
    this.search.end();
    this.opened = undefined;
    this.#isSettled = true;
    this.#visit = crypto.randomUUID();
    mark(this.#visit);
    this.#wanted ||= searchIn(location.hash);
  }

  /** What is to be searched for in the archive that is opened next, and the hit to be opened there. */
  want(query: string, archive: number, hit?: Hit): void {
    this.#wanted = query;
    this.#wantedIn = archive;
    this.#hitWanted = hit;
  }

  /** From now on texts can be searched. */
  ready(): void {
    const store = this.#store;
    const isMeant = this.#wantedIn === undefined || this.#wantedIn === store.library?.kept?.id;
    const text = (isMeant && this.#wanted) || store.filterText;
    const hit = isMeant ? this.#hitWanted : undefined;
    this.#wanted = "";
    this.#wantedIn = undefined;
    this.#hitWanted = undefined;
    if (text === "") return;
    store.filterText = "";
    store.filter(text);
    if (hit !== undefined) void this.show(hit);
  }

  takes(text: string, index: SharedIndex | undefined): boolean {
    const store = this.#store;
    const query = text.trim();
    const isQuery = index !== undefined && query !== "" && !isAddress(query);
    if (query !== this.search.query) store.listing = isQuery ? "hits" : store.listing === "hits" ? "records" : store.listing;
    if (isQuery) {
      void this.#fetchViews();
      this.search.begin(index, query);
    } else {
      this.search.end();
    }
    if (this.#wanted === "") this.#note(isQuery ? query : "");
    return isQuery;
  }

  #note(query: string): void {
    if (query === searchIn(location.hash)) return;
    note(query, this.#visit, this.#isSettled);
    this.#isSettled = false;
  }

  /** The list was arranged in another way, which empties the field. */
  #onRows(): void {
    if (this.isOn && this.#store.filterText === "") {
      this.search.end();
      this.settle();
      this.#note("");
    }
  }

  /** Searches for something else, as a step of its own. */
  ask(query: string): void {
    this.settle();
    this.#store.filter(query);
    if (this.isOn) this.#store.choose("hits");
    this.settle();
  }

  /** What was typed is what was meant. */
  settle(): void {
    this.#isSettled = true;
    remember(this.search.query);
  }

  /** A step of the history in the same archive: what was searched for then, and the page that was open. */
  follows(state: unknown): boolean {
    const store = this.#store;
    if (store.phase !== "open" || this.#visit === "" || visitOf(state) !== this.#visit) return false;
    store.filter(searchIn(location.hash));
    const { address } = addressIn(location.hash);
    if (address !== undefined) store.replay(address);
    else if (store.replaying !== undefined) store.replay(undefined);
    this.#isSettled = true;
    return true;
  }

  open(hit: Hit): void {
    const { query } = this.search;
    this.opened = { hit, pattern: patternOf(withPhrases(hit, query), query), words: patternOfWords(query) };
    this.#store.library?.openHit(hit);
  }

  /** As it was, where pages can mark what was found in them; behind it, or else in its place, is its text. */
  async show(hit: Hit): Promise<void> {
    this.open(hit);
    const { opened } = this;
    const { url, mime = "", type } = hit.record;
    if (hit.document === undefined || type === "request" || !mime.includes("html") || !/^https?:/i.test(url)) return;
    const stage = await arrived(this.#store, import("../replay/stage.js"));
    if (stage === undefined) return;
    const { mode } = await stage.wayOfReplay();
    if (opened === this.opened && (mode === "wildcard" || mode === "single")) {
      this.#store.tab = "page";
      this.#store.replay(hit.record);
    }
  }

  // The field

  dress(input: HTMLInputElement | null): void {
    if (input !== null && this.#field?.input !== input) this.#field = new Field(input, this, this.#store);
    this.#field?.changed();
  }

  focusField(): void {
    this.#field?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const isStart = this.#store.phase !== "open";
    if (!isCommand && !(isStart && event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event))) return;
    if (isStart && this.focusEverywhere === undefined) return;
    event.preventDefault();
    if (isStart) this.focusEverywhere?.();
    else this.#field?.focus();
  }
}

const isTyping = (event: Event): boolean => {
  const [target] = event.composedPath();
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
};
