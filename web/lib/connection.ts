/**
 * A line to an engine: in a worker of its own, or beside the caller where there is no worker.
 * Each connection is one engine; closing it ends the worker and with it all memory of the archive.
 */

import { ArchiveError, abortError } from "./errors.js";
import { Client, serve, type Port } from "./port.js";
import { VERSION } from "./protocol.js";

export interface ConnectOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where `engine_bg.wasm` is, if not beside the library. */
  readonly wasmUrl?: string | URL | undefined;
  /** Where `tools_bg.wasm` is, if not beside the library: what Node runs on, and a browser for some formats. */
  readonly toolsUrl?: string | URL | undefined;
  /** Where `documents_bg.wasm` is, if not beside the library: fetched where documents are asked for. */
  readonly documentsUrl?: string | URL | undefined;
  /** Where `pdf_bg.wasm` is, if not beside the library: fetched where a PDF is among the documents. */
  readonly pdfUrl?: string | URL | undefined;
  /** Where `worker.js` is, if not beside the library. */
  readonly workerUrl?: string | URL | undefined;
  /** False runs the engine beside the caller. */
  readonly worker?: boolean | undefined;
}

/** What an engine will be asked for. */
export interface Needs {
  /** More than the smaller module has. */
  readonly withTools?: boolean | undefined;
}

export interface Connection {
  readonly client: Client;
  close(): void;
}

export type Connect = (options: ConnectOptions, needs?: Needs) => Promise<Connection>;

let ahead: Promise<Connection> | undefined;

/** Starts the engine of the next archive before it is known which one that is, while other things are waited for. */
export function startAhead({ isForKeeping = false }: { readonly isForKeeping?: boolean } = {}): void {
  ahead ??= connect({}, { withTools: isForKeeping });
  // Who wants it then is told.
  ahead.catch(() => {});
}

/** Starts an engine and agrees on the version with it. */
export async function connect(options: ConnectOptions, needs: Needs = {}): Promise<Connection> {
  const { wasmUrl, toolsUrl, workerUrl, worker = true } = options;
  const isPlain = worker && wasmUrl === undefined && toolsUrl === undefined && workerUrl === undefined;
  const waiting = isPlain ? ahead : undefined;
  if (waiting) ahead = undefined;
  return waiting ?? greet(await started(options), options, needs);
}

/** Starts what reads documents. */
export async function connectReader(options: ConnectOptions): Promise<Connection> {
  return greetReader(await started(options), options);
}

async function started(options: ConnectOptions): Promise<Connection> {
  const canWork = typeof Worker === "function" && options.worker !== false;
  return canWork ? workerConnection(options.workerUrl) : localConnection();
}

/** More engines, lent to the one that opens an archive. */
export interface Helpers {
  readonly ports: MessagePort[];
  close(): void;
}

export type Hire = (count: number, options: ConnectOptions) => Promise<Helpers>;

/**
 * Starts engines in workers; fewer than asked for where some do not start, none where there are no workers.
 * The page makes them all: a worker that makes workers waits for the page in Firefox, at times for ever.
 */
export async function hire(count: number, options: ConnectOptions): Promise<Helpers> {
  const canWork = typeof Worker === "function" && options.worker !== false;
  const starting = Array.from({ length: canWork ? count : 0 }, async () => {
    const connection = await greet(workerConnection(options.workerUrl), options);
    const { port1, port2 } = new MessageChannel();
    await connection.client.call("lend", { port: port1 });
    return { connection, port: port2 };
  });
  const started = (await Promise.allSettled(starting)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  return {
    ports: started.map(({ port }) => port),
    close: () => {
      for (const { connection } of started) connection.close();
    },
  };
}

/** Agrees on the version; ends the connection if that fails. */
export async function greet(connection: Connection, { signal, wasmUrl, toolsUrl }: ConnectOptions, { withTools = false }: Needs = {}): Promise<Connection> {
  try {
    const urls = {
      ...(wasmUrl !== undefined && { wasmUrl: absolute(wasmUrl) }),
      ...(toolsUrl !== undefined && { toolsUrl: absolute(toolsUrl) }),
    };
    await connection.client.call("hello", { version: VERSION, withTools, ...urls }, { signal });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The same for what reads documents. */
export async function greetReader(connection: Connection, { signal, documentsUrl, pdfUrl }: ConnectOptions): Promise<Connection> {
  try {
    const urls = {
      ...(documentsUrl !== undefined && { documentsUrl: absolute(documentsUrl) }),
      ...(pdfUrl !== undefined && { pdfUrl: absolute(pdfUrl) }),
    };
    await connection.client.call("greetReader", { version: VERSION, ...urls }, { signal });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function absolute(url: string | URL): string {
  return new URL(url, globalThis.location?.href).href;
}

function workerConnection(workerUrl: string | URL | undefined): Connection {
  // Bundlers know this one form of worker and bring its file along.
  const worker = workerUrl
    ? new Worker(workerUrl, { type: "module" })
    : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const client = new Client(worker as Port);
  worker.onerror = (event): void => {
    const message = `The engine's worker failed${event.message ? `: ${event.message}` : " to start"}.`;
    client.close(new ArchiveError("engine/worker-failed", message));
  };
  return {
    client,
    close: () => {
      client.close(abortError());
      worker.terminate();
    },
  };
}

async function localConnection(): Promise<Connection> {
  const [{ Engine }, { modules }, { openSource }] = await Promise.all([import("./engine.js"), import("./module.js"), import("./source.js")]);
  return loopback(new Engine(openSource, modules));
}

/** Serves an engine over a channel within this thread: the same messages, no other thread. */
export function loopback(engine: { handlers(): Parameters<typeof serve>[1]; close(): void }): Connection {
  const { port1, port2 } = new MessageChannel();
  const stop = serve(port2 as Port, engine.handlers());
  const client = new Client(port1 as Port);
  return {
    client,
    close: () => {
      client.close(abortError());
      // The engine's memory is shared by all archives of this thread, so it is given back by hand.
      void stop().finally(() => {
        engine.close();
        port1.close();
        port2.close();
      });
    },
  };
}
