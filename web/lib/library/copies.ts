/**
 * Copies of archives in the browser's private file system, for who wants to have them without their files at hand. What
 * a library says of a copy is written when all of it is there; what was left half written is removed by whoever comes next.
 */

import { ArchiveError, checkAbort, isAbort } from "../errors.js";
import { fullError } from "../store/storage.js";
import type { KeptCopy } from "./kept.js";

/** What is copied: a file, or what lies at an address. */
export interface CopySource {
  readonly name: string;
  readonly source: Blob | URL;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly bytes: number }) => void) | undefined;
}

export class Copies {
  readonly #library: string;

  constructor(library: string) {
    this.#library = library;
  }

  /** Copies all of it. Whatever ends that before leaves nothing. */
  async write(id: number, sources: readonly CopySource[], { signal, onProgress }: CopyOptions): Promise<KeptCopy> {
    return this.#locked(id, async () => {
      const root = await this.#root();
      await remove(root, id);
      let bytes = 0;
      try {
        const folder = await root.getDirectoryHandle(String(id), { create: true });
        for (const [at, { source }] of sources.entries()) {
          const handle = await folder.getFileHandle(String(at), { create: true });
          const counting = new TransformStream<Uint8Array, Uint8Array>({
            transform(piece, controller) {
              bytes += piece.length;
              onProgress?.({ bytes });
              controller.enqueue(piece);
            },
          });
          const from = await streamOf(source, signal);
          const into = (await handle.createWritable()) as WritableStream<Uint8Array>;
          await from.pipeThrough(counting).pipeTo(into, signal ? { signal } : {});
        }
        checkAbort(signal);
      } catch (error) {
        await remove(root, id);
        throw explained(error);
      }
      return { names: sources.map(({ name }) => name), bytes };
    });
  }

  /** The files of a copy, under the names that they had. */
  async read(id: number, { names }: KeptCopy): Promise<File[]> {
    try {
      const folder = await (await this.#root()).getDirectoryHandle(String(id));
      return await Promise.all(names.map(async (name, at) => {
        const file = await (await folder.getFileHandle(String(at))).getFile();
        // A slice refers to the same bytes on disk.
        return new File([file], name, { lastModified: file.lastModified });
      }));
    } catch (error) {
      throw new ArchiveError("library/no-copy", "The copy of this archive is gone: the browser threw it away, or it was removed by hand.", { cause: error });
    }
  }

  remove(id: number): Promise<void> {
    return this.#locked(id, async () => remove(await this.#root(), id));
  }

  /** Removes what belongs to none of these, but for what is being written. */
  async sweep(known: ReadonlySet<number>): Promise<void> {
    const root = await this.#root();
    for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) {
      const id = Number(name);
      if (known.has(id)) continue;
      await navigator.locks.request(this.#lock(id), { ifAvailable: true }, async (lock) => {
        if (lock) await remove(root, id);
      });
    }
  }

  async #root(): Promise<FileSystemDirectoryHandle> {
    const copies = await (await navigator.storage.getDirectory()).getDirectoryHandle("stackroom-copies", { create: true });
    return copies.getDirectoryHandle(this.#library, { create: true });
  }

  #lock(id: number): string {
    return `stackroom copy ${this.#library} ${id}`;
  }

  #locked<T>(id: number, work: () => Promise<T>): Promise<T> {
    return navigator.locks.request(this.#lock(id), { ifAvailable: true }, (lock) => {
      if (!lock) throw new ArchiveError("library/busy", "This archive is being copied already.");
      return work();
    }) as Promise<T>;
  }
}

async function streamOf(source: Blob | URL, signal: AbortSignal | undefined): Promise<ReadableStream<Uint8Array>> {
  if (source instanceof Blob) return source.stream();
  const response = await fetch(source, signal ? { signal } : {});
  if (!response.ok || !response.body) throw new ArchiveError("source/unreachable", `${source.href} answers ${response.status}.`);
  return response.body;
}

async function remove(root: FileSystemDirectoryHandle, id: number): Promise<void> {
  await root.removeEntry(String(id), { recursive: true }).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
  });
}

function explained(error: unknown): unknown {
  if (error instanceof ArchiveError || isAbort(error)) return error;
  if (error instanceof DOMException && error.name === "QuotaExceededError") return fullError(error);
  return new ArchiveError("library/copy-failed", "The archive could not be copied: its file can no longer be read, or the browser does not let this page keep files.", { cause: error });
}
