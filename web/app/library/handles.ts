/**
 * Handles of files and folders by the archive that they are of: with them a file is opened again without being chosen.
 * Browsers without handles, and those that do not store them, answer as if there were none.
 */
import { depthMax, filesMax, inOrder, isLitter, type NamedFile } from "../drop.js";
import { isAbort } from "../trouble.js";

const table = "handles";

/** The permission that a browser asks for again after a restart. */
interface Asking {
  requestPermission?(options: { mode: "read" }): Promise<PermissionState>;
}

/** What only some browsers have. */
interface Pickers {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemHandle[]>;
  showDirectoryPicker?(): Promise<FileSystemHandle>;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The database did not answer."));
  });
}

async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open("stackroom.handles", 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(table);
  const database = await done(opening);
  try {
    return await done(work(database.transaction(table, mode).objectStore(table)));
  } finally {
    database.close();
  }
}

/** Ids of the archives that have handles. */
export async function handled(): Promise<Set<number>> {
  const ids = await within("readonly", (store) => store.getAllKeys()).catch(() => []);
  return new Set(ids.map(Number));
}

/** Keeps the handles of the files, if all of them have one. */
export async function keepHandles(id: number, files: readonly NamedFile[]): Promise<void> {
  const handles = new Set<FileSystemHandle>();
  for (const { handle } of files) {
    const one = await Promise.resolve(handle).catch(() => null);
    if (!one) return;
    handles.add(one);
  }
  await within("readwrite", (store) => store.put([...handles], id)).catch(() => undefined);
}

export async function forgetHandles(id: number): Promise<void> {
  await within("readwrite", (store) => store.delete(id)).catch(() => undefined);
}

/** The files, as they are now. Undefined without handles; throws where they may not be read or are there no more. */
export async function filesOf(id: number): Promise<NamedFile[] | undefined> {
  const handles = (await within<unknown>("readonly", (store) => store.get(id)).catch(() => undefined)) as FileSystemHandle[] | undefined;
  if (handles === undefined || handles.length === 0) return undefined;
  const files: NamedFile[] = [];
  for (const handle of handles) {
    const answer = await (handle as Asking).requestPermission?.({ mode: "read" });
    if (answer !== undefined && answer !== "granted") throw new DOMException("The browser was not allowed to read the file.", "NotAllowedError");
    files.push(...(await walkHandle(handle)));
  }
  return handles.some(({ kind }) => kind === "directory") ? inOrder(files) : files;
}

/** The file of a handle, or all files below it, called as when they were dropped. */
/** Undefined where nothing was chosen, or `otherwise` was done because there is no such picker. */
export async function pickHandles(what: "files" | "folder", otherwise: () => void): Promise<NamedFile[] | undefined> {
  const pickers = globalThis as Pickers;
  const asked = what === "files" ? pickers.showOpenFilePicker?.({ multiple: true }) : pickers.showDirectoryPicker?.().then((folder) => [folder]);
  if (asked === undefined) {
    otherwise();
    return undefined;
  }
  try {
    const files = (await Promise.all((await asked).map(walkHandle))).flat();
    return what === "files" ? files : inOrder(files);
  } catch (error) {
    // Whoever closes the picker wants nothing; where it is forbidden, as in frames, the other one may not be.
    if (!isAbort(error)) otherwise();
    return undefined;
  }
}

async function walkHandle(root: FileSystemHandle): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const visit = async (one: FileSystemHandle, name: string, depth: number): Promise<void> => {
    if (found.length >= filesMax) return;
    if (one instanceof FileSystemFileHandle) found.push({ source: await one.getFile(), name, handle: root });
    else if (one instanceof FileSystemDirectoryHandle && depth < depthMax) {
      for await (const child of one.values()) if (!isLitter(child.name)) await visit(child, `${name}/${child.name}`, depth + 1);
    }
  };
  await visit(root, root.name, 0);
  return found;
}
