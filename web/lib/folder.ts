/**
 * The files below a folder, in the order of their paths: which of them are worth a look, and how many are too many.
 * How a folder is listed is the host's business; that of browsers is here, that of Node in `files.ts`.
 */

import type { ArchiveSource, FolderSource, NamedSource } from "./open.js";

/** Beyond this a folder holds something else than archives. */
export const FOLDER_FILES_MAX = 20_000;
export const FOLDER_DEPTH_MAX = 40;

/** What file systems and archivers leave behind. */
export function isLitter(name: string): boolean {
  return /^(?:\.|~\$|Thumbs\.db$|desktop\.ini$|__MACOSX$)/i.test(name);
}

const order = new Intl.Collator("en", { numeric: true });

export function inOrder(files: readonly NamedSource[]): NamedSource[] {
  return [...files].sort((a, b) => order.compare(a.name, b.name));
}

/** What a handle of a browser holds, where it is one of a folder. */
export async function listHandle(source: ArchiveSource | FolderSource): Promise<NamedSource[] | undefined> {
  if (!isFolder(source)) return undefined;
  const found: NamedSource[] = [];
  const walk = async (folder: FileSystemDirectoryHandle, path: string, depth: number): Promise<void> => {
    for await (const entry of folder.values()) {
      if (found.length >= FOLDER_FILES_MAX) return;
      const name = `${path}/${entry.name}`;
      if (isLitter(entry.name)) continue;
      if (entry.kind === "file") found.push({ source: await entry.getFile(), name });
      else if (depth < FOLDER_DEPTH_MAX) await walk(entry, name, depth + 1);
    }
  };
  await walk(source, source.name, 0);
  return inOrder(found);
}

function isFolder(source: ArchiveSource | FolderSource): source is FolderSource {
  return typeof FileSystemDirectoryHandle === "function" && source instanceof FileSystemDirectoryHandle;
}
