/** The worker that replays, and calls to it. It can be started before the archive is open that it is to replay. */

import type { ArchiveLine, RecordRow } from "../lib/index.js";
import type { BridgeCounts } from "./bridge.js";
import type { Entry } from "./journal.js";
import type { Origins } from "./origins.js";

export type ToWorker =
  /** Where archived URLs are replayed; the answers wait for an archive. */
  | { readonly call: "ready"; readonly origins: Origins }
  | { readonly call: "open"; readonly line: ArchiveLine }
  /** The label of the origin that it is for; "" where archived sites share one. */
  | { readonly call: "attach"; readonly port: MessagePort; readonly label: string }
  /** A page of that origin, or of that host where they share one, set a cookie: the next one reads it. */
  | { readonly call: "cookie"; readonly label: string; readonly host: string; readonly cookie: string }
  /** A page made an address of a host that the label does not tell. */
  | { readonly call: "host"; readonly host: string }
  | { readonly call: "address"; readonly url: string }
  | { readonly call: "visit"; readonly url: string; readonly captured: number | undefined }
  | { readonly call: "captures"; readonly url: string }
  | { readonly call: "scripts"; readonly isOn: boolean }
  | { readonly call: "counts" };

export type FromWorker =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly entries: readonly Entry[] };

export interface Answers {
  readonly ready: null;
  readonly open: null;
  readonly attach: null;
  readonly cookie: null;
  readonly host: null;
  readonly address: string | null;
  readonly visit: string | null;
  readonly captures: RecordRow[];
  readonly scripts: null;
  readonly counts: BridgeCounts;
}

export class Replayer {
  readonly origins: Origins;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Set<(entries: readonly Entry[]) => void>();
  #lastId = 0;

  constructor(origins: Origins, workerUrl?: string | URL) {
    this.origins = origins;
    this.#worker = workerUrl ? new Worker(workerUrl, { type: "module" }) : new Worker(new URL("./replayer.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>): void => this.#hear(data);
    this.#worker.onerror = (): void => this.#fail(new Error("The worker that replays did not start."));
    // What fails here is told by what is asked next.
    this.call({ call: "ready", origins }).catch(() => {});
  }

  /** Where an archived URL is replayed; null where it is none that can be in an archive of the web. */
  async address(url: string): Promise<string | null> {
    return this.call({ call: "address", url });
  }

  async open(line: ArchiveLine): Promise<void> {
    await this.call({ call: "open", line }, [line.port, line.ending]);
  }

  call<Message extends ToWorker>(message: Message, transfer: Transferable[] = []): Promise<Answers[Message["call"]]> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id }, transfer);
    });
  }

  /** Told how requests of archived pages were answered. Returns how to stop that. */
  onEntries(listener: (entries: readonly Entry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#worker.terminate();
    this.#fail(new Error("The replay has ended."));
  }

  #hear(message: FromWorker): void {
    if ("entries" in message) {
      for (const listener of [...this.#listeners]) listener(message.entries);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value as never);
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
