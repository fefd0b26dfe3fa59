/**
 * Files out of what people hand over: dropped files and folders, chosen files, a chosen folder. Folders are walked to
 * the bottom; files keep their place in them as their name and come in the order of these names.
 */

/** A file and what it is called: its path where it lay in a folder. */
export interface NamedFile {
  readonly source: File;
  readonly name: string;
  /** Of the file or of the folder it lay in: what it is opened by again, in browsers that have handles. */
  readonly handle?: Promise<FileSystemHandle | null> | FileSystemHandle | undefined;
}

/** What only some browsers have. */
interface Handing {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** Beyond this a folder holds something else than archives, and walking it would only stall the tab. */
export const filesMax = 20_000;
export const depthMax = 40;

/** What file systems and archivers leave behind. */
export const isLitter = (name: string): boolean => /^(?:\.|~\$|Thumbs\.db$|desktop\.ini$|__MACOSX$)/i.test(name);

const order = new Intl.Collator("en", { numeric: true });
export const inOrder = (files: NamedFile[]): NamedFile[] => files.sort((a, b) => order.compare(a.name, b.name));

/** Files of a file input; those of a folder carry their path in it. */
export function chosenFiles(list: FileList | null): NamedFile[] {
  const files = [...(list ?? [])].map((source) => ({ source, name: source.webkitRelativePath || source.name }));
  const isFolder = files.some(({ source }) => source.webkitRelativePath !== "");
  if (!isFolder) return files;
  return inOrder(files.filter(({ name }) => !name.split("/").some(isLitter)).slice(0, filesMax));
}

/** Files of a drop. To be called while the drop is being told: the list is emptied afterwards. */
export function droppedFiles(data: DataTransfer): Promise<NamedFile[]> {
  const items = [...data.items].filter((item) => item.kind === "file");
  const roots = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, handle: (item as Handing).getAsFileSystemHandle?.().catch(() => null) }));
  const files = [...data.files];
  // A browser without entries, or files that come from another page, tell of files alone.
  if (!roots.some(({ entry }) => entry?.isDirectory === true)) {
    return Promise.resolve(files.map((source, at) => ({ source, name: source.name, handle: files.length === roots.length ? roots[at]?.handle : undefined })));
  }
  return walk(roots);
}

interface Root {
  readonly entry: FileSystemEntry | null;
  readonly handle: NamedFile["handle"];
}

async function walk(roots: readonly Root[]): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const visit = async (entry: FileSystemEntry, handle: NamedFile["handle"], depth: number): Promise<void> => {
    if (found.length >= filesMax) return;
    if (isFile(entry)) {
      const source = await fileOf(entry);
      if (source !== undefined) found.push({ source, name: entry.fullPath.replace(/^\//, ""), handle });
    } else if (isFolder(entry) && depth < depthMax) {
      for (const child of await childrenOf(entry)) {
        if (!isLitter(child.name)) await visit(child, handle, depth + 1);
      }
    }
  };
  for (const { entry, handle } of roots) if (entry !== null) await visit(entry, handle, 0);
  return inOrder(found);
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** Undefined where the file went away or may not be read. */
function fileOf(entry: FileSystemFileEntry): Promise<File | undefined> {
  return new Promise((resolve) => entry.file(resolve, () => resolve(undefined)));
}

/** A reader tells of some entries at a time, and of none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return children;
    children.push(...some);
    if (children.length >= filesMax) return children;
  }
}
