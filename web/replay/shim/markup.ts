/** Addresses in markup that scripts make: inside tags, in the attributes that hold one. */

import { accessor, apply, method, methodArgs, prototypeOf, put } from "./natives.js";
import { toReplay, unmapped } from "./place.js";
import { mapStyle } from "./styles.js";

export const ADDRESSES = new Set(["href", "src", "poster", "action", "formaction", "data", "background", "xlink:href", "cite", "longdesc"]);
/** Where the pipe answers with an empty document for a frame whose text is at hand, and the attribute with that text. */
export const FRAME_PATH = "/.wa/doc";
export const SRCDOC = "data-wa-srcdoc";
export const LISTS = new Set(["srcset", "imagesrcset"]);

/** Candidates are an address and an optional size. */
export const mapList = (list: string): string => list.replace(/(^|[\s,])((?:https?:)?\/\/[^\s]*[^\s,])/gi, (_, before: string, url: string) => before + toReplay(url));

/** The value of an attribute, mapped as that attribute is read; null where it is to be left out. */
export function mapValue(name: string, value: string): string | null {
  if (name === "integrity") return null;
  if (name === "style") return mapStyle(value);
  if (LISTS.has(name)) return mapList(value);
  return ADDRESSES.has(name) ? toReplay(value) : value;
}

const TAG = /<[a-z][^\s/>]*(?:"[^"]*"|'[^']*'|[^'">])*>/gi;
const ATTRIBUTE = /(\s)([a-z:]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi;

function mapAttribute(whole: string, space: string, name: string, equals: string, given: string): string {
  const lower = name.toLowerCase();
  const value = /^["']/.test(given) ? given.slice(1, -1) : given;
  if (lower === "srcdoc") return `${space}src${equals}${FRAME_PATH} ${SRCDOC}${equals}${given}`;
  const mapped = mapValue(lower, value);
  if (mapped === value) return whole;
  if (mapped === null) return space;
  return `${space}${name}${equals}${given.startsWith("'") ? `'${mapped}'` : `"${mapped}"`}`;
}

export function mapMarkup(html: string): string {
  if (!/\/\/|srcdoc|integrity/i.test(html)) return html;
  const tags = html.replace(TAG, (tag) => tag.replace(ATTRIBUTE, mapAttribute));
  return /<style/i.test(tags) ? tags.replace(/(<style[^>]*>)(.*?)(?=<\/style)/gis, (_, open: string, css: string) => open + mapStyle(css)) : tags;
}

const BEGUN_LETTERS_MAX = 1 << 16;
/** A tag that is not closed yet, in which an address may be cut in two. */
const BEGUN = /<[a-z](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$/i;
const begun = new WeakMap<object, string>();

/** What is written into a document that is being read. A tag may come in several calls: its beginning waits for the rest. */
function written(document: object, args: readonly unknown[]): string {
  const text = (begun.get(document) ?? "") + args.map(String).join("");
  const tail = BEGUN.exec(text)?.[0] ?? "";
  const held = tail.length > BEGUN_LETTERS_MAX ? "" : tail;
  begun.set(document, held);
  return mapMarkup(text.slice(0, text.length - held.length));
}

const map = (value: unknown): unknown => (typeof value === "string" || typeof value === "object" && value !== null ? mapMarkup(String(value)) : value);
const isStyle = (self: object): boolean => (self as Node).nodeName === "STYLE" || (self as Node).nodeName === "style";
const mapInside = (value: unknown, self: object): unknown => (typeof value === "string" && isStyle(self) ? mapStyle(value) : map(value));
/** What is put into a style: text, or a node with some. */
function mapNode(given: unknown): unknown {
  if (typeof given === "string") return mapStyle(given);
  const node = given as Text | null;
  const css = node?.nodeType === 3 ? mapStyle(node.data) : undefined;
  if (css !== undefined && css !== node?.data) (node as Text).data = css;
  return given;
}
const tellMarkup = (value: unknown): unknown => (typeof value === "string" ? unmapped(value) : value);

export function mapMarkups(): void {
  const element = prototypeOf("Element");
  const shadow = prototypeOf("ShadowRoot");
  for (const owner of [element, shadow]) {
    accessor(owner, "innerHTML", tellMarkup, mapInside);
    methodArgs(owner, "setHTMLUnsafe", (args) => void (args[0] = map(args[0])));
    method(owner, "getHTML", (call, args) => tellMarkup(call(args)));
  }
  accessor(element, "outerHTML", tellMarkup, map);
  methodArgs(element, "insertAdjacentHTML", (args) => void (args[1] = map(args[1])));
  const mapText = (value: unknown, self: object): unknown => (typeof value === "string" && isStyle(self) ? mapStyle(value) : value);
  accessor(prototypeOf("Node"), "textContent", null, mapText);
  accessor(prototypeOf("HTMLElement"), "innerText", null, mapText);
  // Shadows the methods of all nodes, which are used too often to look at each time.
  for (const owner of ["HTMLStyleElement", "SVGStyleElement"].map(prototypeOf)) {
    for (const name of ["appendChild", "insertBefore", "append", "prepend", "replaceChildren"]) {
      const native = (owner as Record<string, unknown> | undefined)?.[name];
      if (typeof native === "function") put(owner, name, new Proxy(native, { apply: (target, self, args) => apply(target as () => unknown, self as object, args.map(mapNode)) }));
    }
  }
  const document = prototypeOf("Document");
  methodArgs(document, "open", (_, self) => void begun.delete(self));
  for (const name of ["write", "writeln"]) {
    methodArgs(document, name, (args, self) => void args.splice(0, args.length, written(self, args)));
  }
  methodArgs(prototypeOf("DOMParser"), "parseFromString", (args) => void (args[0] = map(args[0])));
  methodArgs(prototypeOf("Range"), "createContextualFragment", (args) => void (args[0] = map(args[0])));
  method(prototypeOf("XMLSerializer"), "serializeToString", (call, args) => tellMarkup(call(args)));
}
