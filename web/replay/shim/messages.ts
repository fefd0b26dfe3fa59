/** Messages between windows: origins are named as archived and are replay origins. */

import { accessor, defineProperty, NativeURL, prototypeOf } from "./natives.js";
import { config } from "./config.js";
import { isWindow, realLocation, told, toReplay, unmapped } from "./place.js";

function originOf(target: unknown): unknown {
  if (typeof target !== "string") return target;
  const url = toReplay(target);
  return url === target ? target : new NativeURL(url).origin;
}

function withOrigin(options: unknown): unknown {
  if (typeof options !== "object" || options === null || !("targetOrigin" in options)) return originOf(options);
  return { ...options, targetOrigin: originOf(options.targetOrigin) };
}

/** What scripts post over: a window takes an archived origin; everything else is itself. */
function poster(thing: unknown): unknown {
  if (!isWindow(thing)) return thing;
  return {
    postMessage: (message: unknown, ...rest: unknown[]) =>
      (thing.postMessage as (...args: unknown[]) => void)(message, ...(rest.length > 0 ? [withOrigin(rest[0]), ...rest.slice(1)] : [])),
  };
}

export function lieAboutMessages(): void {
  defineProperty(globalThis, "__wa$P", { value: poster });
  accessor(prototypeOf("StorageEvent"), "url", told);
  accessor(prototypeOf("MessageEvent"), "origin", (value, self) => {
    const { source } = self as MessageEvent;
    // Where archived hosts share an origin, who speaks says which one it is.
    return config.after === "" && value === realLocation.origin && isWindow(source) ? (source as { origin?: unknown }).origin : unmapped(String(value));
  });
}
