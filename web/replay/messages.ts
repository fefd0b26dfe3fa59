/**
 * What passes between an archived page's origin and the viewer. Types only.
 *
 * The pipe (service worker of a replay origin) and the bridge (worker of the viewer) talk over a message port, in
 * batches: a message is an array of the items below. A page hands the port over and says nothing else.
 */

/** A request of an archived page. The bridge decides by the port it came over, never by a field, what it may read. */
export interface Get {
  readonly op: "get";
  readonly id: number;
  /** On a replay origin; without fragment. */
  readonly url: string;
  readonly method: string;
  readonly mode: string;
  readonly dest: string;
  readonly range: string | null;
  readonly body?: ArrayBuffer;
}

export type ToBridge = Get | { readonly op: "ping" };

export interface Answer {
  readonly op: "answer";
  readonly id: number;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Never a stream: Firefox cuts those short without an error when it stops an idle service worker. */
  readonly body: ArrayBuffer | Blob | null;
}

export type ToPipe =
  | Answer
  | { readonly op: "failed"; readonly id: number }
  | { readonly op: "pong" };

/** Pipe to page: whoever hears it hands over a port. Page to pipe and to the viewer: here is one end of it. */
export type PortMessage = { readonly wa: "need-port" | "hello" | "port" | "ready" | "bye" };

/** Bodies below this are copied, larger ones go as a Blob. */
export const COPIED_BYTES_MAX = 256 << 10;
