/** An archived page as it was: where one is and when, the ways from there, what it loaded, and the frame that it lives in. */
import { LitElement, html, nothing, type TemplateResult } from "lit";
import type { Archive, RecordRow } from "stackroom";
import { ReplayFrame, type Replay, type ReplaySetting } from "stackroom/replay";

import { timeOf } from "../address.js";
import { visible } from "../content/visible.js";
import { formatCaptured, formatCount } from "../format.js";
import { arrived } from "../parts.js";
import type { Opened } from "../search/bar.js";
import type { Address, Store } from "../state.js";
import { icons as common } from "../views/icons.js";
import "../views/menu.js";
import { base, controls, messages } from "../views/styles.js";
import { Watch } from "../watch.js";
import { drift } from "./drift.js";
import { icons } from "./icons.js";
import { link } from "./link.js";
import "./resources.js";
import { replayOf, settle, wayOfReplay } from "./stage.js";
import { stillOf, type Still } from "./still.js";
import { styles } from "./styles.js";
import { words } from "./words.js";

/** From which on the time of a resource is told beside that of its page. */
const DRIFT_MS = 86_400_000;
/** How long scripts of a page have to draw what is looked for. */
const drawnMs = 1_500;

type Phase = "preparing" | "there" | "still" | "failed";

export class ReplayView extends LitElement {
  static override properties = { store: { attribute: false }, isWide: { attribute: false }, phase: { state: true }, captures: { state: true }, isListing: { state: true }, hasScripts: { state: true }, way: { state: true }, isStill: { state: true }, still: { state: true } };
  static override styles = [base, controls, messages, styles];
  declare store: Store;
  declare isWide: boolean;
  declare phase: Phase;
  /** Of the page that is shown, in the order of time. */
  declare captures: readonly RecordRow[];
  declare isListing: boolean;
  declare hasScripts: boolean;
  declare way: ReplaySetting["mode"];
  /** A still view was chosen. */
  declare isStill: boolean;
  declare still: Still | undefined;
  #marked: Opened | undefined;
  /** The phrase that was searched for is in no one piece of the page, its words are. */
  #isByWords = false;
  #archive: Archive | undefined;
  #address: Address | undefined;
  /** What a still view was asked for last. */
  #stillFor: Address | undefined;
  #replay: Replay | undefined;
  #frame: ReplayFrame | undefined;
  /** The address of which the captures are known. */
  #ofUrl = "";
  /** A still view stands in for what cannot be reached. */
  #isStillUntil = false;

  constructor() {
    super();
    this.phase = "preparing";
    this.captures = [];
    this.isListing = false;
    this.hasScripts = true;
    this.way = "wildcard";
    this.isStill = false;
    new Watch(this, "record", "library");
  }

  /** The first thing that the keyboard reaches. */
  focusTabs(): void {
    this.renderRoot.querySelector<HTMLElement>("input")?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#end();
    link(undefined);
  }

  #end(): void {
    this.#frame?.close();
    this.#frame = undefined;
    this.#replay = undefined;
    this.#archive = undefined;
    this.#address = undefined;
    this.#stillFor = undefined;
  }

  override updated(): void {
    const { archive, replaying } = this.store;
    if (archive === undefined || replaying === undefined || (archive === this.#archive && replaying === this.#address)) return;
    if (archive !== this.#archive) {
      this.#end();
      this.#archive = archive;
    }
    this.#address = replaying;
    void this.#show(archive, replaying);
  }

  async #show(archive: Archive, address: Address): Promise<void> {
    try {
      const { mode } = await wayOfReplay();
      const replay = await replayOf(archive, this.store.source);
      if (archive !== this.#archive || address !== this.#address) return;
      this.way = mode;
      if (replay === null) {
        await this.#showStill(archive, address);
        return;
      }
      this.#replay = replay;
      this.hasScripts = replay.hasScripts;
      this.phase = "there";
      await this.updateComplete;
      const host = this.renderRoot.querySelector<HTMLElement>(".page");
      if (host === null) return;
      this.#frame ??= new ReplayFrame(replay, host, { title: words.frame, onChange: () => this.#changed() });
      if (!(await this.#frame.go(address.url, address.captured))) this.store.say(words.badAddress);
    } catch {
      if (archive === this.#archive) this.phase = "failed";
    }
  }

  async #showStill(archive: Archive, address: Address): Promise<void> {
    this.#stillFor = address;
    let still = await stillOf(archive, address.url, address.captured);
    // What is still being read may have it yet.
    if (still === undefined && !archive.progress.isDone) {
      await archive.indexed;
      still = await stillOf(archive, address.url, address.captured);
    }
    if (archive !== this.#archive || address !== this.#stillFor) return;
    this.still = still;
    this.phase = "still";
    link({ url: still?.row.url ?? address.url, captured: still?.row.captured ?? address.captured });
  }

  #changed(): void {
    const shown = this.#frame?.shown;
    this.requestUpdate();
    if (!shown?.document || this.#frame?.isTaken === true) return;
    settle(shown.isLoading);
    if (this.#isStillUntil) this.isStill = this.#isStillUntil = false;
    this.#markHit();
    link({ url: shown.url, captured: shown.document.captured });
    if (shown.url === this.#ofUrl) return;
    this.#ofUrl = shown.url;
    this.captures = [];
    void this.#replay?.captures(shown.url).then((rows) => {
      // Redirects are steps on the way to a page, and none of its states.
      if (this.#ofUrl === shown.url) this.captures = rows.filter(({ status = 200 }) => status < 300 || status > 399);
    }, () => undefined);
  }

  /** The hit whose page is shown, where a search led here. */
  get #hit(): Opened | undefined {
    const opened = this.store.library?.searchBar.opened;
    return opened?.hit.record.row === this.#frame?.shown?.document?.row ? opened : undefined;
  }

  /** What was searched for is marked in its page once that is there, and once more when its scripts had time to draw it. */
  #markHit(): void {
    const hit = this.#hit;
    if (hit?.pattern === undefined || hit === this.#marked || this.#frame?.shown?.isLoading !== false) return;
    this.#marked = hit;
    this.#isByWords = false;
    this.#frame.mark(hit.pattern);
    window.setTimeout(() => {
      if (this.#hit !== hit || (this.#frame?.shown?.marks?.count ?? 0) > 0) return;
      this.#isByWords = hit.words !== undefined;
      this.#mark(0);
    }, drawnMs);
  }

  #mark(at: number): void {
    const { pattern, words } = this.#hit ?? {};
    const wanted = this.#isByWords ? words : pattern;
    if (wanted !== undefined) this.#frame?.mark(wanted, at);
  }

  override render(): TemplateResult {
    const { phase } = this;
    return html`
      <section aria-label=${words.region} @keydown=${this.#onKey}>
        ${this.#bar()}
        ${phase === "there" ? this.#banner() : phase === "still" ? this.#stillBanner() : nothing}
        ${phase === "there" ? html`<div class="page" ?hidden=${this.isStill || this.#frame?.isTaken === true || this.#frame?.shown?.isLost === true}></div>` : nothing}
        ${this.#frame?.isTaken === true ? this.#taken() : this.#frame?.shown?.isLost === true && !this.isStill ? this.#lost() : phase === "still" || this.isStill ? this.#stillPage() : phase === "there" ? nothing : this.#message(phase)}
        ${phase === "there" && this.isListing ? html`<stackroom-resources .shown=${this.#frame?.shown} .store=${this.store}></stackroom-resources>` : nothing}
      </section>
    `;
  }

  #bar(): TemplateResult {
    const frame = this.#frame;
    const url = frame?.shown?.url ?? this.#stillFor?.url ?? this.store.replaying?.url ?? "";
    const when = formatCaptured(frame?.shown?.document?.captured ?? frame?.visit?.wanted ?? (this.#stillFor ?? this.store.replaying)?.captured);
    return html`
      <div class="bar">
        <button class="quiet icon" title=${words.back} aria-label=${words.back} ?disabled=${frame?.canGoBack !== true} @click=${() => void frame?.back()}>${common.back}</button>
        <button class="quiet icon" title=${words.forward} aria-label=${words.forward} ?disabled=${frame?.canGoForward !== true} @click=${() => void frame?.forward()}>${icons.forward}</button>
        <button class="quiet icon" title=${words.reload} aria-label=${words.reload} ?disabled=${frame?.shown === undefined} @click=${() => void frame?.reload()}>${icons.reload}</button>
        <form @submit=${this.#onSubmit}>
          <input name="url" type="text" inputmode="url" autocomplete="off" spellcheck="false" aria-label=${words.url} dir="ltr" .value=${url} />
          <input name="when" type="text" autocomplete="off" spellcheck="false" aria-label=${words.when} title=${words.when} .value=${when} />
          <button class="hidden" type="submit">${words.go}</button>
        </form>
        <button class="quiet icon wide" aria-pressed=${this.isWide ? "true" : "false"} title=${this.isWide ? words.narrow : words.wide} aria-label=${words.wide} @click=${() => this.#say("stackroom-wide")}>${icons.wide}</button>
        <stackroom-menu label=${words.more} .icon=${common.menu}>
          <button role="menuitem" ?disabled=${frame?.shown?.document?.row === undefined} @click=${() => void this.#viewRecord()}>${words.viewRecord}</button>
          <button role="menuitemcheckbox" aria-checked=${this.hasScripts ? "true" : "false"} ?disabled=${this.way === "same" || this.way === "none"} @click=${() => void this.#switchScripts()}>${words.scripts}<small>${words.scriptsHint}</small></button>
          <button role="menuitemcheckbox" aria-checked=${this.isStill || this.way === "none" ? "true" : "false"} ?disabled=${this.way === "none"} @click=${() => void this.#switchStill()}>${words.still}<small>${words.stillHint}</small></button>
        </stackroom-menu>
        <button class="quiet icon" title=${words.close} aria-label=${words.close} @click=${() => this.#say("stackroom-close-record")}>${common.close}</button>
      </div>
    `;
  }

  #banner(): TemplateResult {
    const shown = this.#frame?.shown;
    const document = shown?.document;
    const missing = shown?.resources.filter(({ row }) => row === undefined).length ?? 0;
    const unread = shown?.resources.filter(({ trouble }) => trouble !== undefined).length ?? 0;
    const facts = [
      ...(document?.isFuzzy === true ? [words.fuzzy] : []),
      ...(missing > 0 ? [words.missing(formatCount(missing), missing === 1)] : []),
      ...(unread > 0 ? [words.unread(formatCount(unread), unread === 1)] : []),
      ...this.#drifted(),
      ...(shown && shown.blocked > 0 ? [words.blocked(formatCount(shown.blocked), shown.blocked === 1)] : []),
      ...(this.hasScripts || this.way === "same" ? [] : [words.scriptsOff]),
    ];
    const count = shown?.resources.length ?? 0;
    return html`
      <div class="banner">
        <p role="status">${[this.#what(), ...facts].join(" \u00b7 ")}${shown?.title ? html` <span class="title">${visible(shown.title, 160)}</span>` : nothing}</p>
        ${this.#marks()} ${this.#captures(document?.row)}
        <button class="link" aria-expanded=${this.isListing ? "true" : "false"} @click=${() => (this.isListing = !this.isListing)}>${words.resources(formatCount(count), count === 1)}</button>
        ${this.#way()}
      </div>
    `;
  }

  #what(): string {
    const { isLost, document } = this.#frame?.shown ?? {};
    if (isLost === true) return words.notReached;
    if (document === undefined) return words.loading;
    if (document.row === undefined) return words.notArchived;
    if (document.trouble !== undefined) return words.notRead;
    const captured = formatCaptured(document.captured);
    return captured === "" ? words.undated : words.from(captured);
  }

  /** What was captured a day or more away from the page: together they show what never was. */
  #drifted(): readonly string[] {
    const { document, resources = [] } = this.#frame?.shown ?? {};
    const from = document?.captured;
    if (from === undefined) return [];
    const away = (captured: number | undefined): number => (captured === undefined ? 0 : Math.abs(captured - from));
    const others = resources.filter(({ captured }) => away(captured) >= DRIFT_MS);
    const farthest = others.reduce<number | undefined>((far, { captured }) => (away(captured) > away(far) ? captured : far), undefined);
    return others.length === 0 ? [] : [words.drifted(formatCount(others.length), others.length === 1, drift(farthest, from))];
  }

  /** How pages are shown here, unless they are as they should be. */
  #way(): TemplateResult | typeof nothing {
    if (this.way === "wildcard" && !this.isStill) return nothing;
    return html`<p class="way">${this.isStill && this.way !== "none" ? words.chosenStill : words.ways[this.way]}</p>`;
  }

  #stillBanner(): TemplateResult {
    const { still } = this;
    const captured = formatCaptured(still?.row.captured);
    const what = still === undefined ? words.notArchived : captured === "" ? words.undated : words.from(captured);
    const facts = still && still.left > 0 ? [words.left(formatCount(still.left), still.left === 1)] : [];
    return html`
      <div class="banner">
        <p role="status">${[what, ...facts].join(" \u00b7 ")}</p>
        <button class="link" @click=${() => void this.#openNearest()}>${words.record}</button>
        ${this.#way()}
      </div>
    `;
  }

  /** May do nothing at all: neither run, nor send, nor lead on, and its origin is no one's. */
  #stillPage(): TemplateResult | typeof nothing {
    return this.still === undefined ? nothing : html`<div class="page"><iframe title=${words.frame} sandbox="" referrerpolicy="no-referrer" .srcdoc=${this.still.html}></iframe></div>`;
  }

  #taken(): TemplateResult {
    return html`
      <div class="message" role="status">
        <strong>${words.taken}</strong>
        <span>${words.takenWhy}</span>
        <button @click=${() => this.#takeBack()}>${words.takeBack}</button>
      </div>
    `;
  }

  #lost(): TemplateResult {
    return html`
      <div class="message" role="status">
        <strong>${words.lost}</strong>
        <span>${words.lostWhy}</span>
        <button @click=${() => this.#standIn()}>${words.lostStill}</button>
        <button @click=${() => void this.#frame?.reload()}>${words.again}</button>
      </div>
    `;
  }

  #captures(row: number | undefined): TemplateResult | typeof nothing {
    const at = this.captures.findIndex((one) => one.row === row);
    const total = this.captures.length;
    if (at < 0 || total < 2) return nothing;
    return html`
      <span class="captures">
        <button class="quiet icon" title=${words.previous} aria-label=${words.previous} ?disabled=${at === 0} @click=${() => this.#capture(at - 1)}>${icons.earlier}</button>
        <span>${words.captureOf(formatCount(at + 1), formatCount(total))}</span>
        <button class="quiet icon" title=${words.next} aria-label=${words.next} ?disabled=${at === total - 1} @click=${() => this.#capture(at + 1)}>${icons.later}</button>
        <button class="link" @click=${() => this.#calendar(at)}>${words.calendar}</button>
      </span>
    `;
  }

  /** Where in the page is what was searched for; what it says is there as text, too. */
  #marks(): TemplateResult | typeof nothing {
    if (this.#hit?.pattern === undefined) return nothing;
    const { count = 0, at = 0 } = this.#frame?.shown?.marks ?? {};
    return html`
      <span class="captures" role="group" aria-label=${words.marks}>
        ${count === 0
          ? nothing
          : html`<span role="status">${words.markOf(formatCount(at + 1), formatCount(count))}</span>
              <button class="quiet icon" title=${words.previousMark} aria-label=${words.previousMark} @click=${() => this.#mark(at - 1)}>${icons.earlier}</button>
              <button class="quiet icon" title=${words.nextMark} aria-label=${words.nextMark} @click=${() => this.#mark(at + 1)}>${icons.later}</button>`}
        <button class="link" @click=${() => this.#say("stackroom-close-record")}>${words.asText}</button>
      </span>
    `;
  }

  #message(phase: Phase): TemplateResult {
    if (phase === "preparing") return html`<div class="message" role="status">${words.preparing}</div>`;
    return html`
      <div class="message" role="status">
        <strong>${words.failed}</strong>
        <button @click=${() => void this.#openNearest()}>${words.record}</button>
      </div>
    `;
  }

  // Ways from here

  #onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const typed = String(fields.get("url")).trim();
    const when = String(fields.get("when")).trim();
    const captured = timeOf(when.replace(/\D/g, ""));
    if (when !== "" && captured === undefined) this.store.say(words.badTime);
    else void this.#go(/^[a-z][a-z0-9+.-]*:/i.test(typed) ? typed : `https://${typed}`, captured);
  }

  async #go(url: string, captured: number | undefined): Promise<void> {
    const archive = this.#archive;
    this.isStill = false;
    if (this.way !== "none") {
      if ((await this.#frame?.go(url, captured)) === false) this.store.say(words.badAddress);
    } else if (archive !== undefined) {
      await this.#showStill(archive, { url, captured });
    }
  }

  #capture(at: number): void {
    const row = this.captures[at];
    if (row !== undefined) void this.#go(row.url, row.captured);
  }

  #calendar(at: number): void {
    void arrived(this.store, import("../library/calendar.js")).then((calendar) =>
      calendar?.showCalendar(this.store, this.captures, this.captures[at], (row) => void this.#go(row.url, row.captured)),
    );
  }

  async #viewRecord(): Promise<void> {
    const { archive } = this.store;
    const at = this.#frame?.shown?.document?.row;
    const [row] = at === undefined ? [] : ((await archive?.rows(at, 1)) ?? []);
    if (row !== undefined && archive === this.store.archive) this.store.openRecord(row);
  }

  /** What there is without replay. */
  async #openNearest(): Promise<void> {
    const { archive } = this.store;
    const replaying = this.#stillFor ?? this.store.replaying;
    const row = replaying && (await archive?.nearest(replaying.url, replaying.captured).catch(() => undefined));
    if (archive !== this.store.archive) return;
    if (row === undefined) this.store.say(words.notArchived);
    else this.store.openRecord(row);
  }

  async #switchScripts(): Promise<void> {
    this.hasScripts = !this.hasScripts;
    await this.#replay?.setScripts(this.hasScripts);
    await this.#frame?.reload();
  }

  async #switchStill(): Promise<void> {
    this.isStill = !this.isStill;
    this.still = undefined;
    const { archive } = this.store;
    const shown = this.#frame?.shown;
    if (!this.isStill || archive === undefined || shown === undefined) return;
    const still = await stillOf(archive, shown.url, shown.document?.captured ?? this.#frame?.visit?.wanted);
    if (this.isStill && archive === this.#archive) this.still = still;
  }

  #standIn(): void {
    this.#isStillUntil = true;
    void this.#switchStill();
  }

  #takeBack(): void {
    const { archive } = this.store;
    const address = this.#address;
    const last = this.#frame?.visit;
    this.#frame = undefined;
    if (archive !== undefined && address !== undefined) void this.#show(archive, address).then(() => last && this.#go(last.url, last.wanted));
  }

  #onKey(event: KeyboardEvent): void {
    const { marks } = this.#frame?.shown ?? {};
    const isTyping = event.composedPath()[0] instanceof HTMLInputElement;
    if ((event.key === "F3" || (event.key.toLowerCase() === "n" && !isTyping)) && !event.ctrlKey && !event.metaKey && !event.altKey && marks !== undefined) {
      event.preventDefault();
      this.#mark(marks.at + (event.shiftKey ? -1 : 1));
    }
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: () => this.#frame?.back(), ArrowRight: () => this.#frame?.forward() }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    void step();
  }

  #say(name: string): void {
    this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  }
}

customElements.define("stackroom-replay", ReplayView);
