/** A store in a folder of the origin's private file system: `index.pages` and `ext.0000`, `ext.0001`, ... */

import { extentName, extentNumber, fileStorage } from "./file.js";
import type { SyncFile, SyncPageStorage } from "./storage.js";

const INDEX = "index.pages";
/** A handle can stay locked for seconds after its worker was killed. */
const RETRY_MS = [20, 50, 100, 200, 400, 800, 1600, 3200];

/** Opens the store in a folder, which is made where there is none. Waits for handles that a dead worker still holds. */
export async function opfsStorage(folder: string): Promise<SyncPageStorage> {
  const root = await navigator.storage.getDirectory();
  const directory = await root.getDirectoryHandle(folder, { create: true });
  const files = new Map<number, SyncFile>();
  const index = await openHandle(directory, INDEX);
  try {
    for await (const name of directory.keys()) {
      const file = extentNumber(name);
      if (file !== undefined) files.set(file, await openHandle(directory, name));
    }
  } catch (error) {
    for (const handle of [index, ...files.values()]) handle.close();
    throw error;
  }
  return fileStorage(index, {
    files,
    open: (file) => openHandle(directory, extentName(file)),
    remove: (file) => directory.removeEntry(extentName(file)),
  });
}

async function openHandle(directory: FileSystemDirectoryHandle, name: string): Promise<FileSystemSyncAccessHandle> {
  const file = await directory.getFileHandle(name, { create: true });
  for (let attempt = 0; ; attempt++) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      const wait = RETRY_MS[attempt];
      if (!(error instanceof DOMException) || error.name !== "NoModificationAllowedError" || wait === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
