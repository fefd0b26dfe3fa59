/** Whether this browser and who serves it give what a way of replaying needs: tried, from the best to the least. */

import { labelOf, originsOf, type Origins, type ReplaySetting } from "./origins.js";
import { sandboxOf } from "./policy.js";

/** What of a document is needed here, so that nothing else is touched. */
export interface FrameHost {
  readonly ownerDocument: { createElement(name: "iframe"): Frame };
  append(...frames: never[]): void;
}

export interface Frame extends EventTarget {
  hidden: boolean;
  title: string;
  src: string;
  readonly contentWindow: { readonly location: { replace(url: string): void }; postMessage(message: unknown, origin: string): void } | null;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

/** From when something is there, be it the browser's own word that nothing answers; slow machines take their time until then. */
const PATIENCE_MS = 3_000;
const LOADING_MS = 10_000;

/** Where the boot page of a way is; it stands there, and readies the origin for this collection. */
export async function standingOf(origins: Origins): Promise<string> {
  if (origins.mode === "wildcard") return `${origins.before}probe-${origins.salt}${origins.after}/.wa/boot`;
  // Not the salt: whatever runs there later may read what is kept of this.
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(origins.salt)));
  const mark = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${new URL(origins.before).origin}/.wa/boot#${mark}`;
}

/** A page that stands at an origin: it hands ports to what runs there, until it is told to leave. */
export interface Standing {
  leave(): void;
}

/** Whether these origins answer and may start what they need; a single one is ready for the collection then. */
export async function areReachable(origins: Origins, host: FrameHost): Promise<boolean> {
  if (origins.mode === "same") return startInert(origins).then(() => true, () => false);
  const standing = await stand(origins, await standingOf(origins), host);
  standing?.leave();
  return standing !== null;
}

/** Has the boot page stand at an address of these origins; null where that does not answer. */
export async function stand(origins: Origins, address: string, host: FrameHost): Promise<Standing | null> {
  if (!URL.canParse(address)) return null;
  const frame = host.ownerDocument.createElement("iframe");
  frame.hidden = true;
  frame.setAttribute("sandbox", sandboxOf(origins.mode));
  const leave = (): void => frame.remove();
  return new Promise((resolve) => {
    const onMessage = (event: MessageEvent): void => {
      if (labelOf(origins, event.origin) !== undefined && (event.data as { wa?: unknown } | null)?.wa === "here") done({ leave });
    };
    let timer = setTimeout(() => done(null), LOADING_MS);
    const onLoad = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => done(null), PATIENCE_MS);
    };
    const done = (standing: Standing | null): void => {
      clearTimeout(timer);
      removeEventListener("message", onMessage);
      frame.removeEventListener("load", onLoad);
      if (!standing) leave();
      resolve(standing);
    };
    addEventListener("message", onMessage);
    frame.addEventListener("load", onLoad);
    frame.src = address;
    host.append(frame as never);
  });
}

/** The first of these that works; null where none does. */
export async function firstReachable(settings: readonly ReplaySetting[], salt: string, host: FrameHost): Promise<ReplaySetting | null> {
  for (const setting of settings) {
    const origins = originsOf(setting, salt);
    if (origins && (await areReachable(origins, host))) return setting;
  }
  return null;
}

/** The service worker below this page's own address, started. */
export async function startInert({ before }: Origins): Promise<ServiceWorker> {
  const scope = new URL("..", `${before}x`).href;
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("This browser allows no service worker here.");
  const registration = await serviceWorker.register(`${scope}sw.js`, { scope, updateViaCache: "none" });
  const pipe = registration.active ?? registration.waiting ?? registration.installing;
  if (!pipe) throw new Error("The service worker did not start.");
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The service worker did not start.")), PATIENCE_MS);
    const look = (): void => {
      if (pipe.state !== "activated" && pipe.state !== "redundant") return;
      clearTimeout(timer);
      if (pipe.state === "activated") resolve(pipe);
      else reject(new Error("The service worker did not start."));
    };
    pipe.addEventListener("statechange", look);
    look();
  });
}
