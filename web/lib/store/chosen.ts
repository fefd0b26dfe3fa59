/**
 * Which kind of storage a collection was put into, noted in a small database of its own: whoever opens it when that kind
 * fails must not find an empty collection of another kind. Where no database can be used nothing is noted.
 */

import type { StorageKind } from "./ladder.js";

const DATABASE = "stackroom-kinds";
const KINDS = "kinds";

/** The kind that was noted for a collection. */
export async function notedKind(name: string): Promise<StorageKind | undefined> {
  const noted: unknown = await using("readonly", (kinds) => kinds.get(name)).catch(() => undefined);
  return noted === "opfs" || noted === "indexeddb" ? noted : undefined;
}

/** Without a database, or room in it, the collection works all the same. */
export async function noteKind(name: string, kind: StorageKind): Promise<void> {
  await using<IDBValidKey>("readwrite", (kinds) => kinds.put(kind, name)).catch(() => undefined);
}

async function using<T>(mode: IDBTransactionMode, ask: (kinds: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await answer(indexedDB.open(DATABASE, 1), (request) => request.result.createObjectStore(KINDS));
  try {
    const running = database.transaction(KINDS, mode, { durability: "strict" });
    const over = new Promise<void>((resolve, reject) => {
      running.oncomplete = (): void => resolve();
      running.onabort = (): void => reject(running.error ?? new Error("it failed"));
    });
    const [value] = await Promise.all([answer(ask(running.objectStore(KINDS))), over]);
    return value;
  } finally {
    database.close();
  }
}

/** What comes of a request; `upgrade` makes what is in a new database. */
export function answer<T>(request: IDBRequest<T>, upgrade?: (request: IDBRequest<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    if (upgrade) (request as unknown as IDBOpenDBRequest).onupgradeneeded = (): unknown => upgrade(request);
    request.onsuccess = (): void => resolve(request.result);
    request.onerror = (): void => reject(request.error ?? new Error("it failed"));
  });
}
