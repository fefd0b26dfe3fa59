/** Workers that pages start: their scripts are mapped, and where a page made the script itself, this one goes first. */

import { source } from "./config.js";
import { constructor, defineProperty, method, methodArgs, NativeURL } from "./natives.js";
import { mapped, placed } from "./place.js";

/** Of the page's own making, by their addresses. */
export const blobs = new Map<string, Blob>();

const type = "text/javascript";

/** The address of a worker's script. Its text is still to be had only where the page made it. */
function scriptOf(given: unknown, isModule: boolean): unknown {
  // A module runs after what it imports.
  const first = isModule ? `import ${JSON.stringify(create(new Blob([source], { type })))};` : source;
  const url = String(placed(given));
  const blob = blobs.get(url);
  if (blob) return create(new Blob([first, blob], { type: blob.type }));
  if (!url.startsWith("data:")) return given === url ? given : url;
  const [, kind = "", text = ""] = /^data:([^,]*),(.*)$/s.exec(url) ?? [];
  const body = /;\s*base64$/i.test(kind) ? atob(text) : decodeURIComponent(text);
  // Not as data: its realm would have no origin and no service worker.
  return create(new Blob([first, body], { type }));
}

let create: (blob: Blob) => string = () => "";

export function mapWorkers(): void {
  const { createObjectURL } = URL;
  create = (blob) => createObjectURL.call(NativeURL, blob);
  method(URL, "createObjectURL", (call, args) => {
    const url = call(args) as string;
    if (args[0] instanceof Blob) blobs.set(url, args[0]);
    return url;
  });
  method(URL, "revokeObjectURL", (call, args) => {
    blobs.delete(String(args[0]));
    return call(args);
  });
  for (const name of ["Worker", "SharedWorker"]) constructor(name, (args) => void (args.length > 0 && (args[0] = scriptOf(args[0], (args[1] as WorkerOptions | undefined)?.type === "module"))));
  methodArgs(globalThis, "importScripts", (args) => args.forEach((url, at) => (args[at] = placed(url))));
  // `import(x)` is edited to `import(__wa$import(x))`.
  defineProperty(globalThis, "__wa$import", { value: mapped });
}
