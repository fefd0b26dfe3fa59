/** Addresses in style sheets that scripts make. */

import { accessor, constructor, methodArgs } from "./natives.js";
import { toReplay } from "./place.js";
import { has, replaced } from "./taken.js";

/** A style sheet with its absolute addresses mapped. */
export function mapStyle(css: string): string {
  if (!has(css, "//")) return css;
  return replaced(css, /(url\(\s*["']?|@import\s+["'])((?:https?:)?\/\/[^"')\s]+)/gi, (found) => (found[1] ?? "") + toReplay(found[2] ?? ""));
}

const map = (value: unknown): unknown => (typeof value === "string" ? mapStyle(value) : value);
const mapFirst = (at: number) => (args: unknown[]): void => void (args[at] = map(args[at]));

/** Properties with addresses: where a browser has them on the prototype, they are mapped as they are set. */
const PROPERTIES = ["background", "backgroundImage", "listStyle", "listStyleImage", "borderImage", "borderImageSource", "cursor", "content", "mask", "maskImage", "filter", "src"];

export function mapStyles(): void {
  for (const owner of ["CSSStyleDeclaration", "CSS2Properties", "CSSStyleProperties", "CSSFontFaceDescriptors"]) {
    for (const name of [...PROPERTIES, "cssText"]) accessor(owner, name, null, map);
    methodArgs(owner, "setProperty", mapFirst(1));
  }
  for (const name of ["insertRule", "replace", "replaceSync"]) methodArgs("CSSStyleSheet", name, mapFirst(0));
  methodArgs("CSSStyleSheet", "addRule", mapFirst(1));
  methodArgs("CSSGroupingRule", "insertRule", mapFirst(0));
  constructor("FontFace", mapFirst(1));
}
