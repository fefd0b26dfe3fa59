/** The net below all mapping: what the policy has refused is mapped once more, or told. */

import { LISTS, mapList } from "./markup.js";
import { tellPlace } from "./navigation.js";
import { isTop, say, toReplay } from "./place.js";
import { mapStyle } from "./styles.js";
import { each, fits, has, kept, replaced } from "./taken.js";

/** By then there is another pipe. */
const AGAIN_MS = 500;
const tried = kept(new WeakSet<Element>());

/** What names the address in an element is mapped, by which the element asks again. */
function mapAttributes(element: Element, address: string): void {
  each(element.attributes, ({ name, value }) => {
    if (has(value, address)) element.setAttribute(name, name === "style" ? mapStyle(value) : LISTS.has(name) ? mapList(value) : toReplay(value));
  });
}

/** Whether there was an element that asked for it. */
function mapAgain(blocked: string): boolean {
  let isFound = false;
  const address = replaced(replaced(blocked, /["\\]/g, (sign) => `\\${sign[0]}`), /^https?:/, () => "");
  each(document.querySelectorAll(`[src$="${address}"],[href$="${address}"],[poster$="${address}"],[srcset*="${address}"],[style*="${address}"],style`), (element) => {
    if (tried.has(element)) return;
    if (element instanceof HTMLStyleElement) {
      const css = element.textContent ?? "";
      if (mapStyle(css) === css) return;
      element.textContent = css;
    } else mapAttributes(element, address);
    tried.add(element);
    isFound = true;
  });
  return isFound;
}

const failed = kept(new WeakSet<Element>());

/** A picture that nobody answered for, as where the pipe was stopped on the way, is asked for once more. */
function askAgain(target: EventTarget | null): void {
  if (!(target instanceof HTMLImageElement) || failed.has(target)) return;
  failed.add(target);
  const entry = performance.getEntriesByName(toReplay(target.currentSrc))[0] as { readonly responseStatus?: number } | undefined;
  const src = target.getAttribute("src");
  if (src !== null && !entry?.responseStatus) setTimeout(() => target.getAttribute("src") === src && target.setAttribute("src", src), AGAIN_MS);
}

export function watch(): void {
  document.addEventListener("error", ({ target }) => askAgain(target), true);
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
    if (!fits(/^(?:https?|wss?):/, blockedURI)) return;
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
