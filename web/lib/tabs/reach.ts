/**
 * A tab's line to the broker. Where there is no SharedWorker, or it does not answer, there are no ports: `undefined`.
 */

import type { FromBroker, ToBroker } from "./words.js";

interface SharedWorkerLike {
  readonly port: MessagePort;
  onerror: ((event: Event) => void) | null;
}

declare const SharedWorker: (new (url: string | URL, options: { type: "module" }) => SharedWorkerLike) | undefined;

export class Broker {
  readonly #name: string;
  readonly #url: string | URL | undefined;
  readonly #waitMs: number;
  #port: MessagePort | undefined;
  #epoch = 0;
  readonly #asked = new Map<number, (port: MessagePort | undefined) => void>();
  #lastAsk = 0;
  #held: (epoch: number) => void = () => {};

  constructor(name: string, url: string | URL | undefined, waitMs: number) {
    this.#name = name;
    this.#url = url;
    this.#waitMs = waitMs;
  }

  /** Makes this tab's worker the owner that others are linked to. Resolves when the broker has it, or will not. */
  async offer(epoch: number, trunk: MessagePort): Promise<void> {
    const port = this.#connected(epoch);
    if (!port) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#drop(port);
        resolve();
      }, this.#waitMs);
      this.#held = (which): void => {
        if (which !== epoch) return;
        clearTimeout(timer);
        resolve();
      };
      port.postMessage({ say: "trunk", name: this.#name, epoch } satisfies ToBroker, [trunk]);
    });
  }

  /** A port to the owner of this epoch. */
  link(tab: string, epoch: number): Promise<MessagePort | undefined> {
    const port = this.#connected(epoch);
    if (!port) return Promise.resolve(undefined);
    const ask = ++this.#lastAsk;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#drop(port), this.#waitMs);
      this.#asked.set(ask, (answer) => {
        clearTimeout(timer);
        this.#asked.delete(ask);
        resolve(answer);
      });
      port.postMessage({ say: "link", name: this.#name, ask, tab, epoch } satisfies ToBroker);
    });
  }

  close(): void {
    if (this.#port) this.#drop(this.#port);
  }

  /** Anew for every owner: the broker may live in the process of an owner that crashed, and dies with it unheard. */
  #connected(epoch: number): MessagePort | undefined {
    if (epoch !== this.#epoch) this.close();
    this.#epoch = epoch;
    return this.#port ?? this.#connect();
  }

  #connect(): MessagePort | undefined {
    if (typeof SharedWorker !== "function") return undefined;
    try {
      // Bundlers know this one form of worker and bring its file along.
      const worker = this.#url
        ? new SharedWorker(this.#url, { type: "module" })
        : new SharedWorker(new URL("./broker.js", import.meta.url), { type: "module" });
      const { port } = worker;
      worker.onerror = (): void => this.#drop(port);
      port.onmessage = ({ data, ports }: MessageEvent): void => {
        const word = data as FromBroker;
        if (word.say === "held") this.#held(word.epoch);
        else this.#asked.get(word.ask)?.(ports[0]);
      };
      this.#port = port;
    } catch {
      // A policy may forbid it.
      this.#port = undefined;
    }
    return this.#port;
  }

  /** It does not answer, or is not there. Whoever asks next connects anew. */
  #drop(port: MessagePort): void {
    port.close();
    if (this.#port === port) this.#port = undefined;
    for (const answer of [...this.#asked.values()]) answer(undefined);
  }
}
