/**
 * The page that stands in where an origin has no pipe yet, or its pipe no way to the viewer: starts the pipe, sees it
 * connected, and loads the address again.
 */

import { handPorts } from "./shim/port.js";

/** Put in by the build, and by who hosts replay origins: the viewer is there, else one label up. */
declare const HOSTING: { readonly viewer: string };

/** Of the collection, where one pipe serves many. */
const salt = /^\/-\/[^/]*-([a-z2-7]{6})(?:\/|$)/.exec(location.pathname)?.[1] ?? location.search.slice(1);
const viewer = HOSTING.viewer || `${location.protocol}//${location.host.replace(/^[^.]+\./, "")}`;

const ATTEMPTS_MAX = 3;
const PATIENCE_MS = 10_000;
const GREETING_MS = 1_000;
/** Before the pipe is asked for again. */
const PAUSE_MS = 300;
const COUNT = "wa-boot";
/** Asked for by the viewer, to see whether replay works here, or to have somebody here who hands over ports. */
const STANDING = "/.wa/boot";

async function boot(): Promise<void> {
  if (top === self) throw new Error("An archived page opens inside Stackroom only.");
  if (location.pathname === STANDING) return stand();
  const attempts = Number(sessionStorage.getItem(COUNT) ?? 0) + 1;
  if (attempts > ATTEMPTS_MAX) {
    sessionStorage.removeItem(COUNT);
    throw new Error("The archived page cannot be reached.");
  }
  sessionStorage.setItem(COUNT, String(attempts));
  await connected(await started());
  // What is here at the top is no place to come back to: the page may scroll by itself.
  history.scrollRestoration = "manual";
  // Not replace(): an address with a fragment would only be scrolled to.
  location.reload();
}

async function stand(): Promise<void> {
  await started();
  if (location.hash !== "") await emptied(`wa-${location.hash.slice(1)}`);
  top?.postMessage({ wa: "here" }, viewer);
  // An archived page waits for it that is about to post a form.
  parent.postMessage({ wa: "here" }, "*");
}

/** Where archived sites share an origin, one collection finds nothing of the one before. */
async function emptied(mark: string): Promise<void> {
  if (await caches.has(mark)) return;
  localStorage.clear();
  sessionStorage.clear();
  for (const cookie of document.cookie.split(";")) document.cookie = `${cookie.replace(/=.*$/s, "")}=; Max-Age=0; Path=/`;
  for (const name of await caches.keys()) await caches.delete(name);
  for (const { name } of await indexedDB.databases()) if (name !== undefined) await deleted(name);
  // Not every browser has one, nor in a frame.
  const files = (await navigator.storage?.getDirectory?.().catch(() => undefined)) as { keys(): AsyncIterable<string>; removeEntry(name: string, options: { recursive: true }): Promise<void> } | undefined;
  if (files) for await (const name of files.keys()) await files.removeEntry(name, { recursive: true });
  await caches.open(mark);
}

/** One that a page still holds goes with that page. */
function deleted(name: string): Promise<void> {
  return new Promise((resolve) => {
    const asked = indexedDB.deleteDatabase(name);
    asked.onsuccess = asked.onerror = asked.onblocked = () => resolve();
  });
}

async function started(): Promise<ServiceWorker> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("This browser allows no service worker here, so nothing can be replayed.");
  for (let left = ATTEMPTS_MAX; ; left -= 1) {
    try {
      return await activated(await serviceWorker.register("/.wa/sw.js", { scope: "/", updateViaCache: "all" }));
    } catch (error) {
      if (left === 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const pipe = registration.active ?? registration.waiting ?? registration.installing;
  if (!pipe) throw new Error("The service worker did not start.");
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (pipe.state === "activated") resolve(pipe);
      else if (pipe.state === "redundant") reject(new Error("The service worker did not start."));
    };
    pipe.addEventListener("statechange", look);
    look();
    // One that was stopped on its way there may never say so.
    setTimeout(() => reject(new Error("The service worker did not start.")), PATIENCE_MS);
  });
}

function connected(pipe: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The viewer does not answer.")), PATIENCE_MS);
    navigator.serviceWorker.addEventListener("message", (event: MessageEvent) => {
      if ((event.data as { wa?: unknown } | null)?.wa !== "ready") return;
      clearTimeout(timer);
      clearInterval(greeting);
      sessionStorage.removeItem(COUNT);
      resolve();
    });
    const greet = (): void => pipe.postMessage({ wa: "hello", salt });
    // A pipe that was stopped has heard nothing.
    const greeting = setInterval(greet, GREETING_MS);
    greet();
  });
}

handPorts(viewer, salt);
boot().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});
