/**
 * What it is to own a collection, whatever it is kept in: an epoch that grows with every owner, and a place that nobody
 * else writes. Which of them it is follows from what the browser has: see `store/ladder.ts`.
 */

import { ArchiveError } from "../errors.js";
import type { StorageKind } from "../store/ladder.js";
import type { PageStorage } from "../store/storage.js";
import { ownerLock } from "./words.js";

export interface ClaimRequest {
  readonly name: string;
  /** The page that holds the owner's lock, as locks name it. */
  readonly clientId: string;
  /** No epoch at or below this: it was heard of. */
  readonly epochFloor: number;
  /** How long locked handles are asked for before their folder is left to whoever holds it. */
  readonly lockedMs: number;
  /** Why it is kept where it is, in one sentence. */
  readonly reason: string;
}

export interface Claim {
  readonly epoch: number;
  readonly kind: StorageKind;
  readonly reason: string;
  /** Grows when the place of a frozen owner had to be left to it. */
  readonly generation: number;
  /** Throws where another tab took over. */
  check(): Promise<void>;
  /** Runs what writes and flushes; what it returns may be acknowledged. */
  commit<T>(write: () => Promise<T>): Promise<T>;
  /** Opens where the collection is kept. */
  storage(): Promise<PageStorage>;
  close(): void;
}

export function fencedError(cause?: unknown): ArchiveError {
  return new ArchiveError("tabs/fenced", "Another tab took over while this one was asleep. It is not known whether this was done.", { cause });
}

/** Throws where the owner's lock is no longer this page's. */
export async function checkLock({ name, clientId }: ClaimRequest, isClosed: boolean): Promise<void> {
  const { held } = await navigator.locks.query();
  const lock = ownerLock(name);
  const isOurs = held?.some((one) => one.name === lock && one.clientId === clientId) ?? false;
  if (isClosed || !isOurs) throw fencedError();
}
