/**
 * Realms that a page makes itself, which no archive answers for.
 *
 * F1  This script goes into them before anyone uses them.
 * F2  A document whose text is at hand (srcdoc, a blob, what was written) is put into one that comes by an address of
 *     its own, since only that has a service worker: the pipe answers FRAME_PATH with a page that calls `__wa$write`.
 * F3  An empty document has none: it fetches by its parent's means, and what it shows of the archive stays blank.
 */

import { source } from "./config.js";
import { fixed, isMade } from "./location.js";
import { FRAME_PATH, mapMarkup, SRCDOC } from "./markup.js";
import { accessor, method, prototypeOf } from "./natives.js";
import { mapped, placed } from "./place.js";
import { after, apply, defineProperty, each, fits, getOwnPropertyDescriptor, kept, replaced, text } from "./taken.js";
import { blobs } from "./workers.js";

type View = Window & typeof globalThis & { __wa$L?: unknown };

/** Text with scripts, or with something to be loaded. */
const isOfMore = /<script|<[^>]+\s(?:src|srcset|href)\s*=/i;
const DOCTYPE = /^\s*<!doctype[^>]*>/i;
/** What is written and never closed is shown after so long. */
const UNCLOSED_MS = 100;

const texts = kept(new WeakMap<object, string>());
const shown = kept(new WeakMap<object, string>());
const filled = kept(new WeakSet<object>());
let fetchHere: typeof fetch;
let setSrc: (frame: object, src: string) => void = () => {};
let viewOf: (frame: object) => View | null = () => null;

/** Shows a document of that text in a frame. */
function write(frame: object, html: string): void {
  texts.set(frame, html);
  setSrc(frame, FRAME_PATH);
}

export function setSrcdoc(frame: HTMLIFrameElement, html: string): void {
  shown.set(frame, html);
  write(frame, html);
}

/** Called by the document that stands in for one without an address. */
function fill(frame: HTMLIFrameElement): void {
  const view = viewOf(frame);
  const html = texts.get(frame) ?? frame.getAttribute(SRCDOC) ?? "";
  if (!view) return;
  const { document: inner } = view;
  const base = fits(/<base\b/i, html) ? "" : `<base href="${replaced(text(mapped(document.baseURI)), /"/g, () => "%22")}">`;
  const first = `<script>${source}document.currentScript.remove()</script>${base}`;
  const body = mapMarkup(html);
  inner.open();
  inner.write(fits(DOCTYPE, body) ? replaced(body, DOCTYPE, (doctype) => doctype[0] + first) : first + body);
  inner.close();
}

/** What may run no scripts cannot ask to be filled. */
function fillMute(frame: HTMLIFrameElement, inner: Document): void {
  if (filled.has(inner) || fits(/allow-scripts|^$/i, frame.getAttribute("sandbox") ?? "")) return;
  filled.add(inner);
  fill(frame);
}

/** Into a window of the same origin that has no shim. Documents from the archive bring their own. */
function enter(frame: object): void {
  try {
    const view = viewOf(frame);
    if (!view) return;
    // The window of an empty document may stay that of the next one, with what was put into it.
    if (isMade(view.location.href)) return fillMute(frame as HTMLIFrameElement, view.document);
    if (view.__wa$L || fits(/^https?:/, view.location.href)) return;
    view.eval(source);
    // It has no service worker, so what it fetches is fetched here.
    view.fetch = fetchHere;
    view.XMLHttpRequest = XMLHttpRequest;
  } catch {
    // Of another origin, or gone.
  }
}

/** In a realm without a service worker: what is written there is shown by a document that has one. */
function followWriting(): void {
  const container = frameElement;
  if (location.href !== "about:blank" || !container) return;
  let written = "";
  let timer = 0;
  const show = (): void => {
    clearTimeout(timer);
    if (fits(isOfMore, written)) (parent as unknown as { __wa$show: (frame: object, html: string) => void }).__wa$show(container, written);
  };
  each(["write", "writeln"], (name) => {
    const end = name === "write" ? "" : "\n";
    method("Document", name, (call, args, self) => {
      if (self !== document) return call(args);
      each(args, (given) => (written += text(given)));
      written += end;
      // Right as it is, as long as nothing of it is to be loaded or run: that is done once, and there.
      if (!fits(isOfMore, written)) return call(args);
      clearTimeout(timer);
      timer = setTimeout(show, UNCLOSED_MS);
      return undefined;
    });
  });
  method("Document", "close", (call, args, self) => {
    const result = call(args);
    if (self === document) {
      show();
      written = "";
    }
    return result;
  });
}

export function enterFrames(): void {
  const frames = prototypeOf("HTMLIFrameElement");
  const [view, src] = ["contentWindow", "src"].map((name) => frames && getOwnPropertyDescriptor(frames, name));
  if (!frames || !view?.get || !src?.set) return;
  const { get } = view;
  const { set } = src;
  const { fetch: mappedFetch } = globalThis;
  fetchHere = (...args) => apply(mappedFetch, globalThis, args);
  viewOf = (frame) => apply(get, frame, []) as View | null;
  setSrc = (frame, url) => void apply(set, frame, [url]);
  for (const name of ["contentWindow", "contentDocument"]) {
    accessor(frames, name, (value, self) => {
      enter(self);
      return value;
    });
  }
  defineProperty(frames, "src", {
    ...src,
    set(this: object, value: unknown) {
      const url = text(value);
      const blob = blobs.get(url);
      if (blob && fits(/html/, blob.type)) return after(blob.text(), (html) => write(this, html));
      setSrc(this, text(placed(value)));
    },
  });
  accessor(frames, "srcdoc", (value, self) => shown.get(self) ?? (self as Element).getAttribute(SRCDOC) ?? value);
  const native = getOwnPropertyDescriptor(frames, "srcdoc");
  if (native) defineProperty(frames, "srcdoc", { ...native, set(this: HTMLIFrameElement, value: unknown) { setSrcdoc(this, text(value)); } });
  fixed("__wa$write", fill);
  fixed("__wa$show", write);
  followWriting();

  const isFrame = (node: EventTarget | null): node is HTMLIFrameElement => node instanceof HTMLIFrameElement;
  // Firefox makes a new window when the empty document has loaded.
  document.addEventListener("load", ({ target }) => isFrame(target) && enter(target), true);
  new MutationObserver((changes) =>
    each(changes, ({ addedNodes }) =>
      each(addedNodes, (node) => {
        if (isFrame(node)) enter(node);
        else if (node.nodeType === 1 && node.firstChild) each((node as Element).getElementsByTagName("iframe"), enter);
      }),
    ),
  ).observe(document, { childList: true, subtree: true });
}
