/**
 * The frame in which archived pages are shown, and what is shown in it: which capture, what it loaded, where one was before.
 * A page is heard only about itself: its title, its address within its own host. All else is told by who answers it.
 */

import { claim, type Claim } from "./claim.js";
import type { Entry } from "./journal.js";
import { labelOf } from "./origins.js";
import { sandboxOf } from "./policy.js";
import { areReachable, type Frame, type FrameHost } from "./reachable.js";
import type { Replay } from "./replay.js";

/** One of the pages that one has been to. */
export interface Visit {
  readonly url: string;
  /** Around which time it was looked for; undefined for the first capture. */
  readonly wanted: number | undefined;
}

export interface Shown {
  readonly url: string;
  /** What the page calls itself; its own word. */
  readonly title: string;
  /** How the document was answered; undefined until it was. */
  readonly document: Entry | undefined;
  /** What it and the frames in it asked for. */
  readonly resources: readonly Entry[];
  /** Requests that were kept from leaving, as far as pages tell. */
  readonly blocked: number;
  readonly isLoading: boolean;
  /** Nothing came of it: where it would be replayed nobody answers. */
  readonly isLost: boolean;
  /** Places that `mark` found, as the page tells, and which one is shown; undefined until it does. */
  readonly marks?: { readonly count: number; readonly at: number } | undefined;
}

const RESOURCES_MAX = 5_000;
const TITLE_LETTERS_MAX = 300;
const URL_LETTERS_MAX = 10_000;
const VISITS_MAX = 500;
/** Longer than the first page of an origin takes to be there. What comes later is shown all the same. */
const LOST_MS = 4_000;

export class ReplayFrame {
  shown: Shown | undefined;
  /** Another archive is shown on the one origin that there is for all; this frame shows nothing any more. */
  isTaken = false;
  readonly #claim: Claim | undefined;
  /** Nothing of another collection is left there. */
  #ready: Promise<boolean> | undefined;
  readonly #replay: Replay;
  readonly #frame: Frame;
  readonly #onChange: () => void;
  readonly #off: () => void;
  readonly #onMessage = (event: MessageEvent): void => this.#hear(event);
  readonly #host: FrameHost;
  /** Where no script runs, no page hands its pipe a port when that was stopped: the boot page does, beside it. */
  #standing: { readonly origin: string; readonly frame: Frame } | undefined;
  #visits: Visit[] = [];
  #at = -1;
  /** Answers since the last document was there: the first that is one is the next document. */
  #since: Entry[] = [];
  /** While something is to come that nobody has asked the archive for yet. */
  #losing: ReturnType<typeof setTimeout> | undefined;

  constructor(replay: Replay, host: FrameHost, { title, onChange }: { readonly title: string; readonly onChange: () => void }) {
    this.#replay = replay;
    this.#host = host;
    this.#onChange = onChange;
    this.#frame = host.ownerDocument.createElement("iframe");
    this.#frame.title = title;
    this.#frame.setAttribute("sandbox", sandboxOf(replay.origins.mode));
    this.#frame.setAttribute("referrerpolicy", "no-referrer");
    host.append(this.#frame as never);
    this.#frame.addEventListener("load", () => this.#loaded());
    addEventListener("message", this.#onMessage);
    this.#off = replay.onEntries((entries) => this.#note(entries));
    this.#claim = replay.origins.mode === "single" ? claim(replay.origins.before, () => this.#lose()) : undefined;
    void this.#isReady();
  }

  /** What was asked for last; what it is now is in `shown`. */
  get visit(): Visit | undefined {
    return this.#visits[this.#at];
  }

  get canGoBack(): boolean {
    return this.#at > 0;
  }

  get canGoForward(): boolean {
    return this.#at < this.#visits.length - 1;
  }

  /** Shows a URL as it was around a time; false where it is none that can be in an archive of the web. */
  async go(url: string, wanted?: number): Promise<boolean> {
    if (!(await this.#load({ url, wanted }))) return false;
    this.#enter({ url, wanted });
    return true;
  }

  back(): Promise<unknown> {
    return this.#step(-1);
  }

  forward(): Promise<unknown> {
    return this.#step(1);
  }

  reload(): Promise<unknown> {
    return this.#step(0);
  }

  /**
   * Marks in the page what an expression finds, and goes to one of the places, counted from either end. It does nothing
   * where no script runs; where it was done, `shown.marks` says so.
   */
  mark(pattern: RegExp, at = 0): void {
    const { shown } = this;
    if (!shown?.document) return;
    const { origin } = new URL(shown.document.address);
    void import("./markstext.js").then(({ MARKS }) => this.#frame.contentWindow?.postMessage({ wa: "do", script: MARKS, marks: pattern.source, at }, origin));
  }

  close(): void {
    this.#off();
    removeEventListener("message", this.#onMessage);
    this.#claim?.release();
    this.#standing?.frame.remove();
    this.#frame.remove();
    this.#came();
  }

  #lose(): void {
    this.close();
    this.isTaken = true;
    this.#onChange();
  }

  async #step(by: number): Promise<void> {
    const visit = this.#visits[this.#at + by];
    if (!visit) return;
    this.#at += by;
    await this.#load(visit);
  }

  async #load({ url, wanted }: Visit): Promise<boolean> {
    const isReady = await this.#isReady();
    const address = await this.#replay.visit(url, wanted);
    if (address === null) return false;
    if (this.isTaken) return true;
    if (!isReady) {
      this.#show({ url, title: "", document: undefined, resources: [], blocked: 0, isLoading: false, isLost: true });
      return true;
    }
    this.#since = [];
    this.#show({ url, title: "", document: undefined, resources: [], blocked: 0, isLoading: true, isLost: false });
    this.#await(url);
    // Leaves no trace in the history of the browser: back and forward are this frame's own. To an address with a
    // fragment the frame would only be scrolled, were it there already.
    if (address.includes("#")) await this.#leave();
    this.#frame.contentWindow?.location.replace(address);
    return true;
  }

  /** Asked again where it was not: what an origin has of another collection is no reason to show this one beside it. */
  async #isReady(): Promise<boolean> {
    if (!this.#claim) return true;
    const ready = (this.#ready ??= this.#claim.granted.then(() => areReachable(this.#replay.origins, this.#host)));
    const isReady = await ready;
    if (!isReady && this.#ready === ready) this.#ready = undefined;
    return isReady;
  }

  /** What comes asks the archive first, and its origin a port before that, unless its server is out of reach. */
  #await(url: string): void {
    this.#came();
    const before = this.#replay.counts();
    const losing = setTimeout(() => {
      void Promise.all([before, this.#replay.counts()]).then(([then, now]) => {
        if (this.#losing !== losing || now.gets > then.gets || !this.shown) return;
        this.#moved(url);
        this.#show({ ...this.shown, url, title: "", document: undefined, resources: [], isLost: true, isLoading: false });
      }, () => undefined);
    }, LOST_MS);
    this.#losing = losing;
  }

  #came(): void {
    clearTimeout(this.#losing);
    this.#losing = undefined;
  }

  #leave(): Promise<void> {
    return new Promise((resolve) => {
      this.#frame.addEventListener("load", () => resolve(), { once: true });
      this.#frame.contentWindow?.location.replace("about:blank");
    });
  }

  #enter(visit: Visit): void {
    this.#visits = [...this.#visits.slice(0, this.#at + 1), visit].slice(-VISITS_MAX);
    this.#at = this.#visits.length - 1;
  }

  #show(shown: Shown): void {
    this.shown = shown;
    this.#onChange();
  }

  #note(entries: readonly Entry[]): void {
    const { shown } = this;
    if (!shown) return;
    this.#since.push(...entries.slice(0, RESOURCES_MAX - this.#since.length));
    if (!shown.document) this.#begin(this.#since.find(isDocument));
    else this.#show({ ...shown, resources: distinct([...shown.resources, ...entries]) });
  }

  /** A document is there: what was asked for, or what a link led to. */
  #begin(document: Entry | undefined): void {
    const { shown } = this;
    if (!document || !shown) return;
    if (shown.document) this.#moved(document.url);
    const canHandPorts = (this.#replay.hasScripts && document.row !== undefined && document.trouble === undefined) || this.#replay.origins.mode === "same";
    this.#stand(canHandPorts ? "" : new URL(document.address).origin);
    this.#came();
    this.#since = this.#since.filter(({ number }) => number > document.number);
    this.#show({ url: document.url, title: "", document, resources: distinct(this.#since), blocked: 0, isLoading: true, isLost: false });
  }

  #stand(origin: string): void {
    if ((this.#standing?.origin ?? "") === origin) return;
    this.#standing?.frame.remove();
    this.#standing = undefined;
    if (origin === "") return;
    const frame = this.#host.ownerDocument.createElement("iframe");
    frame.hidden = true;
    frame.setAttribute("sandbox", sandboxOf(this.#replay.origins.mode));
    frame.src = `${origin}/.wa/boot?${this.#replay.origins.salt}`;
    this.#host.append(frame as never);
    this.#standing = { origin, frame };
  }

  /** Where scripts do not run, no page says which of the documents is its own: the first since the last one was loaded. */
  #loaded(): void {
    const { shown } = this;
    // It may be the boot page.
    if (!shown?.document) return;
    if (!shown.isLoading) this.#begin(this.#since.find(isDocument));
    this.#since = [];
    if (this.shown) this.#show({ ...this.shown, isLoading: false });
  }

  /** A document says where it is: it is new there, or went somewhere within itself. */
  #told(url: string, title: string): void {
    const page = withoutFragment(url);
    const document = this.#since.findLast((entry) => isDocument(entry) && withoutFragment(entry.url) === page);
    if (document && document.number !== this.shown?.document?.number) this.#begin(document);
    const { shown } = this;
    // Its host it cannot change, whatever it says.
    if (shown?.document && hostOf(url) === hostOf(shown.document.url)) this.#show({ ...shown, url, title });
  }

  #moved(url: string): void {
    const [before, here, after] = [this.#visits[this.#at - 1], this.#visits[this.#at], this.#visits[this.#at + 1]];
    if (here?.url === url) return;
    if (before?.url === url) this.#at -= 1;
    else if (after?.url === url) this.#at += 1;
    else this.#enter({ url, wanted: here?.wanted });
  }

  #hear(event: MessageEvent): void {
    const said = event.data as { wa?: unknown; title?: unknown; url?: unknown; count?: unknown; at?: unknown } | null;
    // Chromium does not say who sent the last word of a page that is gone.
    const isIt = event.source === null ? said?.wa === "left" : event.source === (this.#frame.contentWindow as unknown);
    const isOurs = isIt && labelOf(this.#replay.origins, event.origin) !== undefined;
    const { shown } = this;
    if (!isOurs || !shown || typeof said !== "object" || said === null) return;
    const title = typeof said.title === "string" ? said.title.slice(0, TITLE_LETTERS_MAX) : shown.title;
    const url = typeof said.url === "string" ? said.url.slice(0, URL_LETTERS_MAX) : "";
    if (said.wa === "port") this.#came();
    else if (said.wa === "left" && this.#losing === undefined && /^https?:/.test(url)) this.#await(url);
    else if (said.wa === "nav") this.#told(url, title);
    else if (said.wa === "title") this.#show({ ...shown, title });
    else if (said.wa === "marks" && isCount(said.count) && isCount(said.at)) this.#show({ ...shown, marks: { count: said.count, at: said.at } });
    else if (said.wa === "blocked") this.#show({ ...shown, blocked: shown.blocked + 1 });
    // There are no further windows: what a page opens takes its place.
    else if (said.wa === "open") void this.go(url, this.visit?.wanted);
  }
}

/** What is asked for again is listed once. */
const distinct = (entries: readonly Entry[]): Entry[] =>
  [...new Map(entries.map((entry) => [`${entry.row ?? ""} ${entry.url}`, entry])).values()].slice(0, RESOURCES_MAX);

const isCount = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0;

const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

const isDocument = ({ isNavigation, status }: Entry): boolean => isNavigation && !(status !== undefined && status >= 300 && status < 400);
