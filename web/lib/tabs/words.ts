/**
 * What tabs say to each other: names of locks and of the channel, messages, versions, and how patient each side is.
 * What is cried on the channel is heard by tabs of every version, so its words keep their meaning for ever; what goes
 * over a wire is between tabs of one version only. No behaviour.
 */

import type { StorageKind } from "../store/ladder.js";

/** How long each side waits, in milliseconds. */
export interface Pace {
  /** Between two looks at an owner that owes an answer. */
  readonly beatMs: number;
  /** Silence after which an owner counts as frozen. */
  readonly frozenMs: number;
  /** For the broker, and for a wire's first word. */
  readonly linkMs: number;
  /** For what is under way when an owner steps down. */
  readonly graceMs: number;
  /** For an owner to be there at all; then what waits is rejected. */
  readonly ownerlessMs: number;
  /** For handles that stay locked after their owner is gone. */
  readonly lockedMs: number;
  /** The same when the owner is frozen and will hardly let go. */
  readonly frozenLockedMs: number;
}

export const PACE: Pace = {
  beatMs: 1_000,
  frozenMs: 5_000,
  linkMs: 1_000,
  graceMs: 5_000,
  ownerlessMs: 30_000,
  lockedMs: 10_000,
  frozenLockedMs: 1_000,
};

export const channelName = (name: string): string => `stackroom/${name}`;
/** Held by the tab whose worker is the owner. */
export const ownerLock = (name: string): string => `stackroom/${name}/owner`;
/** Held while an owner's lock is stolen, so that one tab steals it. */
export const stealLock = (name: string): string => `stackroom/${name}/steal`;
/** Held by a tab as long as it lives. */
export const tabLock = (name: string, tab: string): string => `stackroom/${name}/tab/${tab}`;

/** On the channel, for everybody. */
export type Cry =
  | { readonly say: "who" }
  | { readonly say: "owner"; readonly epoch: number; readonly version: string; readonly tab: string; readonly files: readonly string[] }
  /** The next owner loads, or waits for the last one's handles. */
  | { readonly say: "starting"; readonly tab: string }
  /** A page of this version is here: older owners finish, older tabs stand back. */
  | { readonly say: "step-down"; readonly version: string }
  | { readonly say: "file"; readonly key: string; readonly file: File }
  | { readonly say: "forget"; readonly key: string }
  /** A tab that no broker serves wants a relayed wire. */
  | { readonly say: "relay-open"; readonly tab: string; readonly epoch: number }
  | { readonly say: "relay"; readonly from: string; readonly to: string; readonly epoch: number; readonly data: unknown };

/** On a wire, beside the messages of `protocol.ts`. */
export type WireWord =
  | { readonly tabs: "ping" }
  | { readonly tabs: "pong" }
  | { readonly tabs: "welcome"; readonly epoch: number; readonly files: readonly (readonly [string, File])[] }
  /** The request was not begun: it may be made again, whatever it does. */
  | { readonly tabs: "refused"; readonly id: number };

/** From a page to its own worker, when it is or becomes the owner. */
export type ToHost =
  | {
      readonly tabs: "own";
      readonly name: string;
      readonly tab: string;
      readonly clientId: string;
      readonly version: string;
      readonly epochFloor: number;
      readonly isStolen: boolean;
      readonly pace: Pace;
      readonly kinds?: readonly StorageKind[] | undefined;
      readonly files: readonly (readonly [string, File])[];
    }
  | { readonly tabs: "announce" }
  /** With a port: of the page itself, or from the broker for another tab. */
  | { readonly tabs: "link"; readonly tab: string }
  | { readonly tabs: "finish" };

export type FromHost =
  | { readonly tabs: "owning"; readonly epoch: number }
  | { readonly tabs: "failed"; readonly code: string; readonly message: string }
  /** There is something that should be kept: workers may not ask the browser for it themselves. */
  | { readonly tabs: "persist" }
  | { readonly tabs: "finished" };

/** To and from the broker. */
export type ToBroker =
  | { readonly say: "trunk"; readonly name: string; readonly epoch: number }
  | { readonly say: "link"; readonly name: string; readonly ask: number; readonly tab: string; readonly epoch: number };
export type FromBroker =
  | { readonly say: "held"; readonly epoch: number }
  | { readonly say: "link"; readonly ask: number };

/** Above zero where `a` is newer than `b`. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string): number[] => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [numbers(a), numbers(b)];
  for (let idx = 0; idx < Math.max(left.length, right.length); idx++) {
    const difference = (left[idx] ?? 0) - (right[idx] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const isWireWord = (message: unknown): message is WireWord =>
  typeof message === "object" && message !== null && "tabs" in message;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
