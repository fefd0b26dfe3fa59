/**
 * A wire between one tab and the owner's worker: a message port, or frames on the channel where no port can be had.
 * A broadcast carries no ports and moves no buffers: the relay copies, and every tab sees (and drops) every frame.
 * The owner's end answers pings and knows what is under way; the other end is `steady.ts`.
 */

import type { Port } from "../port.js";
import type { FromEngine, ToEngine } from "../protocol.js";
import { isWireWord, type Cry, type WireWord } from "./words.js";

export interface Wire {
  post(message: unknown, transfer: Transferable[]): void;
  onmessage: ((message: unknown) => void) | null;
  close(): void;
}

export function portWire(port: MessagePort): Wire {
  const wire: Wire = {
    onmessage: null,
    post: (message, transfer) => port.postMessage(message, transfer),
    close: () => {
      port.onmessage = null;
      port.close();
    },
  };
  port.onmessage = (event: MessageEvent): void => wire.onmessage?.(event.data);
  return wire;
}

/** The owner's name on relayed wires; tabs have random ones. */
export const OWNER = "owner";

export function relayWire(channel: BroadcastChannel, from: string, to: string, epoch: number): Wire {
  const listen = (event: MessageEvent): void => {
    const cry = event.data as Cry;
    if (cry.say === "relay" && cry.to === from && cry.from === to && cry.epoch === epoch) wire.onmessage?.(cry.data);
  };
  const wire: Wire = {
    onmessage: null,
    post: (data) => channel.postMessage({ say: "relay", from, to, epoch, data } satisfies Cry),
    close: () => channel.removeEventListener("message", listen),
  };
  channel.addEventListener("message", listen);
  return wire;
}

/** The owner's end, as a port that `serve` runs on. */
export class ServedPort implements Port {
  onmessage: ((event: MessageEvent) => void) | null = null;
  readonly #wire: Wire;
  readonly #underWay = new Set<number>();
  #isRefusing = false;
  #isClosed = false;
  #tellIdle: (() => void) | undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
    wire.onmessage = (message): void => this.#take(message);
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    if (!this.#isClosed) this.#wire.post(message, transfer);
    const answer = message as FromEngine;
    if ("item" in answer || !this.#underWay.delete(answer.id)) return;
    if (this.#underWay.size === 0) this.#tellIdle?.();
  }

  say(word: WireWord): void {
    if (!this.#isClosed) this.#wire.post(word, []);
  }

  /** Begins nothing any more; resolves when nothing is under way. */
  finish(): Promise<void> {
    this.#isRefusing = true;
    return new Promise((resolve) => {
      if (this.#underWay.size === 0) resolve();
      else this.#tellIdle = resolve;
    });
  }

  /** Says nothing from here on: on the relay, a later wire of the same tab has the same address. */
  close(): void {
    this.#isClosed = true;
    this.#wire.close();
  }

  #take(message: unknown): void {
    if (isWireWord(message)) {
      if (message.tabs === "ping") this.say({ tabs: "pong" });
      return;
    }
    const request = message as ToEngine;
    if ("call" in request || "stream" in request) {
      if (this.#isRefusing) return this.say({ tabs: "refused", id: request.id });
      this.#underWay.add(request.id);
    }
    this.onmessage?.({ data: message } as MessageEvent);
  }
}
