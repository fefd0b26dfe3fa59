/** Ways of bodies through a rewriter: as they come, whole, by what stands before their root, in another character set. */

import { joined } from "../lib/joined.js";

/** One body on its way through. */
export interface Rewriting {
  write(bytes: Uint8Array): void;
  end(): void;
  /** What has come out since the last call. */
  take(): Uint8Array;
  free(): void;
  /** The character set of what comes out, where it is another than what goes in. */
  readonly charset?: string;
}

/** Texts longer than this pass as they are: what rewrites them needs all of them at once. */
const WHOLE_BYTES_MAX = 32 << 20;

/** Rewritten when all of it is there, with a text before it. `rewrite` gives null where it stays as it is. */
export class Whole implements Rewriting {
  readonly #rewrite: (bytes: Uint8Array) => Uint8Array | null | undefined;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #out: Uint8Array[] = [];

  constructor(rewrite: (bytes: Uint8Array) => Uint8Array | null | undefined) {
    this.#rewrite = rewrite;
  }

  write(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#parts.push(bytes);
    if (this.#bytes > WHOLE_BYTES_MAX) this.#pass();
  }

  end(): void {
    if (this.#bytes > WHOLE_BYTES_MAX) return this.#pass();
    const whole = joined(this.#parts);
    this.#parts = [];
    this.#out.push(this.#rewrite(whole) ?? whole);
  }

  take(): Uint8Array {
    const out = joined(this.#out);
    this.#out = [];
    return out;
  }

  free(): void {}

  #pass(): void {
    this.#out.push(...this.#parts);
    this.#parts = [];
  }
}

/** The root of a document has begun by then, or is not looked for. */
const PROLOG_BYTES_MAX = 64 << 10;
const STYLE_SHEET = /(<\?xml-stylesheet\s[^>]*?\bhref\s*=\s*)(?:"([^"]*)"|'([^']*)')/g;
const ROOT = /<[a-z_](?:[^<>"']|"[^"]*"|'[^']*')*>/i;

/** A document in XML: style sheets that it names before its root are mapped, and `first` stands first in its root. */
export class Prolog implements Rewriting {
  readonly #inner: Rewriting | null;
  readonly #mapped: (url: string) => string | undefined;
  readonly #first: string;
  /** What has come of it until its root has begun, a letter for each byte. */
  #head: string | undefined = "";
  #out: Uint8Array[] = [];

  constructor(inner: Rewriting | null, mapped: (url: string) => string | undefined, first: string) {
    this.#inner = inner;
    this.#mapped = mapped;
    this.#first = first;
  }

  write(bytes: Uint8Array): void {
    this.#inner?.write(bytes);
    this.#pass(this.#inner?.take() ?? bytes, false);
  }

  end(): void {
    this.#inner?.end();
    this.#pass(this.#inner?.take() ?? new Uint8Array(), true);
  }

  take(): Uint8Array {
    const out = joined(this.#out);
    this.#out = [];
    return out;
  }

  free(): void {
    this.#inner?.free();
  }

  #pass(bytes: Uint8Array, isLast: boolean): void {
    if (this.#head === undefined) return void this.#out.push(bytes);
    for (const byte of bytes) this.#head += String.fromCharCode(byte);
    // What it says in comments is no root.
    const root = ROOT.exec(this.#head.replace(/<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)/gs, (comment) => " ".repeat(comment.length)));
    if (!root && !isLast && this.#head.length < PROLOG_BYTES_MAX) return;
    const at = root ? root.index + root[0].length : 0;
    const before = this.#head.slice(0, root?.index ?? this.#head.length).replace(STYLE_SHEET, (all, start: string, double?: string, single?: string) => {
      const url = this.#mapped((double ?? single ?? "").replaceAll("&amp;", "&"));
      return url === undefined ? all : `${start}"${url.replaceAll("&", "&amp;")}"`;
    });
    const rest = root ? `${root[0]}${root[0].endsWith("/>") ? "" : this.#first}${this.#head.slice(at)}` : "";
    this.#out.push(Uint8Array.from(before + rest, (letter) => letter.charCodeAt(0)));
    this.#head = undefined;
  }
}

/** Sets in which bytes of ASCII stand for something else: no rewriter reads these. */
const unlike = /^\s*(?:cs)?(?:utf-?16|ucs-?2|unicode|iso-10646-ucs-2|iso-?2022-?jp)/i;

export const mustDecode = (charset: string | undefined): charset is string => charset !== undefined && unlike.test(charset);

/** Into UTF-8 before anything reads it. */
export class Decoded implements Rewriting {
  readonly charset = "utf-8";
  readonly #inner: Rewriting;
  readonly #decoder: TextDecoder;
  readonly #encoder = new TextEncoder();

  constructor(inner: Rewriting, charset: string) {
    this.#inner = inner;
    this.#decoder = new TextDecoder(/16|ucs|unicode/i.test(charset) ? (/be|fffe/i.test(charset) ? "utf-16be" : "utf-16le") : "iso-2022-jp");
  }

  write(bytes: Uint8Array): void {
    this.#inner.write(this.#encoder.encode(this.#decoder.decode(bytes, { stream: true })));
  }

  end(): void {
    this.#inner.write(this.#encoder.encode(this.#decoder.decode()));
    this.#inner.end();
  }

  take(): Uint8Array {
    return this.#inner.take();
  }

  free(): void {
    this.#inner.free();
  }
}
