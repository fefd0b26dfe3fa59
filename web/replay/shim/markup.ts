/** Addresses in markup that scripts make: inside tags, in the attributes that hold one. */

import { scoped, scopedScript } from "./code.js";
import { accessor, method, methodArgs, prototypeOf, put, through } from "./natives.js";
import { toReplay, unmapped } from "./place.js";
import { mapStyle } from "./styles.js";
import { begins, cut, each, find, fits, kept, lower, replaced, text } from "./taken.js";

export const ADDRESSES = kept(new Set(["href", "src", "poster", "action", "formaction", "data", "background", "xlink:href", "cite", "longdesc"]));
/** Where the pipe answers with an empty document for a frame whose text is at hand, and the attribute with that text. */
export const FRAME_PATH = "/.wa/doc";
export const SRCDOC = "data-wa-srcdoc";
export const LISTS = kept(new Set(["srcset", "imagesrcset"]));

/** Candidates are an address and an optional size. */
export const mapList = (list: string): string => replaced(list, /(^|[\s,])((?:https?:)?\/\/[^\s]*[^\s,])/gi, (found) => (found[1] ?? "") + toReplay(found[2] ?? ""));

/** The value of an attribute, mapped as that attribute is read; null where it is to be left out. */
export function mapValue(name: string, value: string): string | null {
  if (name === "integrity") return null;
  // Without its origin a frame has no service worker, so nothing of the archive.
  if (name === "sandbox" && !fits(/allow-same-origin/i, value)) return `${value} allow-same-origin`;
  if (name === "style") return mapStyle(value);
  // Other attributes may begin like handlers.
  if (begins(name, "on") && name in globalThis) return scoped(value);
  if (LISTS.has(name)) return mapList(value);
  return ADDRESSES.has(name) ? toReplay(value) : value;
}

/** What stands in a script is no markup, whatever it looks like. */
const TAG = /(<script(?=[\s/>])(?:"[^"]*"|'[^']*'|[^'">])*>)(.*?)(?=<\/script|$)|<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^'">])*>/gis;
const ATTRIBUTE = /(\s)([a-z:]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi;

function mapAttribute(found: RegExpExecArray): string {
  const space = found[1] ?? "";
  const name = lower(found[2] ?? "");
  const equals = found[3] ?? "";
  const given = found[4] ?? "";
  const value = fits(/^["']/, given) ? cut(given, 1, -1) : given;
  if (name === "srcdoc") return `${space}src${equals}${FRAME_PATH} ${SRCDOC}${equals}${given}`;
  const mapped = mapValue(name, value);
  if (mapped === value) return found[0];
  if (mapped === null) return space;
  return `${space}${found[2]}${equals}${begins(given, "'") ? `'${mapped}'` : `"${mapped}"`}`;
}

/** The script that an element is whose tag this is, and whose end is there. */
const mapScript = (tag: string, code: string): string => scopedScript(code, find(/\stype=["']?([^\s"'>]*)/i, tag)?.[1] ?? "");

/** What is written runs its scripts; other markup does not. */
export function mapMarkup(html: string, isRun = false): string {
  if (!fits(/\/\/|srcdoc|integrity|sandbox|\son\w+\s*=/i, html) && !isRun) return html;
  const tags = replaced(html, TAG, (tag) => {
    const all = tag[0];
    const script = tag[1];
    const code = tag[2] ?? "";
    const isWhole = tag.index + all.length < html.length;
    return replaced(script ?? all, ATTRIBUTE, mapAttribute) + (script && isRun && isWhole ? mapScript(script, code) : code);
  });
  return fits(/<style/i, tags) ? replaced(tags, /(<style[^>]*>)(.*?)(?=<\/style)/gis, (found) => (found[1] ?? "") + mapStyle(found[2] ?? "")) : tags;
}

const BEGUN_LETTERS_MAX = 1 << 16;
/** A tag that is not closed yet, in which an address may be cut in two. */
const BEGUN = /<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$/i;
const begun = kept(new WeakMap<object, string>());

/** What is written into a document that is being read. A tag may come in several calls: its beginning waits for the rest. */
function written(document: object, args: readonly unknown[]): string {
  let all = begun.get(document) ?? "";
  each(args, (given) => (all += text(given)));
  const tail = find(BEGUN, all)?.[0] ?? "";
  const held = tail.length > BEGUN_LETTERS_MAX ? "" : tail;
  begun.set(document, held);
  return mapMarkup(cut(all, 0, all.length - held.length), true);
}

function one(args: unknown[], only: unknown): void {
  args.length = 1;
  args[0] = only;
}

const map = (value: unknown): unknown => (typeof value === "string" || typeof value === "object" && value !== null ? mapMarkup(text(value)) : value);
const isOfText = (self: object): boolean => fits(/^(?:style|script)$/i, (self as Node).nodeName);
/** The text of a style or a script, mapped as what it is. */
function mapText(value: unknown, self: object): unknown {
  if (typeof value !== "string" || !isOfText(self)) return value;
  if (fits(/^style$/i, (self as Node).nodeName)) return mapStyle(value);
  return scopedScript(value, (self as HTMLScriptElement).type);
}
const mapInside = (value: unknown, self: object): unknown => (isOfText(self) ? mapText(value, self) : map(value));
/** What is put into a style or a script: text, or a node with some. */
function mapNode(put: unknown, self: object): unknown {
  const node = put as Text | null;
  if (node?.nodeType !== 3) return mapText(put, self);
  const mapped = mapText(node.data, self) as string;
  if (mapped !== node.data) node.data = mapped;
  return put;
}
const tellMarkup = (value: unknown): unknown => (typeof value === "string" ? unmapped(value) : value);

export function mapMarkups(): void {
  for (const owner of ["Element", "ShadowRoot"]) {
    accessor(owner, "innerHTML", tellMarkup, mapInside);
    methodArgs(owner, "setHTMLUnsafe", (args) => void (args[0] = map(args[0])));
    method(owner, "getHTML", (call, args) => tellMarkup(call(args)));
  }
  accessor("Element", "outerHTML", tellMarkup, map);
  methodArgs("Element", "insertAdjacentHTML", (args) => void (args[1] = map(args[1])));
  accessor("Node", "textContent", null, mapText);
  accessor("HTMLElement", "innerText", null, mapText);
  accessor("HTMLScriptElement", "text", null, mapText);
  // Shadows the methods of all nodes, which are used too often to look at each time.
  for (const owner of ["HTMLStyleElement", "SVGStyleElement", "HTMLScriptElement"].map(prototypeOf)) {
    for (const name of ["appendChild", "insertBefore", "append", "prepend", "replaceChildren"]) {
      const native = (owner as Record<string, unknown> | undefined)?.[name];
      if (typeof native === "function") put(owner, name, through(native as () => unknown, (args, self) => each(args, (given, at) => (args[at] = mapNode(given, self)))));
    }
  }
  methodArgs("Document", "open", (_, self) => void begun.delete(self));
  for (const name of ["write", "writeln"]) {
    methodArgs("Document", name, (args, self) => one(args, written(self, args)));
  }
  methodArgs("DOMParser", "parseFromString", (args) => void (args[0] = map(args[0])));
  methodArgs("Range", "createContextualFragment", (args) => void (args[0] = mapMarkup(text(args[0]), true)));
  method("XMLSerializer", "serializeToString", (call, args) => tellMarkup(call(args)));
}
