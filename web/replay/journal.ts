/**
 * What was asked for and how it was answered, and of which time those are who ask: what a page loads is looked for around
 * the time of its own capture. Where it leads is looked for around that of the page which the viewer asked for, so that
 * one does not drift away from it from link to link. Of clients the last ones are known.
 */

import type { Get } from "./messages.js";

/** How a request was answered. */
export interface Entry {
  /** Counts up from 1. */
  readonly number: number;
  /** The archived URL; of what is missing as it was asked for. */
  readonly url: string;
  /** Where it is replayed. */
  readonly address: string;
  /** `Request.destination`, or "" for what a script fetched. */
  readonly dest: string;
  readonly isNavigation: boolean;
  /** Of the capture; all of this is undefined where there is none. */
  readonly row?: number | undefined;
  readonly captured?: number | undefined;
  readonly status?: number | undefined;
  readonly mime?: string | undefined;
  /** Why the capture could not be read. */
  readonly trouble?: string | undefined;
  /** The capture is of an address that differs in what should not matter. */
  readonly isFuzzy?: boolean | undefined;
}

const CLIENTS_MAX = 2_000;
/** More of an address says no more to a person. */
const URL_LETTERS_MAX = 2_000;

export class Journal {
  /** Navigations look around it. */
  #wanted: number | undefined;
  /** The page that the viewer asked for is not answered yet. */
  #isAwaited = false;
  readonly #times = new Map<string, number>();
  #last = 0;

  get wanted(): number | undefined {
    return this.#wanted;
  }

  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** The viewer asks for a page as it was around a time. */
  visit(wanted: number | undefined): void {
    this.#wanted = wanted;
    this.#isAwaited = true;
  }

  timeFor({ clientId, mode }: Get): number | undefined {
    return mode === "navigate" ? this.#wanted : (this.#times.get(clientId) ?? this.#wanted);
  }

  note(get: Get, { url, ...entry }: Omit<Entry, "number" | "address" | "dest" | "isNavigation">): Entry {
    if (this.#isAwaited && isDocument(get, entry.status)) {
      this.#wanted = entry.captured ?? this.#wanted;
      this.#isAwaited = false;
    }
    if (get.resultingClientId !== "" && entry.captured !== undefined) this.#remember(get.resultingClientId, entry.captured);
    return { ...entry, url: url.slice(0, URL_LETTERS_MAX), number: ++this.#last, address: get.url.slice(0, URL_LETTERS_MAX), dest: get.dest, isNavigation: get.mode === "navigate" };
  }

  #remember(clientId: string, captured: number): void {
    this.#times.set(clientId, captured);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= CLIENTS_MAX) return;
      this.#times.delete(oldest);
    }
  }
}

/** What leads elsewhere is none. */
const isDocument = ({ mode }: Get, status = 200): boolean => mode === "navigate" && (status < 300 || status > 399);
