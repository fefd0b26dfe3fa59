/** Where a page goes: addresses that nothing has mapped before are mapped here, and new windows are the viewer's. */

import { fixed } from "./location.js";
import { accessor, method, methodArgs, prototypeOf, put, refuse } from "./natives.js";
import { archivedOrigin, isTop, isWindow, placed, realLocation, replayTop, say, toArchived, toReplay, told } from "./place.js";
import { apply, begins, each, fits, getOwnPropertyDescriptor, kept, lower, NativeURL, text } from "./taken.js";

interface NavigateEvent extends Event {
  readonly destination: { readonly url: string };
  readonly navigationType: string;
  readonly formData: FormData | null;
}

/** Where a form may go at once: there is a service worker. Elsewhere nobody would hear it, and Firefox asks its user to send it again. */
const begun = kept(new Set([realLocation.origin]));
const BEGINNING_MS = 4_000;

function begin(origin: string, then: () => void): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  const go = (): void => {
    if (!begun.has(origin)) then();
    begun.add(origin);
  };
  addEventListener("message", ({ source, data }) => source === frame.contentWindow && (data as { wa?: unknown } | null)?.wa === "here" && go());
  setTimeout(go, BEGINNING_MS);
  frame.src = `${origin}/.wa/boot`;
  document.documentElement.append(frame);
}

/** Not there in workers. */
const { submit: submitForm } = (prototypeOf("HTMLFormElement") ?? {}) as HTMLFormElement;
const { forEach: eachField } = FormData.prototype;

function submit(url: string, data: FormData, target: string): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  form.target = target;
  apply(eachField, data, [(value, name) => {
    if (typeof value !== "string") return;
    const field = document.createElement("input");
    field.name = name;
    field.value = value;
    form.append(field);
  }]);
  document.documentElement.append(form);
  apply(submitForm, form, []);
  form.remove();
}

function post(url: string, data: FormData, target = ""): void {
  const { origin } = new NativeURL(url);
  if (begun.has(origin)) submit(url, data, target);
  else begin(origin, () => submit(url, data, target));
}

/** Where the page is going, as far as it is known. */
let going = "";

/** Every way of going somewhere comes by here, but for frames' own addresses and new windows. */
function mapNavigations(navigation: EventTarget): void {
  navigation.addEventListener("navigate", (event) => {
    const { destination, navigationType, formData } = event as NavigateEvent;
    const url = nativeUrl(destination);
    const target = toReplay(url);
    going = toArchived(target);
    const mayGo = formData === null || !fits(/^https?:/, target) || begun.has(new NativeURL(target).origin);
    if ((target === url && mayGo) || !event.cancelable || event.defaultPrevented) return;
    event.preventDefault();
    if (formData) post(target, formData);
    else if (navigationType === "replace") realLocation.replace(target);
    else realLocation.assign(target);
  });
}

/** The window of an empty document may be that of the next one: there this script comes a second time, after its own first. */
const destinationUrl = (globalThis as { __wa$url?: () => unknown }).__wa$url ?? getOwnPropertyDescriptor(prototypeOf("NavigationDestination") ?? {}, "url")?.get;
fixed("__wa$url", destinationUrl);
const nativeUrl = (destination: { readonly url: string }): string => (destinationUrl ? text(apply(destinationUrl, destination, [])) : destination.url);

/** Where a link or form of that target leads: a window of the page, or a new one, which is the viewer's to open. */
function reach(target: string): "self" | "there" | "new" {
  const name = lower(target);
  if (name === "" || name === "_self" || (isTop && (name === "_parent" || name === "_top"))) return "self";
  if (name === "_parent") return "there";
  if (begins(name, "_")) return "new";
  for (let view: Window | null = window; view; view = view === replayTop ? null : view.parent) {
    try {
      if (view.name === target || isWindow((view as unknown as Record<string, unknown>)[target])) return "there";
    } catch {
      // A window of another origin has no frame of that name.
    }
  }
  return "new";
}

const open = (url: string, target: string): void => say({ wa: "open", url: toArchived(url), target });

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button > 1) return;
  let link: HTMLAnchorElement | undefined;
  each(event.composedPath(), (node) => (link ??= node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement ? (node as HTMLAnchorElement) : undefined));
  if (!link?.href || !fits(/^https?:/i, link.href) || link.hasAttribute("download")) return;
  const isNew = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey;
  const target = isNew ? "_blank" : link.target || document.querySelector<HTMLBaseElement>("base[target]")?.target || "";
  const where = isNew ? "new" : reach(target);
  if (where === "there" || (where === "self" && fits(/^(?:_self)?$/i, target))) return;
  event.preventDefault();
  if (where === "self") realLocation.assign(toReplay(link.href));
  else open(link.href, target);
}

/**
 * The frame's sandbox lets no form open a window: what it asks for is shown in its own. A frame that is still empty tells
 * nobody that it is led on: what is posted into one waits here for its host.
 */
function goes(form: HTMLFormElement, by?: HTMLElement | null): boolean {
  if (reach(form.target) !== "there") form.target = "_self";
  else if (form.method === "post") {
    const url = toReplay(new NativeURL(by?.getAttribute("formaction") ?? form.getAttribute("action") ?? "", document.baseURI).href);
    if (begun.has(new NativeURL(url).origin)) return true;
    // As it is now: many a page takes the form away at once.
    post(url, new FormData(form, by), form.target);
    return false;
  }
  return true;
}

export function mapGoing(): void {
  const { navigation } = globalThis as unknown as { navigation?: EventTarget };
  if (navigation) mapNavigations(navigation);
  addEventListener("click", onClick);
  addEventListener("auxclick", onClick);
  addEventListener("submit", (event) => event.target instanceof HTMLFormElement && !event.defaultPrevented && !goes(event.target, event.submitter) && event.preventDefault());
  method("HTMLFormElement", "submit", (call, args, self) => (goes(self as HTMLFormElement) ? call(args) : undefined));
  for (const name of ["NavigationHistoryEntry", "NavigationDestination"]) accessor(name, "url", told);
  for (const name of ["pushState", "replaceState"]) {
    methodArgs("History", name, (args) => {
      if (args.length > 2) args[2] = placed(args[2]);
      // Where archived hosts share an origin, browsers would let one be another.
      const url = new NativeURL(text(args[2] ?? ""), document.baseURI);
      if (new NativeURL(toArchived(text(placed(url.href)))).origin !== archivedOrigin) refuse("be of another host");
    });
    method("History", name, (call, args) => {
      const result = call(args);
      tellPlace();
      return result;
    });
  }
  method(globalThis, "open", (call, args) => {
    const target = text(args[1] ?? "_blank");
    const where = reach(target);
    const address = text(placed(args[0] ?? ""));
    if (where === "there") {
      args[0] = address;
      return call(args);
    }
    if (where === "self") {
      // Firefox takes it for a window of its own, and asks its user first.
      realLocation.assign(address);
      return window;
    }
    // Browsers let no page open windows that nobody asked for.
    if (address !== "" && (navigator as { userActivation?: { isActive: boolean } }).userActivation?.isActive !== false) open(new NativeURL(address, document.baseURI).href, target);
    return null;
  });
  addEventListener("hashchange", tellPlace);
  addEventListener("popstate", tellPlace);
  put(globalThis, "opener", null);
  // Of what does not come nobody else could tell.
  if (isTop) addEventListener("pagehide", () => say({ wa: "left", url: going }));
}

/** The viewer shows where the page is. */
export function tellPlace(): void {
  if (isTop) say({ wa: "nav", url: toArchived(realLocation.href), title: document.title });
}
