/** A store in a folder of the origin's private file system: `index.pages` and `ext.0000`, `ext.0001`, ... */

import { ArchiveError } from "../errors.js";
import { extentName, extentNumber, fileStorage, INDEX } from "./file.js";
import type { SyncFile, SyncPageStorage } from "./storage.js";

const BACK_OFF_MS = [5, 10, 20, 40, 80, 160, 320];
/** A handle can stay locked for seconds after its worker was killed. */
const LOCKED_MS = 6_000;

/** Opens the store in a folder, which is made where there is none. Waits for handles that a dead worker still holds. */
export async function opfsStorage(where: string | FileSystemDirectoryHandle, lockedMs = LOCKED_MS): Promise<SyncPageStorage> {
  const directory = typeof where === "string" ? await (await navigator.storage.getDirectory()).getDirectoryHandle(where, { create: true }) : where;
  const open = async (name: string): Promise<FileSystemSyncAccessHandle> => {
    const handle = await openExclusive(directory, name, lockedMs);
    if (!handle) throw new ArchiveError("store/locked", `Another tab holds the store's file ${name} and does not let go of it.`);
    return handle;
  };
  const files = new Map<number, SyncFile>();
  const index = await open(INDEX);
  try {
    for await (const name of directory.keys()) {
      const file = extentNumber(name);
      if (file !== undefined) files.set(file, await open(name));
    }
  } catch (error) {
    for (const handle of [index, ...files.values()]) handle.close();
    throw error;
  }
  return fileStorage(index, {
    files,
    open: (file) => open(extentName(file)),
    remove: (file) => directory.removeEntry(extentName(file)),
  });
}

/** Tried again with back-off as long as another holds it; undefined when that takes too long. */
export async function openExclusive(folder: FileSystemDirectoryHandle, name: string, lockedMs: number): Promise<FileSystemSyncAccessHandle | undefined> {
  const file = await folder.getFileHandle(name, { create: true });
  const started = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      const isLocked = error instanceof DOMException && (error.name === "NoModificationAllowedError" || error.name === "InvalidStateError");
      if (!isLocked) throw error;
      if (performance.now() - started >= lockedMs) return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, BACK_OFF_MS[Math.min(attempt, BACK_OFF_MS.length - 1)] ?? 0));
  }
}
