/** Realms that a page makes itself, which no archive answers for: this script goes into them before anyone uses them. */

import { source } from "./config.js";
import { accessor, prototypeOf } from "./natives.js";

/** Into a window of the same origin that has no shim. Documents from the archive bring their own. */
function enter(frame: unknown): void {
  try {
    const view = contentWindow(frame as HTMLIFrameElement) as (Window & typeof globalThis & { __wa$L?: unknown }) | null;
    if (!view || view.__wa$L || /^https?:/.test(view.location.href)) return;
    view.eval(source());
  } catch {
    // Of another origin, or gone.
  }
}

let contentWindow = (frame: HTMLIFrameElement): Window | null => frame.contentWindow;

export function enterFrames(): void {
  for (const name of ["HTMLIFrameElement", "HTMLFrameElement"]) {
    const owner = prototypeOf(name);
    const native = owner && Object.getOwnPropertyDescriptor(owner, "contentWindow")?.get;
    if (native && name === "HTMLIFrameElement") contentWindow = (frame) => native.call(frame) as Window | null;
    const first = (value: unknown, self: object): unknown => {
      enter(self);
      return value;
    };
    accessor(owner, "contentWindow", first);
    accessor(owner, "contentDocument", first);
  }
  const isFrame = (node: EventTarget | null): boolean => node instanceof HTMLIFrameElement;
  // Firefox makes a new window when the empty document has loaded.
  document.addEventListener("load", ({ target }) => isFrame(target) && enter(target), true);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (isFrame(node)) enter(node);
        else if (node instanceof Element && node.firstElementChild) for (const frame of node.getElementsByTagName("iframe")) enter(frame);
      }
    }
  }).observe(document, { childList: true, subtree: true });
}
