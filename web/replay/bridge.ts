/**
 * The viewer's end of the pipes: takes batches off their ports and answers in batches.
 * A port may ask for what belongs to the label that the browser vouched for when it came, and for nothing else.
 * Malformed or excessive talk closes the port. Reading only.
 */

import { COPIED_BYTES_MAX, type Answer, type Get, type ToBridge, type ToPipe } from "./messages.js";

/** What answers requests; null where there is nothing to say. */
export type AnswerGet = (get: Get, label: string) => Promise<Omit<Answer, "op" | "id">>;

const IN_FLIGHT_MAX = 1024;
/** How long answers are gathered into one message. */
const GATHER_MS = 0;

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

  constructor(answer: AnswerGet) {
    this.#answer = answer;
  }

  /** Serves a port until it closes or misbehaves. */
  attach(port: MessagePort, label: string): void {
    this.counts.ports += 1;
    const cancelled = new Set<number>();
    let inFlight = 0;
    let outgoing: ToPipe[] = [];
    let isFlushSet = false;
    const flush = (): void => {
      isFlushSet = false;
      this.counts.messagesOut += 1;
      port.postMessage(outgoing, outgoing.flatMap(buffersOf));
      outgoing = [];
    };
    const send = (item: ToPipe): void => {
      outgoing.push(item);
      if (isFlushSet) return;
      isFlushSet = true;
      setTimeout(flush, GATHER_MS);
    };
    const get = async (item: Get): Promise<void> => {
      inFlight += 1;
      this.counts.gets += 1;
      try {
        const answer = await this.#answer(item, label);
        if (!cancelled.has(item.id)) send({ op: "answer", id: item.id, ...answer });
      } catch {
        send({ op: "failed", id: item.id });
      } finally {
        inFlight -= 1;
        cancelled.delete(item.id);
      }
    };
    port.onmessage = (event: MessageEvent): void => {
      this.counts.messagesIn += 1;
      const items = event.data as unknown;
      if (!Array.isArray(items) || !items.every(isToBridge) || inFlight + items.length > IN_FLIGHT_MAX) return port.close();
      for (const item of items) {
        if (item.op === "get") void get(item);
        else if (item.op === "cancel") cancelled.add(item.id);
        else send({ op: "pong" });
      }
    };
  }
}

function isToBridge(item: unknown): item is ToBridge {
  if (typeof item !== "object" || item === null) return false;
  const { op, id, url, method, mode, dest, range } = item as Partial<Record<keyof Get, unknown>>;
  if (op === "ping") return true;
  if (typeof id !== "number") return false;
  if (op === "cancel") return true;
  const isText = [url, method, mode, dest].every((text) => typeof text === "string");
  return op === "get" && isText && (range === null || typeof range === "string");
}

/** A small body's buffer belongs to the answer alone, so it is handed over. */
function buffersOf(item: ToPipe): Transferable[] {
  const isBuffer = item.op === "answer" && item.body instanceof ArrayBuffer && item.body.byteLength <= COPIED_BYTES_MAX;
  return isBuffer ? [item.body as ArrayBuffer] : [];
}
