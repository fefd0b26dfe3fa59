/**
 * The viewer's end of the pipes: takes batches off their ports and answers in batches.
 * A port may ask for what belongs to the label that the browser vouched for when it came, and for nothing else.
 * Malformed or excessive talk closes the port. Reading only.
 */

import { BODY_BYTES_MAX, COPIED_BYTES_MAX, PROTOCOL, type Answer, type Get, type ToBridge, type ToPipe } from "./messages.js";

/** What answers requests; null where there is nothing to say. */
export type AnswerGet = (get: Get, label: string) => Promise<Omit<Answer, "op" | "id">>;

/** Requests of one port that are worked on at a time, and that may wait besides. */
const AT_WORK_MAX = 64;
const WAITING_MAX = 20_000;
/** Of a label; each start of its pipe brings one. A page that brings more loses those before. */
const PORTS_MAX = 64;
/** Of an address or another text of a request. Data is no address here, so that this is plenty. */
const TEXT_MAX = 1 << 20;
/** How long answers are gathered into one message. */
const GATHER_MS = 2;

/** Counts of what has passed, for benchmarks and tests. */
export interface BridgeCounts {
  ports: number;
  gets: number;
  messagesIn: number;
  messagesOut: number;
}

export class Bridge {
  readonly counts: BridgeCounts = { ports: 0, gets: 0, messagesIn: 0, messagesOut: 0 };
  readonly #answer: AnswerGet;
  /** By label, the latest last. */
  readonly #ports = new Map<string, MessagePort[]>();

  constructor(answer: AnswerGet) {
    this.#answer = answer;
  }

  /** Serves a port until it closes or misbehaves. */
  attach(port: MessagePort, label: string): void {
    this.counts.ports += 1;
    const ports = this.#ports.get(label) ?? [];
    ports.push(port);
    if (ports.length > PORTS_MAX) ports.shift()?.close();
    this.#ports.set(label, ports);
    const waiting: Get[] = [];
    let atWork = 0;
    let outgoing: ToPipe[] = [];
    let isFlushSet = false;
    const flush = (): void => {
      isFlushSet = false;
      if (outgoing.length === 0) return;
      this.counts.messagesOut += 1;
      port.postMessage(outgoing, outgoing.flatMap(buffersOf));
      outgoing = [];
    };
    const send = (item: ToPipe): void => {
      outgoing.push(item);
      if (atWork <= 1) return flush();
      if (isFlushSet) return;
      isFlushSet = true;
      setTimeout(flush, GATHER_MS);
    };
    const work = async (item: Get): Promise<void> => {
      atWork += 1;
      this.counts.gets += 1;
      try {
        if (item.v !== PROTOCOL) throw new Error("a pipe of another version");
        send({ op: "answer", id: item.id, ...(await this.#answer(item, label)) });
      } catch {
        send({ op: "failed", id: item.id });
      }
      atWork -= 1;
      const next = waiting.shift();
      if (next) void work(next);
    };
    port.onmessage = (event: MessageEvent): void => {
      this.counts.messagesIn += 1;
      const items = event.data as unknown;
      if (!Array.isArray(items) || !items.every(isToBridge) || waiting.length + items.length > WAITING_MAX) return port.close();
      for (const item of items) {
        if (item.op === "ping") send({ op: "pong" });
        else if (atWork < AT_WORK_MAX) void work(item);
        else waiting.push(item);
      }
    };
  }
}

function isToBridge(item: unknown): item is ToBridge {
  if (typeof item !== "object" || item === null) return false;
  const { op, id, url, method, mode, dest, range, clientId = "", resultingClientId = "", type = "", body } = item as Partial<Record<keyof Get, unknown>>;
  if (op === "ping") return true;
  const isText = [url, method, mode, dest, clientId, resultingClientId, type].every((text) => typeof text === "string" && text.length <= TEXT_MAX);
  const isBody = body === undefined || (body instanceof ArrayBuffer && body.byteLength <= BODY_BYTES_MAX);
  return op === "get" && typeof id === "number" && isText && isBody && (range === null || typeof range === "string");
}

/** A small body's buffer belongs to the answer alone, so it is handed over. */
function buffersOf(item: ToPipe): Transferable[] {
  const isBuffer = item.op === "answer" && item.body instanceof ArrayBuffer && item.body.byteLength <= COPIED_BYTES_MAX;
  return isBuffer ? [item.body as ArrayBuffer] : [];
}
