/**
 * Where a store can be kept in this browser: the private file system, else the database, else memory. Found out by
 * doing, in a place of its own: some browsers have an interface that never works, or not in private windows.
 * A full disk is no reason to go down a step: what is kept already would seem to be lost. Nor is anything else, once a
 * collection is kept somewhere.
 */

import { ArchiveError } from "../errors.js";
import { answer, notedKind, noteKind } from "./chosen.js";

export type StorageKind = "opfs" | "indexeddb" | "memory";

export interface Rung {
  readonly kind: StorageKind;
  /** One sentence for a person: where things are kept, and why there. */
  readonly reason: string;
}

const KINDS: readonly StorageKind[] = ["opfs", "indexeddb", "memory"];

/** Both name a place of their own: many tabs may try at once. */
const probeName = (): string => `stackroom-probe-${crypto.randomUUID()}`;

/**
 * The first that works, in a dedicated worker; `kinds` are the ones to try. With the `name` of a collection the one that
 * was chosen for it before, where that is among them, and no other: another one is empty.
 */
export async function chooseStorage(kinds: readonly StorageKind[] = KINDS, name?: string): Promise<Rung> {
  const kept = name === undefined ? undefined : await notedKind(name);
  if (kept !== undefined && kinds.includes(kept)) {
    const failure = await tryOut(kept);
    if (failure === undefined) return { kind: kept, reason: reasonFor(kept, []) };
    const where = kept === "opfs" ? "private file system" : "database";
    const remedy = "Nothing of it is lost: start the browser again, or allow this site to keep data";
    throw new ArchiveError("store/out-of-reach", `What is kept here is in this browser's ${where}, and ${failure}. ${remedy}.`);
  }
  const failures: string[] = [];
  for (const kind of kinds) {
    const failure = await tryOut(kind);
    if (failure === undefined) {
      if (name !== undefined && kind !== "memory") await noteKind(name, kind);
      return { kind, reason: reasonFor(kind, failures) };
    }
    failures.push(failure);
  }
  throw new ArchiveError("store/unsupported", `Nothing can be kept here: ${failures.join("; ")}.`);
}

function reasonFor(kind: StorageKind, failures: readonly string[]): string {
  const because = failures.length > 0 ? `, since ${failures.join(" and ")}` : "";
  if (kind === "opfs") return "The index is kept in this browser's private file system.";
  if (kind === "indexeddb") return `The index is kept in this browser's database, which is slower and just as safe${because}.`;
  return `The index is kept in memory and is gone when this page closes${because}.`;
}

/** What failed, as a part of a sentence; undefined where it works. */
async function tryOut(kind: StorageKind): Promise<string | undefined> {
  try {
    if (kind === "opfs") await tryFiles();
    else if (kind === "indexeddb") await tryDatabase();
    return undefined;
  } catch (error) {
    if (error instanceof DOMException && error.name === "QuotaExceededError") return undefined;
    const what = kind === "opfs" ? "its private file system" : "its database";
    return `${what} cannot be used (${error instanceof Error ? error.message || error.name : String(error)})`;
  }
}

const MARK = Uint8Array.of(83, 116, 97, 99, 107);

function check(found: Uint8Array): void {
  if (found.length !== MARK.length || found.some((byte, at) => byte !== MARK[at])) throw new Error("it does not keep what is written");
}

async function tryFiles(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const name = probeName();
  const file = await root.getFileHandle(name, { create: true });
  try {
    const handle = await file.createSyncAccessHandle();
    try {
      handle.write(MARK, { at: 0 });
      handle.flush();
      const found = new Uint8Array(MARK.length);
      handle.read(found, { at: 0 });
      check(found);
    } finally {
      handle.close();
    }
  } finally {
    await root.removeEntry(name);
  }
}

async function tryDatabase(): Promise<void> {
  const name = probeName();
  const database = await answer(indexedDB.open(name, 1), (request) => request.result.createObjectStore("probe"));
  try {
    const writing = database.transaction("probe", "readwrite", { durability: "strict" });
    writing.objectStore("probe").put(MARK, 0);
    await new Promise<void>((resolve, reject) => {
      writing.oncomplete = (): void => resolve();
      writing.onabort = (): void => reject(writing.error ?? new Error("it does not keep what is written"));
    });
    const found: unknown = await answer(database.transaction("probe").objectStore("probe").get(0));
    check(found instanceof Uint8Array ? found : new Uint8Array(0));
  } finally {
    database.close();
    await answer(indexedDB.deleteDatabase(name));
  }
}
