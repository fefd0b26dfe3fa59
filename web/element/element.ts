/**
 * `<stackroom-viewer src="site.wacz" url="https://example.org/" ts="20140503">`: an archived page in a page of somebody
 * else, in browsers, `stackroom/element`. It opens the archive, replays the page, and tells what it shows by events:
 *
 *   stackroom-open    the archive is open: `archive`
 *   stackroom-change  something else is shown: `shown`
 *   stackroom-error   it could not be: `detail` is the error
 *
 * The library is fetched when the first element is there. Where archived pages may live the attribute `replay` says, as
 * JSON of what `replay()` of `stackroom/replay` takes.
 */

import type { Archive } from "../lib/index.js";
import type { ReplayFrame, ReplaySetting, Shown } from "../replay/index.js";

const STYLE = ":host{display:block;block-size:32rem}:host([hidden]){display:none}iframe{inline-size:100%;block-size:100%;border:0;background:#fff;color-scheme:light}iframe[hidden]{display:none}";
/** Rows in which a page is looked for where none is named. */
const LOOKED_AT = 2_000;

export class StackroomViewer extends HTMLElement {
  static readonly observedAttributes = ["src", "url", "ts", "replay"];
  readonly #root = this.attachShadow({ mode: "open" });
  #archive: Archive | undefined;
  #frame: ReplayFrame | undefined;
  /** Changes when what is under way is of no use any more. */
  #turn = 0;

  constructor() {
    super();
    this.#root.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
  }

  get archive(): Archive | undefined {
    return this.#archive;
  }

  get shown(): Shown | undefined {
    return this.#frame?.shown;
  }

  /** After links were followed. */
  async back(): Promise<void> {
    await this.#frame?.back();
  }

  async forward(): Promise<void> {
    await this.#frame?.forward();
  }

  async reload(): Promise<void> {
    await this.#frame?.reload();
  }

  connectedCallback(): void {
    this.#begin();
  }

  disconnectedCallback(): void {
    this.#end();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.isConnected || before === after) return;
    if (name === "src" || name === "replay" || !this.#frame) this.#begin();
    else this.#attempt(async () => void (await this.#frame?.go(this.getAttribute("url") ?? "", timeOf(this.getAttribute("ts")))));
  }

  #end(): void {
    this.#turn += 1;
    this.#frame?.close();
    this.#frame = undefined;
    void this.#archive?.close();
    this.#archive = undefined;
  }

  #begin(): void {
    this.#end();
    const src = this.getAttribute("src");
    if (src === null || src === "") return;
    const turn = this.#turn;
    // Attributes that are set one after another are one wish.
    queueMicrotask(() => turn === this.#turn && this.#attempt(() => this.#open(new URL(src, this.baseURI), turn)));
  }

  async #open(src: URL, turn: number): Promise<void> {
    const [{ openArchive }, { replay }] = await Promise.all([import("../lib/index.js"), import("../replay/index.js")]);
    const archive = await openArchive(src);
    if (turn !== this.#turn) return void (await archive.close());
    this.#archive = archive;
    this.#tell("stackroom-open");
    const url = this.getAttribute("url") ?? (await firstPage(archive));
    if (turn !== this.#turn) return;
    if (url === undefined) throw new Error("The archive has no page to begin with: name one by the attribute url.");
    const setting = this.getAttribute("replay");
    const frame = await replay(archive, this.#root as never, {
      url,
      captured: timeOf(this.getAttribute("ts")),
      title: this.getAttribute("title") ?? undefined,
      onChange: () => turn === this.#turn && this.#tell("stackroom-change"),
      ...(setting !== null && { replay: JSON.parse(setting) as ReplaySetting | ReplaySetting[] }),
    });
    if (turn !== this.#turn) return frame.close();
    this.#frame = frame;
    this.#tell("stackroom-change");
  }

  #attempt(work: () => Promise<void>): void {
    const turn = this.#turn;
    work().catch((error: unknown) => turn === this.#turn && this.#tell("stackroom-error", error));
  }

  #tell(name: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

async function firstPage(archive: Archive): Promise<string | undefined> {
  for (const row of await archive.rows(0, LOOKED_AT)) {
    if (row.status === 200 && row.mime === "text/html" && row.type !== "request") return row.url;
  }
  return undefined;
}

/** 4 to 14 digits, as archives write times: year, month, day, hour, minute, second. */
function timeOf(ts: string | null): number | undefined {
  const digits = (ts ?? "").replace(/\D/g, "");
  if (digits.length < 4) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [digits.slice(0, 4), ...(digits.slice(4).match(/\d\d/g) ?? [])].map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

if (!customElements.get("stackroom-viewer")) customElements.define("stackroom-viewer", StackroomViewer);

declare global {
  interface HTMLElementTagNameMap {
    "stackroom-viewer": StackroomViewer;
  }
}
