/** Workers that pages start: their scripts are mapped, and where a page made the script itself, this one goes first. */

import { source } from "./config.js";
import { fixed } from "./location.js";
import { constructor, method, methodArgs } from "./natives.js";
import { mapped, placed, toReplay } from "./place.js";
import { apply, begins, each, find, fits, kept, list, NativeURL, replaced, stringify, text } from "./taken.js";

/** Of the page's own making, by their addresses. */
export const blobs = kept(new Map<string, Blob>());

const type = "text/javascript";

/** The address of a worker's script. Its text is still to be had only where the page made it. */
function scriptOf(given: unknown, isModule: boolean): unknown {
  // A module runs after what it imports.
  const first = isModule ? `import ${stringify(create(new Blob(list([source]), { type })))};` : source;
  const url = text(placed(given));
  const blob = blobs.get(url);
  if (blob) return create(new Blob(list([first, blob]), { type: blob.type }));
  if (!begins(url, "data:")) return given === url ? given : url;
  const data = find(/^data:([^,]*),(.*)$/s, url);
  const letters = data?.[2] ?? "";
  const body = fits(/;\s*base64$/i, data?.[1] ?? "") ? fromBase64(letters) : decode(letters);
  // Not as data: its realm would have no origin and no service worker.
  return create(new Blob(list([first, body]), { type }));
}

const { atob: readBase64, decodeURIComponent: decode } = globalThis;
const fromBase64 = (letters: string): string => apply(readBase64, globalThis, [letters]);
let create: (blob: Blob) => string = () => "";

const IMPORT = /(\b(?:from|import)[\s(]*["'])(https?:[^"']+)/g;

/** A module that a page writes itself names what it imports. */
function mapModule(args: unknown[]): void {
  const parts = args[0] as unknown[] | undefined;
  if (!parts?.length || !fits(/script/, text((args[1] as BlobPropertyBag | undefined)?.type))) return;
  const mapped: unknown[] = [];
  each(parts, (part, at) => (mapped[at] = typeof part === "string" ? replaced(part, IMPORT, (found) => found[1] + toReplay(text(found[2]))) : part));
  args[0] = list(mapped);
}

export function mapWorkers(): void {
  constructor("Blob", mapModule);
  const { createObjectURL } = URL;
  create = (blob) => apply(createObjectURL, NativeURL, [blob]);
  method(URL, "createObjectURL", (call, args) => {
    const url = call(args) as string;
    if (args[0] instanceof Blob) blobs.set(url, args[0]);
    return url;
  });
  method(URL, "revokeObjectURL", (call, args) => {
    blobs.delete(text(args[0]));
    return call(args);
  });
  for (const name of ["Worker", "SharedWorker"]) constructor(name, (args) => void (args.length > 0 && (args[0] = scriptOf(args[0], (args[1] as WorkerOptions | undefined)?.type === "module"))));
  methodArgs(globalThis, "importScripts", (args) => each(args, (url, at) => (args[at] = placed(url))));
  // `import(x)` is edited to `import(__wa$import(x))`.
  fixed("__wa$import", mapped);
}
