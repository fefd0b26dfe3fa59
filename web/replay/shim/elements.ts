/** Addresses of elements: what is set is mapped, what is read is what was archived. */

import { config } from "./config.js";
import { setSrcdoc } from "./frames.js";
import { ADDRESSES, LISTS, mapList, mapValue } from "./markup.js";
import { accessor, apply, getOwnPropertyDescriptor, method, methodArgs, NativeURL, prototypeOf } from "./natives.js";
import { mapped, realLocation, toReplay, told, unmapped } from "./place.js";

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
  if (media.crossOrigin === null && typeof url === "string" && /^https?:/.test(url) && !url.startsWith(realLocation.origin)) media.crossOrigin = "anonymous";
  return url;
}

function attributeSet(args: unknown[], nameAt: number, self: object): boolean {
  const name = String(args[nameAt]).toLowerCase();
  const given = args[nameAt + 1];
  if (!ADDRESSES.has(name) && !LISTS.has(name) && !/^(?:style|srcdoc|integrity)$/.test(name)) return true;
  if (name === "srcdoc" && self instanceof HTMLIFrameElement) {
    setSrcdoc(self, String(given));
    return false;
  }
  const value = mapValue(name, String(given));
  if (name === "src" && "crossOrigin" in self && "play" in self) setMedia(value, self);
  args[nameAt + 1] = value;
  return value !== null;
}

/** Attributes hold mapped addresses: a selector that compares them is mapped too. */
function mapSelector(args: unknown[]): void {
  if (typeof args[0] !== "string" || !args[0].includes("//")) return;
  args[0] = args[0].replace(/(\[\s*(?:href|src|action|data|poster)\s*[\^$*]?=\s*)(["'])(.*?)\2/gi, (_, before: string, quote: string, value: string) => {
    const url = /^https?:\/\/$/.test(value) ? config.before.replace(/\/\/.*/s, "//") : toReplay(value);
    return before + quote + url + quote;
  });
}

export function mapElements(): void {
  const of = (name: string): object | undefined => prototypeOf(`HTML${name}Element`);
  for (const [name, attributes] of Object.entries(ONE)) {
    for (const attribute of attributes.split(" ")) accessor(of(name), attribute, told, name === "Media" ? setMedia : mapped);
  }
  for (const [name, attribute] of Object.entries(MANY)) accessor(of(name), attribute, tellAll, (value) => mapList(String(value)));
  for (const name of ["Anchor", "Area"]) {
    const owner = of(name);
    const href = owner && getOwnPropertyDescriptor(owner, "href")?.get;
    if (!href) continue;
    for (const part of PARTS) {
      accessor(owner, part, (value, self) => {
        const url = apply(href, self, []) as string;
        return url.startsWith("http") && NativeURL.canParse(url) ? new NativeURL(url)[part] : value;
      });
    }
    method(owner, "toString", (call, args) => told(call(args)));
  }
  accessor(prototypeOf("SVGAnimatedString"), "baseVal", told, mapped);
  accessor(prototypeOf("SVGAnimatedString"), "animVal", told);
  for (const name of ["Script", "Link"]) accessor(of(name), "integrity", null, () => "");

  for (const owner of ["Document", "DocumentFragment", "Element"].map(prototypeOf)) {
    for (const name of ["querySelector", "querySelectorAll", "matches", "closest"]) methodArgs(owner, name, mapSelector);
  }

  const element = prototypeOf("Element");
  method(element, "setAttribute", (call, args, self) => (attributeSet(args, 0, self) ? call(args) : undefined));
  method(element, "setAttributeNS", (call, args, self) => (attributeSet(args, 1, self) ? call(args) : undefined));
  for (const name of ["getAttribute", "getAttributeNS"]) method(element, name, (call, args) => tellAll(call(args)));
  accessor(prototypeOf("Attr"), "value", tellAll, (value, self) => mapValue((self as Attr).name, String(value)) ?? "");
}
