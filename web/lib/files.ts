/** Files of Node as sources. Never loaded in a browser. */

import { open } from "node:fs/promises";

import { ArchiveError, checkAbort, isAbort } from "./errors.js";
import type { SourceRef } from "./protocol.js";
import { WINDOW_BYTES, openSource, type Source } from "./source.js";

export async function openNodeSource(reference: SourceRef): Promise<Source> {
  if (reference.kind !== "path") return openSource(reference);
  const { path } = reference;
  const size = await withFile(path, async (file) => {
    const facts = await file.stat();
    if (facts.isDirectory()) throw new ArchiveError("source/unreadable", `${path} is a folder.`);
    return facts.size;
  });
  return { size, chunks: (offset, signal) => fileChunks(path, offset, signal) };
}

type FileHandle = Awaited<ReturnType<typeof open>>;

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw explained(path, error);
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function* fileChunks(path: string, offset: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw explained(path, error);
  }
  try {
    for (let at = offset; ; ) {
      checkAbort(signal);
      const { bytesRead, buffer } = await file.read(new Uint8Array(WINDOW_BYTES), 0, WINDOW_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw isAbort(error) ? error : explained(path, error);
  } finally {
    await file.close();
  }
}

function explained(path: string, error: unknown): Error {
  if (error instanceof ArchiveError) return error;
  const code = (error as { code?: string }).code;
  if (code === "ENOENT") return new ArchiveError("source/not-found", `${path} does not exist.`, { cause: error });
  if (code === "EACCES") return new ArchiveError("source/unreadable", `${path} may not be read.`, { cause: error });
  return new ArchiveError("source/unreadable", `${path} cannot be read: ${String((error as Error).message)}`, { cause: error });
}
