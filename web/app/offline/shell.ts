/**
 * The viewer's own service worker: keeps the files of the viewer, so that it opens with the network gone.
 *
 * It knows the list of those files that the build made and serves nothing else: no archive, no record and no archived page
 * ever comes from here, nor does it keep any. Each version of the viewer has a cache of its own; the one before stays, so
 * that a page of it finds what it has not fetched yet.
 */

/** Put in by the build: paths relative to this file, and what they are all made of. */
declare const FILES: readonly string[];
declare const VERSION: string;

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

const scope = self as unknown as EventTarget & { readonly location: Location; skipWaiting(): Promise<void> };
const PREFIX = "stackroom shell ";
const here = new URL(".", scope.location.href).href;
const known = new Set(FILES.map((file) => here + file));
/** Names that are made of the content: such a file never changes under its name. */
const isHashed = /^assets\/.*-[\w-]{8,}\.\w+$/;

scope.addEventListener("install", (event) => {
  (event as Waiting).waitUntil(keep().then(() => scope.skipWaiting()));
});

scope.addEventListener("activate", (event) => {
  (event as Waiting).waitUntil(forget());
});

async function keep(): Promise<void> {
  const cache = await caches.open(PREFIX + VERSION);
  for (const file of FILES) {
    const had = isHashed.test(file) ? await caches.match(here + file) : undefined;
    const answer = had ?? (await fetch(here + file, { cache: isHashed.test(file) ? "default" : "reload" }));
    if (!answer.ok) throw new Error(`${file} is not there`);
    await cache.put(here + file, answer);
  }
}

/** All but this version and the one before. */
async function forget(): Promise<void> {
  const versions = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION);
  for (const name of versions.slice(0, -1)) await caches.delete(name);
}

scope.addEventListener("fetch", (event) => {
  const { request, respondWith } = event as Event & { readonly request: Request; respondWith(answer: Promise<Response>): void };
  const url = request.url.replace(/[?#].*$/s, "");
  const file = url === here ? `${here}index.html` : url;
  if (request.method !== "GET" || !known.has(file) || request.headers.has("range")) return;
  respondWith.call(event, stored(file, request));
});

async function stored(file: string, request: Request): Promise<Response> {
  const cache = await caches.open(PREFIX + VERSION);
  return (await cache.match(file)) ?? (await caches.match(file)) ?? fetch(request);
}

export {};
