/** Messages between windows: origins are named as archived and are replay origins. */

import { config } from "./config.js";
import { fixed } from "./location.js";
import { accessor } from "./natives.js";
import { isWindow, realLocation, told, toReplay, unmapped } from "./place.js";
import { apply, NativeURL, text } from "./taken.js";

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
    postMessage: (...args: unknown[]) => {
      if (args.length > 1) args[1] = withOrigin(args[1]);
      return apply(thing.postMessage, thing, args as [unknown]);
    },
  };
}

export function lieAboutMessages(): void {
  fixed("__wa$P", poster);
  accessor("StorageEvent", "url", told);
  accessor("MessageEvent", "origin", (value, self) => {
    const { source } = self as MessageEvent;
    // Where archived hosts share an origin, who speaks says which one it is.
    return config.after === "" && value === realLocation.origin && isWindow(source) ? (source as { origin?: unknown }).origin : unmapped(text(value));
  });
}
