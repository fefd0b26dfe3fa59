/**
 * Leases of tabs: a tab holds a lock of its own name for as long as it lives, however it ends.
 * Whoever keeps something for it asks for the same lock and frees what it kept when it gets it.
 */

import { isAbort } from "../errors.js";
import { tabLock } from "./words.js";

/** Holds the tab's lock until `signal`. Resolves with the browser's id of this page, by which locks name their holders. */
export function holdLease(name: string, tab: string, signal: AbortSignal): Promise<string> {
  const lock = tabLock(name, tab);
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(lock, async () => {
        const { held } = await navigator.locks.query();
        resolve(held?.find((one) => one.name === lock)?.clientId ?? "");
        await new Promise<void>((done) => {
          if (signal.aborted) done();
          else signal.addEventListener("abort", () => done());
        });
      })
      .catch(reject);
  });
}

/** Resolves when the tab is gone, or `signal` says that nobody asks any more. */
export async function leaseEnd(name: string, tab: string, signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(tabLock(name, tab), { mode: "shared", signal }, () => {});
  } catch (error) {
    if (!isAbort(error)) throw error;
  }
}
