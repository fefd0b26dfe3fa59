/** The net below all mapping: what the policy has refused is mapped once more, or told. */

import { isTop, say, toReplay } from "./place.js";
import { LISTS, mapList } from "./markup.js";
import { mapStyle } from "./styles.js";
import { tellPlace } from "./navigation.js";

const tried = new WeakSet<Element>();

/** Whether there was an element that asked for it. */
function mapAgain(blocked: string): boolean {
  let isFound = false;
  const address = blocked.replace(/["\\]/g, "\\$&");
  const withoutScheme = address.replace(/^https?:/, "");
  for (const element of document.querySelectorAll(`[src$="${withoutScheme}"],[href$="${withoutScheme}"],[poster$="${withoutScheme}"],[srcset*="${withoutScheme}"],[style*="${withoutScheme}"],style`)) {
    if (tried.has(element)) continue;
    if (element instanceof HTMLStyleElement) {
      const css = element.textContent ?? "";
      if (mapStyle(css) === css) continue;
      element.textContent = css;
    } else {
      for (const { name, value } of [...element.attributes]) {
        if (!value.includes(withoutScheme)) continue;
        element.setAttribute(name, name === "style" ? mapStyle(value) : LISTS.has(name) ? mapList(value) : toReplay(value));
      }
    }
    tried.add(element);
    isFound = true;
  }
  return isFound;
}

export function watch(): void {
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
    if (!/^(?:https?|wss?):/.test(blockedURI)) return;
    if (toReplay(blockedURI) === blockedURI || !mapAgain(blockedURI)) say({ wa: "blocked", url: blockedURI });
  });
  if (!isTop) return;
  document.addEventListener("DOMContentLoaded", () => {
    tellPlace();
    const title = document.querySelector("title");
    if (title) new MutationObserver(() => say({ wa: "title", title: document.title })).observe(title, { childList: true, characterData: true, subtree: true });
  });
  addEventListener("load", () => {
    tellPlace();
    say({ wa: "idle" });
  });
}
