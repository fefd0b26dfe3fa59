/**
 * A page as it looked, without anything that runs or leads on: its document with styles and pictures put into it, for a
 * frame that may do nothing. Where no service worker answers for archived pages this is what can be shown of them.
 *
 * It asks the archive alone, for so many bytes; what is not in it stays out. The policy that it carries allows nothing
 * but what it carries, so that nothing that was overlooked is asked of the web.
 */
import type { Archive, RecordRow } from "stackroom";

/** Of the document, and of all that is put into it: texts of it are a third longer. */
const DOCUMENT_BYTES_MAX = 8 << 20;
const INSIDE_BYTES_MAX = 16 << 20;
const INSIDE_MAX = 500;
const REDIRECTS_MAX = 5;
const IMPORTS_DEEP_MAX = 4;

const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; form-action 'none'";
/** What runs, loads more, or would be another document. */
const REMOVED = "script, iframe, frame, object, embed, applet, portal, fencedframe, template, audio, video > source, picture > source, base, meta[http-equiv], link:not([rel~=stylesheet i])";

export interface Still {
  readonly row: RecordRow;
  readonly html: string;
  /** Styles and pictures that the archive does not have, or that were too much. */
  readonly left: number;
}

/** Undefined where the archive has no such page. */
export async function stillOf(archive: Archive, url: string, captured: number | undefined): Promise<Still | undefined> {
  const found = await documentAt(archive, url, captured);
  if (!found) return undefined;
  const inside = new Inside(archive, found.row.captured ?? captured);
  const page = new DOMParser().parseFromString(found.text, "text/html");
  const stated = page.querySelector("base[href]")?.getAttribute("href") ?? "";
  const base = URL.canParse(stated, found.row.url) ? new URL(stated, found.row.url).href : found.row.url;
  await settle(page, base, inside);
  const policy = page.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = POLICY;
  page.head.prepend(policy);
  return { row: found.row, html: `<!doctype html>${page.documentElement.outerHTML}`, left: inside.left };
}

async function documentAt(archive: Archive, url: string, captured: number | undefined): Promise<{ row: RecordRow; text: string } | undefined> {
  let at = url;
  for (let step = 0; step <= REDIRECTS_MAX; step += 1) {
    const row = await nearest(archive, at, captured);
    if (!row) return undefined;
    const source = (await archive.original(row)) ?? row;
    const { charset, http } = await archive.detail(source);
    const location = http?.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    if ((source.status ?? 200) >= 300 && (source.status ?? 200) < 400 && location !== undefined && URL.canParse(location, at)) {
      at = new URL(location, at).href;
      continue;
    }
    if (source.size > DOCUMENT_BYTES_MAX) return undefined;
    const bytes = await archive.bytes(source, "body");
    return bytes.length > DOCUMENT_BYTES_MAX ? undefined : { row, text: decoded(bytes, charset) };
  }
  return undefined;
}

/** Whatever its scheme: pages that were captured by one name the other. */
async function nearest(archive: Archive, url: string, captured: number | undefined): Promise<RecordRow | undefined> {
  const plain = url.replace(/#.*$/s, "");
  const other = plain.startsWith("https:") ? plain.replace("https:", "http:") : plain.replace(/^http:/, "https:");
  return (await archive.nearest(plain, captured)) ?? archive.nearest(other, captured);
}

function decoded(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** What goes into the document, as data; each address once. */
class Inside {
  left = 0;
  #room = INSIDE_BYTES_MAX;
  #count = 0;
  readonly #archive: Archive;
  readonly #captured: number | undefined;
  readonly #known = new Map<string, Promise<{ bytes: Uint8Array; row: RecordRow; charset: string | undefined } | undefined>>();

  constructor(archive: Archive, captured: number | undefined) {
    this.#archive = archive;
    this.#captured = captured;
  }

  /** A picture as an address that holds it; "" where there is none. */
  async data(given: string, base: string): Promise<string> {
    if (given.trim().startsWith("data:")) return given;
    const found = await this.#bytes(given, base);
    if (!found) return "";
    const type = /^[\w.+-]+\/[\w.+-]+$/.exec(found.row.mime ?? "")?.[0] ?? "application/octet-stream";
    let letters = "";
    for (let at = 0; at < found.bytes.length; at += 0x8000) letters += String.fromCharCode(...found.bytes.subarray(at, at + 0x8000));
    return `data:${type};base64,${btoa(letters)}`;
  }

  /** A style sheet with what it imports and shows. */
  async sheet(given: string, base: string, depth = 0): Promise<string> {
    const found = depth > IMPORTS_DEEP_MAX ? undefined : await this.#bytes(given, base);
    return found ? this.style(decoded(found.bytes, found.charset), found.row.url, depth) : "";
  }

  async style(css: string, base: string, depth = 0): Promise<string> {
    // The viewer's policy holds in here too, and bars fonts: they would take room from pictures.
    const imported = await replaced(css.replace(/@font-face\s*\{[^}]*\}/gi, ""), /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?([^;]*);/gi, async ([, url = "", media = ""]) => {
      const sheet = await this.sheet(url, base, depth + 1);
      return media.trim() === "" ? sheet : `@media ${media} {${sheet}}`;
    });
    return replaced(imported, /url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)/gi, async ([, double, single, bare]) => `url("${await this.data(double ?? single ?? bare ?? "", base)}")`);
  }

  async #bytes(given: string, base: string): Promise<{ bytes: Uint8Array; row: RecordRow; charset: string | undefined } | undefined> {
    if (!URL.canParse(given, base)) return undefined;
    const url = new URL(given, base).href;
    if (!/^https?:/.test(url)) return undefined;
    const known = this.#known.get(url) ?? this.#read(url);
    this.#known.set(url, known);
    const found = await known;
    // Put in twice it takes twice the room.
    if (found && found.bytes.length <= this.#room) {
      this.#room -= found.bytes.length;
      return found;
    }
    this.left += 1;
    return undefined;
  }

  async #read(url: string): Promise<{ bytes: Uint8Array; row: RecordRow; charset: string | undefined } | undefined> {
    if (++this.#count > INSIDE_MAX) return undefined;
    try {
      const row = await nearest(this.#archive, url, this.#captured);
      if (!row) return undefined;
      const source = (await this.#archive.original(row)) ?? row;
      if ((source.status ?? 200) !== 200 || source.size > this.#room) return undefined;
      const { charset } = await this.#archive.detail(source);
      return { bytes: await this.#archive.bytes(source, "body"), row, charset };
    } catch {
      // Damaged, or the archive was closed: the page is shown without it.
      return undefined;
    }
  }
}

/** A text with every match replaced by what comes of it. */
async function replaced(text: string, pattern: RegExp, by: (match: RegExpExecArray) => Promise<string>): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(at, match.index), await by(match));
    at = match.index + match[0].length;
  }
  return parts.join("") + text.slice(at);
}

async function settle(page: Document, base: string, inside: Inside): Promise<void> {
  for (const link of page.querySelectorAll<HTMLLinkElement>("link[rel~=stylesheet i]")) {
    const style = page.createElement("style");
    style.textContent = link.rel.toLowerCase().includes("alternate") ? "" : await inside.sheet(link.getAttribute("href") ?? "", base);
    if (link.media !== "") style.media = link.media;
    link.replaceWith(style);
  }
  for (const style of page.querySelectorAll("style")) if (/url\(|@import/i.test(style.textContent)) style.textContent = await inside.style(style.textContent, base);
  for (const image of page.querySelectorAll("img, input[type=image i]")) {
    const first = image.getAttribute("src") ?? image.getAttribute("data-src") ?? /^\s*([^\s,]+)/.exec(image.getAttribute("srcset") ?? "")?.[1] ?? "";
    image.removeAttribute("srcset");
    image.setAttribute("src", await inside.data(first, base));
  }
  for (const video of page.querySelectorAll("video")) {
    if (video.hasAttribute("poster")) video.setAttribute("poster", await inside.data(video.getAttribute("poster") ?? "", base));
    video.removeAttribute("src");
  }
  for (const image of page.querySelectorAll("image")) {
    const href = image.getAttribute("href") ?? image.getAttribute("xlink:href") ?? "";
    image.removeAttribute("xlink:href");
    image.setAttribute("href", await inside.data(href, base));
  }
  for (const element of page.querySelectorAll("[background]")) element.setAttribute("background", await inside.data(element.getAttribute("background") ?? "", base));
  for (const element of page.querySelectorAll("[style]")) {
    const style = element.getAttribute("style") ?? "";
    if (/url\(/i.test(style)) element.setAttribute("style", await inside.style(style, base));
  }
  for (const element of page.querySelectorAll(REMOVED)) element.remove();
  for (const element of page.querySelectorAll("*")) {
    for (const { name } of [...element.attributes]) if (/^on|^(?:srcdoc|ping|action|formaction|target)$/i.test(name)) element.removeAttribute(name);
  }
  // They lead nowhere: what the frame may not do it would show an error for.
  for (const link of page.querySelectorAll("a[href], area[href]")) {
    const href = link.getAttribute("href") ?? "";
    if (href.startsWith("#")) continue;
    link.removeAttribute("href");
    if (!link.hasAttribute("title")) link.setAttribute("title", href);
  }
}
