/**
 * The owner's claim on a collection in the private file system: an epoch, in a file that the browser lets one worker open.
 *
 *   stackroom/NAME/GENERATION/owner   := magic:u32 zero:u32 epoch:f64    (little-endian; other files are the store's)
 *
 * C1  Epochs grow with every claim. Nobody writes without the exclusive handle of `owner` in that generation's folder.
 * C2  Handles that stay locked are asked for again with back-off: a dead worker's are freed late.
 * C3  A frozen owner never lets go. Then its folder is copied (reading needs no handle) to the next generation, which
 *     counts from the moment that its `owner` is written, last. What the frozen owner writes later, nobody reads.
 *     Its pages are copied first and from their start: what they refer to was there before and is copied after.
 * C4  A write is acknowledged only if the claim still holds after it is flushed: whoever copied later has copied it.
 * Does not know what the store's files hold.
 */

import { ArchiveError } from "../errors.js";
import { INDEX } from "../store/file.js";
import { openExclusive, opfsStorage } from "../store/opfs.js";
import type { PageStorage } from "../store/storage.js";
import { checkLock, type Claim, type ClaimRequest } from "./claim.js";

const MAGIC = 0x6e776f53;
const CLAIM_BYTES = 16;
const CLAIM_FILE = "owner";
const COPY_BYTES = 1 << 20;

export class FileClaim implements Claim {
  readonly epoch: number;
  readonly reason: string;
  readonly kind = "opfs";
  readonly generation: number;
  readonly #folder: FileSystemDirectoryHandle;
  readonly #handle: FileSystemSyncAccessHandle;
  readonly #request: ClaimRequest;
  #isClosed = false;

  private constructor(request: ClaimRequest, epoch: number, generation: number, folder: FileSystemDirectoryHandle, handle: FileSystemSyncAccessHandle) {
    this.#request = request;
    this.reason = request.reason;
    this.epoch = epoch;
    this.generation = generation;
    this.#folder = folder;
    this.#handle = handle;
  }

  static async take(request: ClaimRequest): Promise<FileClaim> {
    const root = await subfolder(await subfolder(await navigator.storage.getDirectory(), "stackroom"), request.name);
    const known = await generations(root);
    const [newest] = known;
    let generation = newest?.generation ?? 1;
    let folder = await subfolder(root, String(generation));
    let handle = await openExclusive(folder, CLAIM_FILE, request.lockedMs);
    if (!handle && newest) {
      const from = folder;
      generation = newest.highest + 1;
      folder = await subfolder(root, String(generation));
      await copyFolder(from, folder);
      handle = await openExclusive(folder, CLAIM_FILE, 0);
    }
    if (!handle) throw new ArchiveError("tabs/locked", "Another tab holds the collection's files and does not let go of them.");
    const epoch = Math.max(newest?.epoch ?? 0, request.epochFloor, readEpoch(handle) ?? 0) + 1;
    const claim = new FileClaim(request, epoch, generation, folder, handle);
    try {
      // Whoever lost the lock meanwhile must not count as the newest.
      await claim.check();
      writeEpoch(handle, epoch);
      await claim.check();
    } catch (error) {
      claim.close();
      throw error;
    }
    void removeOlder(root, generation);
    return claim;
  }

  async check(): Promise<void> {
    await checkLock(this.#request, this.#isClosed);
  }

  async commit<T>(write: () => Promise<T>): Promise<T> {
    await this.check();
    const value = await write();
    await this.check();
    return value;
  }

  /** Waits for handles that a dead worker still holds. */
  storage(): Promise<PageStorage> {
    return opfsStorage(this.#folder, this.#request.lockedMs);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#handle.close();
  }
}

interface Generation {
  readonly generation: number;
  readonly epoch: number;
  /** The highest number in use, complete or not. */
  readonly highest: number;
}

/** Those that are complete, newest first. */
async function generations(root: FileSystemDirectoryHandle): Promise<Generation[]> {
  const numbers: number[] = [];
  for await (const name of root.keys()) {
    if (/^[1-9][0-9]*$/.test(name)) numbers.push(Number(name));
  }
  numbers.sort((a, b) => b - a);
  const highest = numbers[0] ?? 0;
  const complete: Generation[] = [];
  for (const generation of numbers) {
    const epoch = await peekEpoch(await root.getDirectoryHandle(String(generation)));
    if (epoch !== undefined) complete.push({ generation, epoch, highest });
  }
  return complete;
}

/** Without the handle, which another may hold. */
async function peekEpoch(folder: FileSystemDirectoryHandle): Promise<number | undefined> {
  try {
    const file = await (await folder.getFileHandle(CLAIM_FILE)).getFile();
    return parseEpoch(new DataView(await file.slice(0, CLAIM_BYTES).arrayBuffer()));
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

function readEpoch(handle: FileSystemSyncAccessHandle): number | undefined {
  const bytes = new Uint8Array(CLAIM_BYTES);
  const got = handle.read(bytes, { at: 0 });
  return parseEpoch(new DataView(bytes.buffer, 0, got));
}

function parseEpoch(view: DataView): number | undefined {
  return view.byteLength === CLAIM_BYTES && view.getUint32(0, true) === MAGIC ? view.getFloat64(8, true) : undefined;
}

function writeEpoch(handle: FileSystemSyncAccessHandle, epoch: number): void {
  const view = new DataView(new ArrayBuffer(CLAIM_BYTES));
  view.setUint32(0, MAGIC, true);
  view.setFloat64(8, epoch, true);
  handle.write(view, { at: 0 });
  handle.flush();
}

/** All files but the claim, the pages first, each from its start: what a store writes last is the oldest in the copy. */
async function copyFolder(from: FileSystemDirectoryHandle, to: FileSystemDirectoryHandle): Promise<void> {
  const names: string[] = [];
  for await (const [name, entry] of from.entries()) if (entry.kind === "file" && name !== CLAIM_FILE) names.push(name);
  names.sort((a, b) => Number(b === INDEX) - Number(a === INDEX));
  for (const name of names) {
    const file = await (await from.getFileHandle(name)).getFile();
    const handle = await openExclusive(to, name, 0);
    if (!handle) throw new ArchiveError("tabs/locked", `Another tab is copying ${name}.`);
    try {
      handle.truncate(0);
      for (let at = 0; at < file.size; at += COPY_BYTES) {
        handle.write(await file.slice(at, at + COPY_BYTES).arrayBuffer(), { at });
      }
      handle.flush();
    } finally {
      handle.close();
    }
  }
}

/** Folders of frozen owners, as far as they let go by now. A newer one is not ours to judge: we may be frozen next. */
async function removeOlder(root: FileSystemDirectoryHandle, kept: number): Promise<void> {
  const names: string[] = [];
  for await (const name of root.keys()) {
    if (Number(name) < kept) names.push(name);
  }
  for (const name of names) {
    // Whoever claims next tries again.
    await root.removeEntry(name, { recursive: true }).catch(() => {});
  }
}

function subfolder(folder: FileSystemDirectoryHandle, name: string): Promise<FileSystemDirectoryHandle> {
  return folder.getDirectoryHandle(name, { create: true });
}
