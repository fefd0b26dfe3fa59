/** Addresses of elements: what is set is mapped, what is read is what was archived. */

import { retype } from "./code.js";
import { config } from "./config.js";
import { setSrcdoc } from "./frames.js";
import { ADDRESSES, LISTS, mapList, mapValue } from "./markup.js";
import { accessor, method, methodArgs, prototypeOf } from "./natives.js";
import { mapped, realLocation, toReplay, told, unmapped } from "./place.js";
import { apply, begins, canParse, fits, getOwnPropertyDescriptor, has, lower, NativeURL, replaced, text } from "./taken.js";

const ONE: Record<string, string> = {
  Anchor: "href", Area: "href", Link: "href", Base: "href", Image: "src currentSrc", Script: "src", IFrame: "src", Frame: "src",
  Embed: "src", Object: "data", Source: "src", Media: "src currentSrc", Video: "poster", Track: "src", Input: "src formAction",
  Button: "formAction", Form: "action", Quote: "cite",
};
const MANY: Record<string, string> = { Image: "srcset", Source: "srcset", Link: "imageSrcset" };
const PARTS = ["host", "hostname", "origin", "pathname", "port", "protocol"] as const;

const tellAll = (value: unknown): unknown => (typeof value === "string" ? unmapped(value) : value);

/** Without it Firefox asks the network, past every service worker, for media of another host. */
function setMedia(value: unknown, self: object): unknown {
  const url = mapped(value);
  const media = self as HTMLMediaElement;
  if (media.crossOrigin === null && typeof url === "string" && fits(/^https?:/, url) && !begins(url, realLocation.origin)) media.crossOrigin = "anonymous";
  return url;
}

function attributeSet(args: unknown[], nameAt: number, self: object): boolean {
  const name = lower(text(args[nameAt]));
  const given = args[nameAt + 1];
  if (!ADDRESSES.has(name) && !LISTS.has(name) && !fits(/^(?:style|srcdoc|integrity|sandbox|on.+)$/, name)) return true;
  if (name === "srcdoc" && self instanceof HTMLIFrameElement) {
    setSrcdoc(self, text(given));
    return false;
  }
  const value = mapValue(name, text(given));
  if (name === "src" && "crossOrigin" in self && "play" in self) setMedia(value, self);
  args[nameAt + 1] = value;
  return value !== null;
}

/** Attributes hold mapped addresses: a selector that compares them is mapped too. */
function mapSelector(args: unknown[]): void {
  if (typeof args[0] !== "string" || !has(args[0], "//")) return;
  args[0] = replaced(args[0], /(\[\s*(?:href|src|action|data|poster)\s*[\^$*]?=\s*)(["'])(.*?)\2/gi, (found) => {
    const value = found[3] ?? "";
    const url = fits(/^https?:\/\/$/, value) ? replaced(config.before, /\/\/.*/s, () => "//") : toReplay(value);
    return `${found[1]}${found[2]}${url}${found[2]}`;
  });
}

export function mapElements(): void {
  const of = (name: string): string => `HTML${name}Element`;
  for (const [name, attributes] of Object.entries(ONE)) {
    for (const attribute of attributes.split(" ")) accessor(of(name), attribute, told, name === "Media" ? setMedia : mapped);
  }
  for (const [name, attribute] of Object.entries(MANY)) accessor(of(name), attribute, tellAll, (value) => mapList(text(value)));
  for (const name of ["Anchor", "Area"]) {
    const owner = of(name);
    const href = getOwnPropertyDescriptor(prototypeOf(owner) ?? {}, "href")?.get;
    if (!href) continue;
    for (const part of PARTS) {
      accessor(owner, part, (value, self) => {
        const url = apply(href, self, []) as string;
        return begins(url, "http") && canParse(url) ? new NativeURL(url)[part] : value;
      });
    }
    method(owner, "toString", (call, args) => told(call(args)));
  }
  accessor("SVGAnimatedString", "baseVal", told, mapped);
  accessor("SVGAnimatedString", "animVal", told);
  for (const name of ["Script", "Link"]) accessor(of(name), "integrity", null, () => "");
  accessor(of("Script"), "type", null, (value, self) => ((self as Element).setAttribute("type", text(value)), value));
  accessor(of("IFrame"), "sandbox", null, (value) => mapValue("sandbox", text(value)));

  for (const owner of ["Document", "DocumentFragment", "Element"]) {
    for (const name of ["querySelector", "querySelectorAll", "matches", "closest"]) methodArgs(owner, name, mapSelector);
  }

  method("Element", "setAttribute", (call, args, self) => {
    if (attributeSet(args, 0, self)) call(args);
    if (args[0] === "type") retype(self);
  });
  method("Element", "setAttributeNS", (call, args, self) => (attributeSet(args, 1, self) ? call(args) : undefined));
  for (const name of ["getAttribute", "getAttributeNS"]) method("Element", name, (call, args) => tellAll(call(args)));
  accessor("Attr", "value", tellAll, (value, self) => mapValue((self as Attr).name, text(value)) ?? "");
}
