/**
 * Replay as a page of the viewer sees it: a worker that reads the archive and holds the ports, and the addresses to frame.
 * This thread looks at the origin of who hands over a port, and passes the port on; it never sees what goes over it.
 */

import type { Archive, RecordRow } from "../lib/index.js";
import type { BridgeCounts } from "./bridge.js";
import { Replayer } from "./calls.js";
import type { Entry } from "./journal.js";
import { labelOf, type Origins } from "./origins.js";
import { startInert } from "./reachable.js";

/** Pipes that are told when this page goes; a page can hand over any number. */
const LIVING_MAX = 512;
/** Longer ones are none. */
const HOST_LETTERS_MAX = 300;

export interface ReplayOptions {
  /** The same salt means the same origins, with their storage. */
  readonly origins: Origins;
  readonly workerUrl?: string | URL | undefined;
  /** One that was started before, at these origins: it is this replay's from then on. */
  readonly replayer?: Replayer | undefined;
}

export class Replay {
  readonly archive: Archive;
  readonly origins: Origins;
  readonly #replayer: Replayer;
  readonly #onMessage = (event: MessageEvent): void => this.#take(event);
  readonly #onLeave = (): void => this.#sayBye();
  readonly #offArchive: () => void;
  /** Pipes learn from these that this page goes; its worker could not tell them any more. */
  #living: MessagePort[] = [];
  #hasScripts: boolean;
  #offInert = (): void => {};

  private constructor(archive: Archive, { origins, workerUrl, replayer = new Replayer(origins, workerUrl) }: ReplayOptions) {
    this.archive = archive;
    this.origins = origins;
    this.#hasScripts = origins.mode !== "same";
    this.#replayer = replayer;
    addEventListener("message", this.#onMessage);
    addEventListener("pagehide", this.#onLeave);
    this.#offArchive = archive.onClose(() => this.close());
  }

  /** Replays an open archive, one that is still being read too: what is read by then. Ends when the archive is closed. */
  static async over(archive: Archive, options: ReplayOptions): Promise<Replay> {
    const replay = new Replay(archive, options);
    try {
      await replay.#replayer.open(await archive.connect());
      if (replay.origins.mode === "same") await replay.#serveInert();
      return replay;
    } catch (error) {
      replay.close();
      throw error;
    }
  }

  /** Where an archived URL is replayed; pages are looked for around `captured` from now on, in milliseconds since 1970. */
  async visit(url: string, captured?: number): Promise<string | null> {
    return this.#replayer.call({ call: "visit", url, captured });
  }

  /** Captures of a URL, but for its scheme and "www.", in the order of time; of very many the first ones. */
  async captures(url: string): Promise<RecordRow[]> {
    return this.#replayer.call({ call: "captures", url });
  }

  get hasScripts(): boolean {
    return this.#hasScripts;
  }

  /** Whether scripts of archived pages run in documents that are loaded from now on. */
  async setScripts(isOn: boolean): Promise<void> {
    // Below the viewer's own address they never do.
    if (isOn && this.origins.mode === "same") return;
    this.#hasScripts = isOn;
    await this.#replayer.call({ call: "scripts", isOn });
  }

  /** Told how requests of archived pages were answered. Returns how to stop that. */
  onEntries(listener: (entries: readonly Entry[]) => void): () => void {
    return this.#replayer.onEntries(listener);
  }

  async counts(): Promise<BridgeCounts> {
    return this.#replayer.call({ call: "counts" });
  }

  close(): void {
    this.#offArchive();
    removeEventListener("message", this.#onMessage);
    removeEventListener("pagehide", this.#onLeave);
    this.#offInert();
    this.#sayBye();
    this.#replayer.close();
  }

  #sayBye(): void {
    for (const port of this.#living) port.postMessage({ wa: "bye" });
    this.#living = [];
  }

  #take(event: MessageEvent): void {
    const port = event.ports[0];
    const said = event.data as { wa?: unknown; cookie?: unknown; host?: unknown } | null;
    const isPort = said?.wa === "port" && port !== undefined;
    const isWord = said?.wa === "cookie" || said?.wa === "host";
    if ((!isPort && !isWord) || this.origins.mode === "same") return;
    const label = labelOf(this.origins, event.origin);
    if (label === undefined) return;
    const host = typeof said.host === "string" ? said.host.slice(0, HOST_LETTERS_MAX) : "";
    if (said.wa === "host") this.#replayer.call({ call: "host", host }).catch(() => undefined);
    if (said.wa === "cookie" && typeof said.cookie === "string") this.#replayer.call({ call: "cookie", label, host, cookie: said.cookie }).catch(() => undefined);
    if (!isPort) return;
    this.#replayer.call({ call: "attach", port, label }, [port]).catch(() => undefined);
    if (event.ports[1]) this.#keep(event.ports[1]);
  }

  #keep(living: MessagePort): void {
    this.#living.push(living);
    if (this.#living.length > LIVING_MAX) this.#living.shift()?.close();
  }

  /** Pages without scripts hand over nothing: this one does, whenever the service worker asks. */
  async #serveInert(): Promise<void> {
    const pipe = await startInert(this.origins);
    const { salt } = this.origins;
    const hand = (to: MessageEventSource | ServiceWorker | null): void => {
      const asking = new MessageChannel();
      const living = new MessageChannel();
      this.#replayer.call({ call: "attach", port: asking.port1, label: "" }, [asking.port1]).catch(() => undefined);
      this.#keep(living.port1);
      to?.postMessage({ wa: "port", salt }, { transfer: [asking.port2, living.port2] });
    };
    const onAsked = (event: MessageEvent): void => {
      const said = event.data as { wa?: unknown; salt?: unknown } | null;
      if (said?.wa === "need-port" && said.salt === salt) hand(event.source);
    };
    navigator.serviceWorker.addEventListener("message", onAsked);
    navigator.serviceWorker.startMessages();
    this.#offInert = () => navigator.serviceWorker.removeEventListener("message", onAsked);
    hand(pipe);
  }
}
