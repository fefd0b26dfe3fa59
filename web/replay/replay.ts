/**
 * Replay as a page of the viewer sees it: a worker that reads the archive and holds the ports, and the addresses to frame.
 * This thread looks at the origin of who hands over a port, and passes the port on; it never sees what goes over it.
 */

import type { Archive, ArchiveLine, RecordRow } from "../lib/index.js";
import type { BridgeCounts } from "./bridge.js";
import type { Entry } from "./journal.js";
import { labelOf, type Origins } from "./origins.js";
import { startInert } from "./reachable.js";

export type ToWorker =
  | { readonly call: "open"; readonly line: ArchiveLine; readonly origins: Origins }
  /** The label of the origin that it is for; "" where archived sites share one. */
  | { readonly call: "attach"; readonly port: MessagePort; readonly label: string }
  /** A page of that origin, or of that host where they share one, set a cookie: the next one reads it. */
  | { readonly call: "cookie"; readonly label: string; readonly host: string; readonly cookie: string }
  /** A page made an address of a host that the label does not tell. */
  | { readonly call: "host"; readonly host: string }
  | { readonly call: "visit"; readonly url: string; readonly captured: number | undefined }
  | { readonly call: "captures"; readonly url: string }
  | { readonly call: "scripts"; readonly isOn: boolean }
  | { readonly call: "counts" };

export type FromWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly entries: readonly Entry[] };

/** Longer ones are none. */
const HOST_LETTERS_MAX = 300;

export interface ReplayOptions {
  /** The same salt means the same origins, with their storage. */
  readonly origins: Origins;
  readonly workerUrl?: string | URL | undefined;
}

export class Replay {
  readonly archive: Archive;
  readonly origins: Origins;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Set<(entries: readonly Entry[]) => void>();
  readonly #onMessage = (event: MessageEvent): void => this.#take(event);
  readonly #onLeave = (): void => this.#sayBye();
  readonly #offArchive: () => void;
  /** Pipes learn from these that this page goes; its worker could not tell them any more. */
  #living: MessagePort[] = [];
  #lastId = 0;
  #hasScripts: boolean;
  #offInert = (): void => {};

  private constructor(archive: Archive, { origins, workerUrl }: ReplayOptions) {
    this.archive = archive;
    this.origins = origins;
    this.#hasScripts = origins.mode !== "same";
    this.#worker = workerUrl
      ? new Worker(workerUrl, { type: "module" })
      : new Worker(new URL("./replayer.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>): void => this.#hear(data);
    this.#worker.onerror = (): void => this.#fail(new Error("The worker that replays did not start."));
    addEventListener("message", this.#onMessage);
    addEventListener("pagehide", this.#onLeave);
    this.#offArchive = archive.onClose(() => this.close());
  }

  /** Replays an open archive, one that is still being read too: what is read by then. Ends when the archive is closed. */
  static async over(archive: Archive, options: ReplayOptions): Promise<Replay> {
    const line = await archive.connect();
    const replay = new Replay(archive, options);
    try {
      await replay.#call({ call: "open", line, origins: replay.origins }, [line.port, line.ending]);
      if (replay.origins.mode === "same") await replay.#serveInert();
      return replay;
    } catch (error) {
      replay.close();
      throw error;
    }
  }

  /** Where an archived URL is replayed; pages are looked for around `captured` from now on, in milliseconds since 1970. */
  async visit(url: string, captured?: number): Promise<string | null> {
    return (await this.#call({ call: "visit", url, captured })) as string | null;
  }

  /** Captures of a URL, but for its scheme and "www.", in the order of time; of very many the first ones. */
  async captures(url: string): Promise<RecordRow[]> {
    return (await this.#call({ call: "captures", url })) as RecordRow[];
  }

  get hasScripts(): boolean {
    return this.#hasScripts;
  }

  /** Whether scripts of archived pages run in documents that are loaded from now on. */
  async setScripts(isOn: boolean): Promise<void> {
    // Below the viewer's own address they never do.
    if (isOn && this.origins.mode === "same") return;
    this.#hasScripts = isOn;
    await this.#call({ call: "scripts", isOn });
  }

  /** Told how requests of archived pages were answered. Returns how to stop that. */
  onEntries(listener: (entries: readonly Entry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async counts(): Promise<BridgeCounts> {
    return (await this.#call({ call: "counts" })) as BridgeCounts;
  }

  close(): void {
    this.#offArchive();
    removeEventListener("message", this.#onMessage);
    removeEventListener("pagehide", this.#onLeave);
    this.#offInert();
    this.#sayBye();
    this.#worker.terminate();
    this.#fail(new Error("The replay has ended."));
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
    if (said.wa === "host") this.#call({ call: "host", host }).catch(() => undefined);
    if (said.wa === "cookie" && typeof said.cookie === "string") this.#call({ call: "cookie", label, host, cookie: said.cookie }).catch(() => undefined);
    if (!isPort) return;
    this.#call({ call: "attach", port, label }, [port]).catch(() => undefined);
    if (event.ports[1]) this.#living.push(event.ports[1]);
  }

  /** Pages without scripts hand over nothing: this one does, whenever the service worker asks. */
  async #serveInert(): Promise<void> {
    const pipe = await startInert(this.origins);
    const { salt } = this.origins;
    const hand = (to: MessageEventSource | ServiceWorker | null): void => {
      const asking = new MessageChannel();
      const living = new MessageChannel();
      this.#call({ call: "attach", port: asking.port1, label: "" }, [asking.port1]).catch(() => undefined);
      this.#living.push(living.port1);
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

  #hear(message: FromWorker): void {
    if ("entries" in message) {
      for (const listener of [...this.#listeners]) listener(message.entries);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #call(message: ToWorker, transfer: Transferable[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id }, transfer);
    });
  }
}
