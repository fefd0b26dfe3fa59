/** Files of Node as sources. Never loaded in a browser. */

import { open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ArchiveError, checkAbort, isAbort } from "./errors.js";
import { FOLDER_DEPTH_MAX, FOLDER_FILES_MAX, inOrder, isLitter } from "./folder.js";
import type { ArchiveSource, FolderSource, NamedSource } from "./open.js";
import type { SourceRef } from "./protocol.js";
import { UrlSource, WINDOW_BYTES, openSource, type Source } from "./source.js";

const WINDOW_BYTES_MIN = 4 << 10;

export async function openNodeSource(reference: SourceRef): Promise<Source> {
  if (reference.kind === "url" && reference.url.startsWith("s3:")) return openObject(reference);
  if (reference.kind !== "path") return openSource(reference);
  const { path } = reference;
  const size = await withFile(path, async (file) => {
    const facts = await file.stat();
    if (facts.isDirectory()) throw new ArchiveError("source/unreadable", `${path} is a folder.`);
    return facts.size;
  });
  return { size, isNear: true, chunks: (offset, signal, until) => fileChunks(path, offset, signal, until) };
}

async function openObject(reference: Extract<SourceRef, { kind: "url" }>): Promise<Source> {
  const { asker, settingOf } = await import("./s3request.js");
  return new UrlSource(reference, asker(await settingOf()));
}

/** What a folder holds, where the path is one of a folder. */
export async function listPath(source: ArchiveSource | FolderSource): Promise<NamedSource[] | undefined> {
  const root = pathOf(source);
  if (root === undefined || !(await isFolder(root))) return undefined;
  const found: NamedSource[] = [];
  const walk = async (folder: string, name: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (found.length >= FOLDER_FILES_MAX) return;
      if (isLitter(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isFile()) found.push({ source: path, name: `${name}/${entry.name}` });
      else if (entry.isDirectory() && depth < FOLDER_DEPTH_MAX) await walk(path, `${name}/${entry.name}`, depth + 1);
    }
  };
  await walk(root, basename(root) || root, 0);
  return inOrder(found);
}

/** Whether a text is the address of something that is not on this machine's disks. */
export const isAddress = (text: string): boolean => /^(?:https?|s3):\/\//i.test(text);

function pathOf(source: ArchiveSource | FolderSource): string | undefined {
  if (source instanceof URL) return source.protocol === "file:" ? fileURLToPath(source) : undefined;
  if (typeof source !== "string" || isAddress(source)) return undefined;
  return source.startsWith("file:") ? fileURLToPath(source) : source;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then((facts) => facts.isDirectory(), () => false);
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

async function* fileChunks(path: string, offset: number, signal: AbortSignal, until = Infinity): AsyncGenerator<Uint8Array, void, undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw explained(path, error);
  }
  try {
    for (let at = offset; ; ) {
      checkAbort(signal);
      // Who stops early is spared most of a window.
      const length = at < until ? Math.min(WINDOW_BYTES, Math.max(until - at, WINDOW_BYTES_MIN)) : WINDOW_BYTES;
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, at);
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
