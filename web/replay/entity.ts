/** What a capture becomes for a page: its body, rewritten once, as bytes or a Blob; and the parts of it that ranges ask for. */

import { rangeOf } from "../serve/range.js";
import { COPIED_BYTES_MAX, type Answer } from "./messages.js";
import type { Rewriting } from "./rewriting.js";

export type Reply = Omit<Answer, "op" | "id">;

export interface Entity {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Blob | Uint8Array<ArrayBuffer>;
  /** Where a body that is a part of its file begins there, and how long the file is. */
  readonly part?: { readonly start: number; readonly size: number } | undefined;
}

export const sizeOf = ({ body }: Entity): number => (body instanceof Blob ? body.size : body.length);

export function ofBytes(bytes: Uint8Array, rewriting: Rewriting | null): Entity["body"] {
  let out = bytes;
  if (rewriting) {
    try {
      rewriting.write(bytes);
      rewriting.end();
      out = rewriting.take();
    } finally {
      rewriting.free();
    }
  }
  const own = out as Uint8Array<ArrayBuffer>;
  return own.length < COPIED_BYTES_MAX ? own : new Blob([own]);
}

/** Into a Blob without ever holding all of it. */
export async function ofStream(stream: ReadableStream<Uint8Array>, rewriting: Rewriting | null): Promise<Blob> {
  if (!rewriting) return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).blob();
  const through = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      rewriting.write(bytes);
      const out = rewriting.take();
      if (out.length > 0) controller.enqueue(out as Uint8Array<ArrayBuffer>);
    },
    flush(controller) {
      rewriting.end();
      controller.enqueue(rewriting.take() as Uint8Array<ArrayBuffer>);
    },
  });
  try {
    return await new Response(stream.pipeThrough(through)).blob();
  } finally {
    rewriting.free();
  }
}

/** All of it, or the range that is asked for. */
export function cut(entity: Entity, header: string | null): Reply {
  const { body, part, ...rest } = entity;
  const length = sizeOf(entity);
  const { start: first, size } = part ?? { start: 0, size: length };
  const canCut = header !== null && (rest.status === 200 || rest.status === 206);
  // Who wants all of it is better off with its beginning than with nothing.
  const isBeginning = first === 0;
  const range = canCut ? rangeOf(header, size) : isBeginning ? "whole" : { start: first, end: first + length };
  const outside = range !== "whole" && range !== "unsatisfiable" && (range.start < first || range.start >= first + length);
  if (range === "unsatisfiable" || outside) {
    return { status: 416, statusText: "Range Not Satisfiable", headers: [["content-range", `bytes */${size}`]], body: null };
  }
  const asked = range === "whole" ? { start: first, end: first + length } : { start: range.start, end: Math.min(range.end, first + length) };
  const headers: (readonly [string, string])[] = [...rest.headers, ["accept-ranges", "bytes"], ["content-length", String(asked.end - asked.start)]];
  const isWhole = asked.start === first && asked.end === first + length;
  const [from, to] = [asked.start - first, asked.end - first];
  const out = body instanceof Blob ? (isWhole ? body : body.slice(from, to)) : body.slice(from, to).buffer;
  if (range === "whole" && isBeginning) return { ...rest, ...(part && { status: 200, statusText: "OK" }), headers, body: out };
  headers.push(["content-range", `bytes ${asked.start}-${asked.end - 1}/${size}`]);
  return { ...rest, status: 206, statusText: "Partial Content", headers, body: out };
}
