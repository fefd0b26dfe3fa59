/**
 * A tab's port to whoever is the owner: it outlives owners, so that a `Client` runs on it unchanged.
 *
 * S1  Every request ends: with the owner's answer, or with an error that says why there is none.
 * S2  A request that an owner may have begun is made again only if it is repeatable and nothing of it was handed on.
 * S3  A request that no owner began is kept for the next one.
 * Does not find owners: see `tab.ts`.
 */

import { errorToWire, type ArchiveError } from "../errors.js";
import type { Port } from "../port.js";
import type { FromEngine, ToEngine } from "../protocol.js";
import type { Wire } from "./wire.js";
import { isWireWord } from "./words.js";

interface Flight {
  readonly request: ToEngine & ({ call: string } | { stream: string });
  readonly since: number;
  isBegun: boolean;
  hasItems: boolean;
}

export class SteadyPort implements Port {
  onmessage: ((event: MessageEvent) => void) | null = null;
  /** Called for whatever the owner says, pongs too. */
  onheard: () => void = () => {};
  /** Called when there is something to wait for. */
  onwaiting: () => void = () => {};
  readonly #repeatable: ReadonlySet<string>;
  readonly #flights = new Map<number, Flight>();
  #wire: Wire | undefined;
  #refusal: ArchiveError | undefined;

  /** `repeatable`: names of calls and streams that may be made twice. */
  constructor(repeatable: ReadonlySet<string>) {
    this.#repeatable = repeatable;
  }

  get isLinked(): boolean {
    return this.#wire !== undefined;
  }

  get waiting(): number {
    return this.#flights.size;
  }

  postMessage(message: unknown, _transfer: Transferable[]): void {
    // Nothing is transferred: what is transferred could not be sent again.
    const request = message as ToEngine;
    if (!("call" in request || "stream" in request)) {
      if ("cancel" in request) this.#flights.delete(request.id);
      this.#wire?.post(message, []);
      return;
    }
    const flight: Flight = { request, since: Date.now(), isBegun: false, hasItems: false };
    this.#flights.set(request.id, flight);
    const refusal = this.#refusal;
    if (refusal) {
      // As late as any answer, so that the caller is ready for it.
      queueMicrotask(() => this.#fail(request.id, refusal));
      return;
    }
    this.#send(flight);
    this.onwaiting();
  }

  /** Another owner, or another way to the same one. */
  attach(wire: Wire, gone: ArchiveError): void {
    this.detach();
    this.#wire = wire;
    wire.onmessage = (message): void => {
      if (this.#wire === wire) this.#take(message);
    };
    for (const flight of [...this.#flights.values()]) {
      if (this.#mayRepeat(flight)) this.#send(flight);
      else this.#fail(flight.request.id, gone);
    }
  }

  detach(): void {
    this.#wire?.close();
    this.#wire = undefined;
  }

  ping(): void {
    this.#wire?.post({ tabs: "ping" }, []);
  }

  /** Rejects what has waited without an owner since before `since`. */
  failOlder(since: number, error: ArchiveError): void {
    for (const flight of [...this.#flights.values()]) {
      if (flight.since < since) this.#fail(flight.request.id, error);
    }
  }

  /** Takes no more requests. What is under way may end, where `isFinal` is false. */
  refuse(error: ArchiveError, isFinal: boolean): void {
    this.#refusal = error;
    for (const flight of [...this.#flights.values()]) {
      if (isFinal || !flight.isBegun) this.#fail(flight.request.id, error);
    }
    if (isFinal) this.detach();
  }

  #mayRepeat({ request, isBegun, hasItems }: Flight): boolean {
    if (!isBegun) return true;
    return !hasItems && this.#repeatable.has("call" in request ? request.call : request.stream);
  }

  #send(flight: Flight): void {
    if (!this.#wire) return;
    flight.isBegun = true;
    this.#wire.post(flight.request, []);
  }

  #take(message: unknown): void {
    this.onheard();
    if (isWireWord(message)) {
      if (message.tabs === "refused") this.#refused(message.id);
      return;
    }
    const answer = message as FromEngine;
    const flight = this.#flights.get(answer.id);
    // Cancelled or rejected meanwhile.
    if (!flight) return;
    if ("item" in answer) flight.hasItems = true;
    else this.#flights.delete(answer.id);
    this.#deliver(answer);
  }

  #refused(id: number): void {
    const flight = this.#flights.get(id);
    if (!flight) return;
    flight.isBegun = false;
    if (this.#refusal) this.#fail(id, this.#refusal);
  }

  #fail(id: number, error: ArchiveError): void {
    if (this.#flights.delete(id)) this.#deliver({ id, error: errorToWire(error) });
  }

  #deliver(answer: FromEngine): void {
    this.onmessage?.({ data: answer } as MessageEvent);
  }
}
