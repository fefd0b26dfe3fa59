/**
 * Calls and streams over a message port, with cancelling and back-pressure.
 *
 * A stream starts with a credit of items; the engine sends no more than it has credit for, and every
 * item that the caller takes adds one. Closing either side ends everything that is under way.
 * Knows nothing of what is called: see `protocol.ts`, which is what is meant where nothing else is said.
 */

import { abortError, checkAbort, errorFromWire, errorToWire } from "./errors.js";
import type { Calls, FromEngine, Streams, ToEngine } from "./protocol.js";

/** What a `Worker`, a `MessagePort` and a worker's own scope have in common. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Buffers of the request that the other side gets instead of a copy. */
  readonly transfer?: readonly ArrayBuffer[] | undefined;
}

const STREAM_CREDIT = 4;

// The engine's side

export type Functions<T> = { readonly [Name in keyof T]: (request: never) => unknown };
type RequestOf<F> = F extends (request: infer Request) => unknown ? Request : never;
type AnswerOf<F> = F extends (request: never) => infer Answer ? Answer : never;

/** What is served: an answer to every call, and items of every stream. */
export type HandlersOf<C, S = object> = {
  [Name in keyof C]: (request: RequestOf<C[Name]>) => AnswerOf<C[Name]> | Promise<AnswerOf<C[Name]>>;
} & {
  [Name in keyof S]: (request: RequestOf<S[Name]>, signal: AbortSignal) => AsyncIterable<AnswerOf<S[Name]>>;
};

export type Handlers = HandlersOf<Calls, Streams>;

interface Running {
  readonly controller: AbortController;
  credit: number;
  wake: (() => void) | undefined;
  done: Promise<void>;
}

/** Answers what comes in over the port. What it returns ends that, and resolves when nothing runs any more. */
export function serve(port: Port, handlers: object): () => Promise<void> {
  const running = new Map<number, Running>();
  const send = (message: FromEngine, value?: unknown): void => port.postMessage(message, transferables(value));
  const fail = (id: number, error: unknown): void => send({ id, error: errorToWire(error) });

  async function answer(id: number, name: string, request: unknown): Promise<void> {
    const handler = (handlers as Record<string, (request: unknown) => unknown>)[name];
    if (!handler) throw new TypeError(`no such call: ${name}`);
    const value = await handler(request);
    send({ id, value }, value);
  }

  async function stream(id: number, name: string, request: unknown, state: Running): Promise<void> {
    type Handler = (request: unknown, signal: AbortSignal) => AsyncIterable<unknown>;
    const handler = (handlers as Record<string, Handler>)[name];
    if (!handler) throw new TypeError(`no such stream: ${name}`);
    for await (const item of handler(request, state.controller.signal)) {
      while (state.credit === 0 && !state.controller.signal.aborted) {
        await new Promise<void>((resolve) => (state.wake = resolve));
      }
      checkAbort(state.controller.signal);
      state.credit -= 1;
      send({ id, item }, item);
    }
    send({ id, end: true });
  }

  port.onmessage = (event: MessageEvent): void => {
    const message = event.data as ToEngine;
    const { id } = message;
    if ("call" in message) {
      answer(id, message.call, message.request).catch((error: unknown) => fail(id, error));
    } else if ("stream" in message) {
      const state: Running = { controller: new AbortController(), credit: message.credit, wake: undefined, done: Promise.resolve() };
      running.set(id, state);
      state.done = stream(id, message.stream, message.request, state)
        .catch((error: unknown) => fail(id, error))
        .finally(() => running.delete(id));
    } else {
      const state = running.get(id);
      if (!state) return;
      if ("cancel" in message) state.controller.abort();
      else state.credit += message.credit;
      state.wake?.();
    }
  };

  return async () => {
    port.onmessage = null;
    const ending = [...running.values()];
    for (const state of ending) {
      state.controller.abort();
      state.wake?.();
    }
    await Promise.all(ending.map((state) => state.done));
  };
}

/** Buffers that the receiver gets instead of a copy: those that hold nothing but the value, or a field of it. */
function transferables(value: unknown): Transferable[] {
  const parts = typeof value !== "object" || value === null || value instanceof Uint8Array ? [value] : Object.values(value);
  return parts.filter(isWhole).map(({ buffer }) => buffer);
}

const isWhole = (part: unknown): part is Uint8Array<ArrayBuffer> => part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && part.buffer.byteLength === part.byteLength;

// The library's side

/** Ports can only be handed over. */
function portsIn(request: unknown): MessagePort[] {
  return Object.values(request as object)
    .flat()
    .filter((value) => value instanceof MessagePort);
}

interface Waiting {
  readonly take: (message: FromEngine) => void;
  readonly fail: (error: Error) => void;
}

/** Calls what is served at the other end of the port. */
export class Client<C extends Functions<C> = Calls, S extends Functions<S> = Streams> {
  readonly #port: Port;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = (event: MessageEvent): void => {
      const message = event.data as FromEngine;
      this.#waiting.get(message.id)?.take(message);
    };
  }

  call<Name extends keyof C & string>(name: Name, request: RequestOf<C[Name]>, options: CallOptions = {}): Promise<AnswerOf<C[Name]>> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const closed = signal?.aborted ? abortError() : this.#closed;
      if (closed) return reject(closed);
      const id = ++this.#lastId;
      const settle = (): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", onAbort);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const onAbort = (): void => fail(abortError());
      const take = (message: FromEngine): void => {
        if ("error" in message) return fail(errorFromWire(message.error));
        settle();
        if ("value" in message) resolve(message.value as AnswerOf<C[Name]>);
      };
      this.#waiting.set(id, { take, fail });
      signal?.addEventListener("abort", onAbort);
      this.#send({ id, call: name, request }, options.transfer);
    });
  }

  async *stream<Name extends keyof S & string>(
    name: Name,
    request: RequestOf<S[Name]>,
    options: CallOptions = {},
  ): AsyncGenerator<AnswerOf<S[Name]>, void, undefined> {
    const { signal } = options;
    checkAbort(signal);
    if (this.#closed) throw this.#closed;
    const id = ++this.#lastId;
    const queue: AnswerOf<S[Name]>[] = [];
    let ended = false;
    let failure: Error | undefined;
    let wake = (): void => {};
    const fail = (error: Error): void => {
      failure ??= error;
      wake();
    };
    const take = (message: FromEngine): void => {
      if ("item" in message) queue.push(message.item as AnswerOf<S[Name]>);
      else if ("error" in message) failure ??= errorFromWire(message.error);
      else ended = true;
      wake();
    };
    const onAbort = (): void => fail(abortError());
    signal?.addEventListener("abort", onAbort);
    this.#waiting.set(id, { take, fail });
    this.#send({ id, stream: name, request, credit: STREAM_CREDIT });
    try {
      for (;;) {
        const item = queue.shift();
        if (item !== undefined) {
          this.#send({ id, credit: 1 });
          yield item;
        } else if (failure) {
          throw failure;
        } else if (ended) {
          return;
        } else {
          await new Promise<void>((resolve) => (wake = resolve));
        }
        if (signal?.aborted) throw abortError();
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#waiting.delete(id);
      if (!ended) this.#send({ id, cancel: true });
    }
  }

  /** Ends everything that is under way with `error`, and everything that comes later. */
  close(error: Error): void {
    this.#closed ??= error;
    for (const waiting of [...this.#waiting.values()]) waiting.fail(this.#closed);
    this.#port.onmessage = null;
  }

  #send(message: ToEngine, transfer: readonly Transferable[] = []): void {
    if (!this.#closed) this.#port.postMessage(message, [...transfer, ...("request" in message ? portsIn(message.request) : [])]);
  }
}
