/**
 * What passes between an archived page's origin and the viewer. Types, limits and the version.
 *
 * The pipe (service worker of a replay origin) and the bridge (worker of the viewer) talk over a message port, in
 * batches: a message is an array of the items below. A page hands the port over and says nothing else.
 */

/** A pipe of another version is answered with failures, so that the boot page puts the right one in its place. */
export const PROTOCOL = 2;

/** A request of an archived page. The bridge decides by the port it came over, never by a field, what it may read. */
export interface Get {
  readonly op: "get";
  readonly v: number;
  readonly id: number;
  /** On a replay origin; without fragment. */
  readonly url: string;
  readonly method: string;
  readonly mode: string;
  readonly dest: string;
  readonly range: string | null;
  /** Who asks, and who will live on the answer; empty where that is nobody. Only ever a hint. */
  readonly clientId: string;
  readonly resultingClientId: string;
  /** Header of that name, or empty: what a body is made of. */
  readonly type: string;
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
  /** The pipe forbids all scripts in it. */
  readonly isInert?: boolean;
}

export type ToPipe =
  | Answer
  | { readonly op: "failed"; readonly id: number }
  | { readonly op: "pong" };

/**
 * Pipe to page: whoever hears it hands over a port. Page to pipe and to the viewer: here is one end of it. `here` is what
 * the boot page says to the viewer that asks whether replay works here at all.
 */
export interface PortMessage {
  readonly wa: "need-port" | "hello" | "port" | "ready" | "bye" | "here";
  /** Of the collection, where one pipe serves many. */
  readonly salt?: string;
}

/** Bodies below this are copied, larger ones go as a Blob. */
export const COPIED_BYTES_MAX = 256 << 10;
/** Of a request; what is longer is refused. */
export const BODY_BYTES_MAX = 1 << 20;
