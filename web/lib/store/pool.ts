/**
 * Handles of the private file system, opened ahead of need: opening is asynchronous, and the store must
 * never wait inside an operation. Each file of the pool starts free; taking one gives it a name.
 *
 * The names are kept in a file of their own, as JSON, written whole at every change.
 */

import { ArchiveError } from "../errors.js";

const NAMES = "names.json";
/** A handle can stay locked for seconds after its worker was killed. */
const RETRY_MS = [20, 50, 100, 200, 400, 800, 1600, 3200];

export class HandlePool {
  readonly #handles: FileSystemSyncAccessHandle[];
  readonly #names: FileSystemSyncAccessHandle;
  readonly #taken: (string | null)[];

  private constructor(names: FileSystemSyncAccessHandle, handles: FileSystemSyncAccessHandle[], taken: (string | null)[]) {
    this.#names = names;
    this.#handles = handles;
    this.#taken = taken;
  }

  /** Opens `count` files in a folder. Waits for handles that a dead worker still holds. */
  static async open(folder: string, count: number): Promise<HandlePool> {
    const root = await navigator.storage.getDirectory();
    const directory = await root.getDirectoryHandle(folder, { create: true });
    const names = await openHandle(directory, NAMES);
    const opened: FileSystemSyncAccessHandle[] = [];
    try {
      for (let n = 0; n < count; n++) opened.push(await openHandle(directory, `${n}.pages`));
    } catch (error) {
      for (const handle of [names, ...opened]) handle.close();
      throw error;
    }
    const known = readNames(names);
    return new HandlePool(names, opened, opened.map((_, at) => known[at] ?? null));
  }

  /** The file of that name, an empty one if there is none yet. Never waits. */
  take(name: string): FileSystemSyncAccessHandle {
    let at = this.#taken.indexOf(name);
    if (at < 0) {
      at = this.#taken.indexOf(null);
      if (at < 0) throw new ArchiveError("store/no-handle", "The pool of files is used up.");
      this.#taken[at] = name;
      this.#handles[at]?.truncate(0);
      this.#keepNames();
    }
    const handle = this.#handles[at];
    if (!handle) throw new ArchiveError("store/no-handle", "The pool of files is closed.");
    return handle;
  }

  /** Gives a file back; its content is gone. */
  release(name: string): void {
    const at = this.#taken.indexOf(name);
    if (at < 0) return;
    this.#taken[at] = null;
    this.#keepNames();
    this.#handles[at]?.truncate(0);
  }

  close(): void {
    for (const handle of [this.#names, ...this.#handles.splice(0)]) handle.close();
  }

  #keepNames(): void {
    const bytes = new TextEncoder().encode(JSON.stringify(this.#taken));
    this.#names.write(bytes, { at: 0 });
    this.#names.truncate(bytes.length);
    this.#names.flush();
  }
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

function readNames(handle: FileSystemSyncAccessHandle): (string | null)[] {
  const bytes = new Uint8Array(handle.getSize());
  handle.read(bytes, { at: 0 });
  try {
    const names: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(names) ? names.map((name) => (typeof name === "string" ? name : null)) : [];
  } catch {
    // Empty, or torn by a crash: which file is whose is lost with it, and the store is rebuilt.
    return [];
  }
}
