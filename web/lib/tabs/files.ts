/**
 * `File`s that a tab opened, shared with all peers, so that whichever tab becomes the owner can read them.
 * They live in memory only: browsers may copy a file that is put into IndexedDB. A posted `File` refers to the same
 * bytes on disk and outlives the tab that posted it.
 */

import type { Cry } from "./words.js";

export class SharedFiles {
  readonly #channel: BroadcastChannel;
  readonly #files = new Map<string, File>();

  constructor(channel: BroadcastChannel) {
    this.#channel = channel;
  }

  share(key: string, file: File): void {
    this.#files.set(key, file);
    this.#cry({ say: "file", key, file });
  }

  /** Everywhere. */
  forget(key: string): void {
    this.#files.delete(key);
    this.#cry({ say: "forget", key });
  }

  get(key: string): File | undefined {
    return this.#files.get(key);
  }

  keys(): string[] {
    return [...this.#files.keys()];
  }

  entries(): [string, File][] {
    return [...this.#files];
  }

  take(entries: readonly (readonly [string, File])[]): void {
    for (const [key, file] of entries) this.#files.set(key, file);
  }

  hear(cry: Cry): void {
    if (cry.say === "file") this.#files.set(cry.key, cry.file);
    else if (cry.say === "forget") this.#files.delete(cry.key);
    else if (cry.say === "owner") this.#offer(cry.files);
  }

  /** What a new owner lacks: it may have come too late to hear of it. */
  #offer(known: readonly string[]): void {
    for (const [key, file] of this.#files) {
      if (!known.includes(key)) this.#cry({ say: "file", key, file });
    }
  }

  #cry(cry: Cry): void {
    this.#channel.postMessage(cry);
  }
}
