/** Workers that pages start: their scripts are mapped, and where a page made the script itself, this one goes first. */

import { source } from "./config.js";
import { constructor, defineProperty, method, methodArgs } from "./natives.js";
import { isPage, mapped, toReplay } from "./place.js";

/** Of the page's own making, by their addresses. */
export const blobs = new Map<string, Blob>();

/** The address of a worker's script. Its text is still to be had only where the page made it. */
function scriptOf(given: unknown): unknown {
  const url = String(mapped(given));
  const blob = blobs.get(url);
  if (blob) return create(new Blob([source(), blob], { type: blob.type }));
  if (!url.startsWith("data:")) return given === url ? given : url;
  const [, type = "", text = ""] = /^data:([^,]*),(.*)$/s.exec(url) ?? [];
  const body = /;\s*base64$/i.test(type) ? atob(text) : decodeURIComponent(text);
  // Not as data: its realm would have no origin and no service worker.
  return create(new Blob([source(), body], { type: "text/javascript" }));
}

let create: (blob: Blob) => string = () => "";

/** What `import(` is edited to: relative addresses are relative to the module that asks. */
function importFrom(specifier: unknown, base?: unknown, options?: unknown): Promise<unknown> {
  const text = String(specifier);
  const isRelative = /^\.{0,2}\//.test(text) && !text.startsWith("//");
  const from = typeof base === "string" ? base : isPage ? document.baseURI : location.href;
  const url = toReplay(isRelative ? new URL(text, toReplay(from)).href : text);
  const native = (Function as unknown as (...args: string[]) => (url: string, options: unknown) => Promise<unknown>)("u", "o", "return import(u,o)");
  return native(url, options);
}

export function mapWorkers(): void {
  const { createObjectURL } = URL;
  create = (blob) => createObjectURL.call(URL, blob);
  method(URL, "createObjectURL", (call, args) => {
    const url = call(args) as string;
    if (args[0] instanceof Blob) blobs.set(url, args[0]);
    return url;
  });
  method(URL, "revokeObjectURL", (call, args) => {
    blobs.delete(String(args[0]));
    return call(args);
  });
  for (const name of ["Worker", "SharedWorker"]) constructor(name, (args) => void (args.length > 0 && (args[0] = scriptOf(args[0]))));
  methodArgs(globalThis, "importScripts", (args) => args.forEach((url, at) => (args[at] = mapped(url))));
  defineProperty(globalThis, "__wa$import", { value: importFrom });
}
