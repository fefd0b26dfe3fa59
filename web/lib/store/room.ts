/** The room that this site has in the browser: how much, how sure, and asking to keep it. For pages and workers. */

import { ArchiveError } from "../errors.js";

export interface Room {
  /** Bytes that this site's data take, as the browser estimates them; undefined where it does not say. */
  readonly usedBytes: number | undefined;
  /** Bytes that they may take. */
  readonly quotaBytes: number | undefined;
  /** Whether the browser keeps them when it runs short of room. */
  readonly isPersistent: boolean;
}

/** Browsers in private modes, and pages without a secure address, have none of it or a part. */
type Manager = Partial<StorageManager> & { persist?(): Promise<boolean> };
const manager = (): Manager => (navigator as { readonly storage?: Manager }).storage ?? {};

export async function room(): Promise<Room> {
  const storage = manager();
  const { usage, quota } = (await storage.estimate?.().catch(() => undefined)) ?? {};
  const isPersistent = (await storage.persisted?.().catch(() => false)) ?? false;
  return { usedBytes: usage, quotaBytes: quota, isPersistent };
}

/** Asks the browser, and with it perhaps the person, to keep this site's data. In a page only; workers may not ask. */
export async function askToPersist(): Promise<boolean> {
  const storage = manager();
  if (!storage.persist) return false;
  try {
    return (await storage.persisted?.()) || (await storage.persist());
  } catch (error) {
    throw new ArchiveError("store/failed", "The browser could not be asked to keep this site's data.", { cause: error });
  }
}
