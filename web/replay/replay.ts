/**
 * Replay as a page of the viewer sees it: a worker that holds the archive and the ports, and the addresses to frame.
 * This thread looks at the origin of who hands over a port, and passes the port on; it never sees what goes over it.
 */

import type { BridgeCounts } from "./bridge.js";
import type { PortMessage } from "./messages.js";

export { FRAME_SANDBOX } from "./policy.js";

export type ToWorker =
  | { readonly call: "open"; readonly source: Blob | string; readonly scheme: string; readonly domain: string; readonly salt: string }
  | { readonly call: "attach"; readonly port: MessagePort; readonly label: string }
  | { readonly call: "locate"; readonly url: string }
  | { readonly call: "counts" };

export type FromWorker = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

export interface ReplayOptions {
  /** The secret of the collection, as `newSalt` makes it; the same one means the same origins with their storage. */
  readonly salt: string;
  /** What replay origins are directly under; the viewer's own host by default. */
  readonly scheme?: string;
  readonly domain?: string;
  readonly workerUrl?: string | URL;
}

const SALT_LETTERS = 6;

/** Unguessable by archived pages, so that no page can name an origin of another collection. */
export function newSalt(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return Array.from(crypto.getRandomValues(new Uint8Array(SALT_LETTERS)), (byte) => letters[byte & 31]).join("");
}

export class Replay {
  readonly #worker: Worker;
  readonly #suffix: string;
  readonly #origin: { readonly scheme: string; readonly domain: string };
  readonly #salt: string;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  readonly #onMessage: (event: MessageEvent) => void;
  readonly #onLeave = (): void => this.#sayBye();
  /** Pipes learn from these that this page goes; its worker could not tell them any more. */
  #living: MessagePort[] = [];
  #lastId = 0;

  private constructor({ salt, scheme = location.protocol.slice(0, -1), domain = location.host, workerUrl }: ReplayOptions) {
    this.#salt = salt;
    this.#origin = { scheme, domain };
    this.#suffix = `-${salt}.${domain}`;
    this.#worker = workerUrl
      ? new Worker(workerUrl, { type: "module" })
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>): void => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("error" in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.value);
    };
    this.#onMessage = (event) => this.#take(event);
    addEventListener("message", this.#onMessage);
    addEventListener("pagehide", this.#onLeave);
  }

  /** Opens an archive for replay; resolves when all of it can be replayed. */
  static async open(source: Blob | string, options: ReplayOptions): Promise<Replay> {
    const replay = new Replay(options);
    const { salt } = options;
    const absolute = typeof source === "string" ? new URL(source, location.href).href : source;
    await replay.#call({ call: "open", source: absolute, salt, ...replay.#origin });
    return replay;
  }

  /** Where an archived URL is replayed: the address for a frame with `FRAME_SANDBOX`. */
  async locate(url: string): Promise<string | null> {
    return (await this.#call({ call: "locate", url })) as string | null;
  }

  async counts(): Promise<BridgeCounts> {
    return (await this.#call({ call: "counts" })) as BridgeCounts;
  }

  close(): void {
    removeEventListener("message", this.#onMessage);
    removeEventListener("pagehide", this.#onLeave);
    this.#sayBye();
    this.#worker.terminate();
  }

  #sayBye(): void {
    for (const port of this.#living) port.postMessage({ wa: "bye" });
    this.#living = [];
  }

  #take(event: MessageEvent): void {
    const port = event.ports[0];
    if ((event.data as PortMessage | null)?.wa !== "port" || !port) return;
    const { scheme } = this.#origin;
    const isOurs = event.origin.startsWith(`${scheme}://`) && event.origin.endsWith(this.#suffix);
    if (!isOurs) return;
    const label = event.origin.slice(`${scheme}://`.length, event.origin.length - this.#suffix.length) + `-${this.#salt}`;
    if (label.includes(".")) return;
    void this.#call({ call: "attach", port, label }, [port]);
    if (event.ports[1]) this.#living.push(event.ports[1]);
  }

  #call(message: ToWorker, transfer: Transferable[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id }, transfer);
    });
  }
}
