/** Where this realm is: its hosts, the window that is the top of the archived page, and a word to the viewer. */

import { config } from "./config.js";
import { makeHosts } from "./hosts.js";
import { begins, ends, NativeURL, text } from "./taken.js";

const own = new NativeURL(config.url);
export const { toReplay, toArchived, unmapped, rooted } = makeHosts(config, own, (host) => say({ wa: "host", host }));

export const isPage = typeof document === "object";
export const archivedOrigin = own.origin;
export const archivedHost = own.hostname;
export const realLocation = location;

const over = (map: (url: string) => string) => (address: unknown): unknown => {
  if (typeof address === "string") return map(address);
  return typeof address === "object" && address !== null ? map(text(address)) : address;
};

/** An address as a page hands it over: text, an URL, a Location, or something that is no address. */
export const mapped = over(toReplay);
/** Of where a realm is or goes: what begins with one slash is mapped, too, since no pipe may see who asks for it. */
export const placed = over(rooted);

export const told = (address: unknown): unknown => (typeof address === "string" ? toArchived(address) : address);

/** Whether something is a window, also one of another origin. */
export function isWindow(thing: unknown): thing is Window {
  if (typeof thing !== "object" || thing === null) return false;
  if (thing === globalThis) return true;
  try {
    return (thing as Window).window === thing;
  } catch {
    return false;
  }
}

const realTop = isPage ? top : null;

/** The outermost window below the viewer, which is what archived pages take for the top. */
function findTop(): Window | null {
  if (!isPage) return null;
  // Where the viewer is itself framed, only Chromium tells how far up replay goes.
  const { ancestorOrigins } = location as { ancestorOrigins?: DOMStringList };
  const isReplay = (origin: string): boolean => (config.after === "" ? begins(config.before, `${origin}/`) : ends(origin, `-${config.salt}${config.after}`));
  let found: Window = window;
  for (let depth = 0; found.parent !== found; depth += 1, found = found.parent) {
    const origin = ancestorOrigins?.[depth];
    if (origin === undefined ? found.parent === realTop : !isReplay(origin)) break;
  }
  return found;
}

export const replayTop = findTop();
export const isTop = isPage && replayTop === window;
const viewer = replayTop && replayTop.parent !== replayTop ? replayTop.parent : null;

/** What the viewer is told: advice, which it checks and may ignore. */
export type Word =
  | { readonly wa: "nav"; readonly url: string; readonly title: string }
  | { readonly wa: "title"; readonly title: string }
  | { readonly wa: "left"; readonly url: string }
  | { readonly wa: "open"; readonly url: string; readonly target: string }
  | { readonly wa: "blocked"; readonly url: string }
  | { readonly wa: "cookie"; readonly cookie: string; readonly host: string }
  /** An address was made of a host that its label does not tell. */
  | { readonly wa: "host"; readonly host: string }
  | { readonly wa: "marks"; readonly count: number; readonly at: number }
  | { readonly wa: "idle" };

export function say(word: Word): void {
  viewer?.postMessage(word, config.viewer);
}
