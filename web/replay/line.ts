/**
 * A pipe's line to the viewer: requests in batches over a port, their answers back.
 * A port that falls silent is dropped, and what was asked over it is asked again over the next.
 */

import type { Answer, Get, ToBridge, ToPipe } from "./messages.js";

/** Put in by the build: how long requests are gathered into one message. */
declare const GATHER_MS: number;

/** Silence after which the viewer is asked for a sign of life. */
const SILENCE_MS = 500;
/** Silence after which it counts as gone. */
const GONE_MS = 2_500;
/** How long whoever may hand over a port is given to do so. */
const PORT_MS = 3_000;
/** Over so many ports a request is asked: a page may hand over ports to an archive that is closed. */
const TRIES_MAX = 4;

interface Asked {
  readonly get: Get;
  readonly resolve: (answer: Answer | null) => void;
  /** Ports that fell silent over it. */
  tries: number;
}

export class Line {
  /** Asks whoever may hand over a port for one; resolves to whether there is anybody. */
  readonly #call: () => Promise<boolean>;
  readonly #asked = new Map<number, Asked>();
  #port: MessagePort | undefined;
  #outgoing: ToBridge[] = [];
  #isFlushSet = false;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #heardAt = 0;
  #isPinged = false;
  #connecting: Promise<boolean> | undefined;
  #arrived = (): void => {};
  #usedAt = -Infinity;

  constructor(call: () => Promise<boolean>) {
    this.#call = call;
  }

  get isUp(): boolean {
    return this.#port !== undefined;
  }

  /** Resolves to whether there is a port, after asking for one. */
  connected(): Promise<boolean> {
    if (this.#port) return Promise.resolve(true);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arriving = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(this.isUp), PORT_MS);
      this.#arrived = () => resolve(true);
    });
    const isAsked = await this.#call();
    const isConnected = this.isUp || (isAsked && (await arriving));
    clearTimeout(timer);
    return isConnected;
  }

  /** `living` says when the viewer's page goes. */
  use(handed: MessagePort, living: MessagePort | undefined): void {
    if (living) living.onmessage = () => this.#drop(handed);
    const now = performance.now();
    // Everybody was asked; the first to answer is enough.
    if (this.#port && now - this.#usedAt < SILENCE_MS) return handed.close();
    this.#port?.close();
    this.#port = handed;
    this.#usedAt = this.#heardAt = now;
    this.#isPinged = false;
    handed.onmessage = (event: MessageEvent) => this.#hear(event.data as readonly ToPipe[]);
    // Not in every browser; silence tells the same, later.
    handed.addEventListener("close", () => this.#drop(handed));
    this.#outgoing = [...this.#asked.values()].map(({ get }) => get);
    this.#flush();
    this.#arrived();
    if (this.#asked.size > 0) this.#keepWatch();
  }

  ask(get: Get): Promise<Answer | null> {
    return new Promise((resolve) => {
      if (this.#asked.size === 0) this.#heardAt = performance.now();
      this.#asked.set(get.id, { get, resolve, tries: 0 });
      this.#send(get);
      this.#keepWatch();
    });
  }

  #drop(port: MessagePort | undefined): void {
    if (this.#port !== port) return;
    port?.close();
    this.#port = undefined;
    this.#giveUp((asked) => ++asked.tries >= TRIES_MAX);
    if (this.#asked.size === 0) return;
    void this.connected().then((isConnected) => {
      if (!isConnected) this.#giveUp(() => true);
    });
  }

  #giveUp(isLost: (asked: Asked) => boolean): void {
    for (const [id, asked] of this.#asked) {
      if (!isLost(asked)) continue;
      this.#asked.delete(id);
      asked.resolve(null);
    }
  }

  #send(item: ToBridge): void {
    this.#outgoing.push(item);
    // A request that is alone waits for nobody; with others about, a message for each is what costs most in Firefox.
    if (this.#asked.size <= 1 || GATHER_MS === 0) return this.#flush();
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    this.#isFlushSet = false;
    if (!this.#port || this.#outgoing.length === 0) return;
    this.#port.postMessage(this.#outgoing);
    this.#outgoing = [];
  }

  #hear(items: readonly ToPipe[]): void {
    this.#heardAt = performance.now();
    this.#isPinged = false;
    for (const item of items) {
      if (item.op === "pong") continue;
      this.#asked.get(item.id)?.resolve(item.op === "answer" ? item : null);
      this.#asked.delete(item.id);
    }
  }

  #keepWatch(): void {
    this.#watch ??= setTimeout(() => {
      this.#watch = undefined;
      if (this.#asked.size === 0 || !this.#port) return;
      const silence = performance.now() - this.#heardAt;
      if (silence >= GONE_MS) return this.#drop(this.#port);
      if (silence >= SILENCE_MS && !this.#isPinged) {
        this.#isPinged = true;
        this.#send({ op: "ping" });
      }
      this.#keepWatch();
    }, SILENCE_MS);
  }
}
