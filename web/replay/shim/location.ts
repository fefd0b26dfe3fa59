/**
 * `location` and `top` as the archived page knew them. Both are fixed in browsers, so scripts are edited to ask for
 * `__wa$loc`, `__wa$top` and, where something else may be meant too, for `__wa$L(thing).location`.
 */

import { config } from "./config.js";
import { tell } from "./natives.js";
import { isPage, isWindow, placed, realLocation, replayTop, told } from "./place.js";
import { apply, bare, begins, canParse, create, defineProperty, deleteProperty, getOwnPropertyDescriptor, kept, NativeURL, ownKeys, text } from "./taken.js";

const prototype = (globalThis as unknown as Record<string, { prototype: object }>)[isPage ? "Location" : "WorkerLocation"]?.prototype ?? {};
const owner = isPage ? realLocation : prototype;
const nativeHref = getOwnPropertyDescriptor(owner, "href");
const realHref = (): string => text(nativeHref?.get ? apply(nativeHref.get, realLocation, []) : realLocation.href);

/** The address of this document as it was: where it is a realm without one, what the browser says. */
export const href = (): string => (isMade(realHref()) ? "about:srcdoc" : (told(realHref()) as string));
/** Whether a document is one that a page made and that has an address only to have a service worker. */
export const isMade = (url: unknown): boolean => begins(text(url), `${realLocation.origin}/.wa/doc`);
export const go = (url: unknown): void => {
  realLocation.href = text(placed(url));
};

function makeLocation(): Location {
  const lie = create(prototype) as Location;
  const part = (name: keyof URL & keyof Location): void =>
    defineProperty(lie, name, {
      enumerable: true,
      configurable: true,
      get: () => (canParse(href()) ? text(new NativeURL(href())[name]) : (realLocation[name] as string)),
      set(value: unknown) {
        const url = new NativeURL(href());
        if (name === "hash" || name === "search" || (name === "pathname" && config.after !== "")) (realLocation as unknown as Record<string, unknown>)[name] = value;
        else {
          (url as unknown as Record<string, unknown>)[name] = value;
          go(url.href);
        }
      },
    }) as unknown as void;
  for (const name of ["host", "hostname", "protocol", "port", "pathname", "search", "hash", "origin"] as const) part(name);
  const add = (name: string, value: unknown): void => void defineProperty(lie, name, { value, enumerable: true, configurable: true, writable: true });
  defineProperty(lie, "href", { get: href, set: go, enumerable: true, configurable: true });
  add("toString", () => href());
  add("assign", (url: unknown) => realLocation.assign(text(placed(url))));
  add("replace", (url: unknown) => realLocation.replace(text(placed(url))));
  add("reload", () => realLocation.reload());
  add("ancestorOrigins", Object.assign([], { item: () => null, contains: () => false }));
  return lie;
}

export const ownLocation = makeLocation();

/** The location of another window: its own shim's, or of another origin the little that may be done with it. */
function locationOf(other: Window): unknown {
  try {
    return (other as unknown as { __wa$loc?: unknown }).__wa$loc ?? other.location;
  } catch {
    const replace = (url: unknown): void => other.location.replace(text(placed(url)));
    return new Proxy({}, bare<ProxyHandler<object>>({
      get: (_, name) => (name === "replace" ? replace : (other.location as unknown as Record<PropertyKey, unknown>)[name]),
      set: (_, name, value) => {
        (other.location as unknown as Record<PropertyKey, unknown>)[name] = name === "href" ? placed(value) : value;
        return true;
      },
    }));
  }
}

function setLocation(other: Window, url: unknown): void {
  if ((other as unknown) === globalThis) go(url);
  // A relative address is relative to who sets it.
  else other.location.href = text(placed(new NativeURL(text(url), isPage ? document.baseURI : href()).href));
}

/** What stands for a window or a document where its location or top is asked for. */
function holderOf(thing: object, view: Window): object {
  return new Proxy({}, bare<ProxyHandler<object>>({
    get: (_, name) => {
      if (name === "location") return view === (globalThis as unknown) ? ownLocation : locationOf(view);
      if (name === "eval") return (thing as { __wa$eval?: unknown }).__wa$eval ?? (thing as Record<PropertyKey, unknown>)[name];
      return name === "top" && isWindow(thing) ? replayTop : (thing as Record<PropertyKey, unknown>)[name];
    },
    set: (_, name, value) => {
      if (name === "location") setLocation(view, value);
      else (thing as Record<PropertyKey, unknown>)[name] = value;
      return true;
    },
    has: (_, name) => name in thing,
    deleteProperty: (_, name) => deleteProperty(thing, name),
    // So that a pattern with a rest takes what there is.
    ownKeys: () => ownKeys(thing),
    getOwnPropertyDescriptor: (_, name) => {
      const found = getOwnPropertyDescriptor(thing, name);
      return found && { ...found, configurable: true };
    },
  }));
}

const ownHolders = kept(new Map<unknown, object>());

function lookFor(thing: unknown): unknown {
  const known = ownHolders.get(thing);
  if (known || typeof thing !== "object" || thing === null) return known ?? thing;
  if (isWindow(thing)) return holderOf(thing, thing);
  try {
    const { nodeType, defaultView } = thing as Document;
    if (nodeType === 9 && defaultView) return holderOf(thing, defaultView);
  } catch {
    // No document that may be read.
  }
  return thing;
}

/** What edited scripts ask for. */
export const fixed = (name: string, value: unknown): void => void defineProperty(globalThis, name, { value });

export function lieAboutLocation(): void {
  tell(globalThis, "__wa$loc", () => ownLocation, go);
  fixed("__wa$L", lookFor);
  tell(globalThis, "origin", () => new NativeURL(config.url).origin);
  if (!isPage) return tell(globalThis, "location", () => ownLocation);
  ownHolders.set(window, holderOf(window, window)).set(document, holderOf(document, window));
  // Assigning to it does nothing, as with the real one.
  tell(globalThis, "__wa$top", () => replayTop, () => {});
  if (replayTop !== window) return;
  tell(globalThis, "parent", () => window, (value) => void defineProperty(globalThis, "parent", { value, writable: true, configurable: true, enumerable: true }));
  tell(globalThis, "frameElement", () => null);
}
