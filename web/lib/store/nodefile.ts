/**
 * A store in a folder of Node: `index.pages` and `ext.0000`, `ext.0001`, ..., flushed to the disk at each commit.
 * Never loaded in a browser.
 *
 * One process writes a store at a time: `lock` names it, and whoever finds it dead takes its place. Two may find it
 * dead at once: the lock is looked at again before anything is flushed, and the one that lost it commits nothing.
 */

import { randomUUID } from "node:crypto";
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

import { ArchiveError } from "../errors.js";
import { extentName, extentNumber, fileStorage, INDEX } from "./file.js";
import type { SyncFile, SyncPageStorage } from "./storage.js";

const LOCK = "lock";

/** Opens the store in a folder, which is made where there is none. */
export function nodeStorage(folder: string): SyncPageStorage {
  return explained(folder, () => {
    mkdirSync(folder, { recursive: true });
    const lock = Lock.take(folder);
    const open = (name: string): SyncFile => new NodeFile(join(folder, name), lock);
    const files = new Map<number, SyncFile>();
    try {
      for (const name of readdirSync(folder)) {
        const file = extentNumber(name);
        if (file !== undefined) files.set(file, open(name));
      }
      const storage = fileStorage(open(INDEX), {
        files,
        open: (file) => open(extentName(file)),
        remove: (file) => unlinkSync(join(folder, extentName(file))),
      });
      return {
        ...storage,
        close() {
          storage.close();
          lock.release();
        },
      };
    } catch (error) {
      for (const file of files.values()) file.close();
      lock.release();
      throw error;
    }
  });
}

class NodeFile implements SyncFile {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #file: number;
  #isClosed = false;

  constructor(path: string, lock: Lock) {
    this.#path = path;
    this.#lock = lock;
    this.#file = openOrMake(path);
  }

  read(bytes: Uint8Array, { at }: { at: number }): number {
    return explained(this.#path, () => {
      let length = 0;
      // A read may give less than there is.
      while (length < bytes.length) {
        const got = readSync(this.#file, bytes, length, bytes.length - length, at + length);
        if (got === 0) break;
        length += got;
      }
      return length;
    });
  }

  write(bytes: Uint8Array, { at }: { at: number }): number {
    return explained(this.#path, () => {
      let length = 0;
      while (length < bytes.length) length += writeSync(this.#file, bytes, length, bytes.length - length, at + length);
      return length;
    });
  }

  flush(): void {
    explained(this.#path, () => {
      this.#lock.check();
      fdatasyncSync(this.#file);
    });
  }

  truncate(size: number): void {
    explained(this.#path, () => ftruncateSync(this.#file, size));
  }

  getSize(): number {
    return explained(this.#path, () => fstatSync(this.#file).size);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#file);
  }
}

/** A name is as durable as the folder that holds it. */
function openOrMake(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const file = openSync(path, "wx+");
  // Windows opens no folders, and keeps names by itself.
  if (process.platform !== "win32") {
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  }
  return file;
}

class Lock {
  readonly #folder: string;
  readonly #name: string;
  readonly #token: string;

  private constructor(folder: string, name: string, token: string) {
    this.#folder = folder;
    this.#name = name;
    this.#token = token;
  }

  static take(folder: string): Lock {
    const name = join(folder, LOCK);
    const token = `${process.pid} ${randomUUID()}`;
    for (let attempt = 0; ; attempt++) {
      try {
        writeFileSync(name, token, { flag: "wx" });
        return new Lock(folder, name, token);
      } catch (error) {
        if (codeOf(error) !== "EEXIST" || attempt > 0) throw error;
        const holder = Number(readFileSync(name, "utf8").split(" ")[0]);
        if (isAlive(holder)) throw new ArchiveError("store/locked", `Another program (process ${holder}) has ${folder} open.`);
        unlinkSync(name);
      }
    }
  }

  check(): void {
    if (!this.#isOurs()) throw new ArchiveError("store/locked", `Another program has taken ${this.#folder} over.`);
  }

  release(): void {
    if (this.#isOurs()) unlinkSync(this.#name);
  }

  #isOurs(): boolean {
    try {
      return readFileSync(this.#name, "utf8") === this.#token;
    } catch {
      return false;
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function explained<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    const code = codeOf(error);
    if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
      throw new ArchiveError("store/full", `There is no room left for ${path}: free some.`, { cause: error });
    }
    throw new ArchiveError("store/failed", `${path} could not be read or written${error instanceof Error ? `: ${error.message}` : ""}.`, { cause: error });
  }
}
