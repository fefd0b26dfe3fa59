/**
 * Bytes to text: which character set, and why.
 * Order: chosen by the user, byte order mark, stated by the record, stated in the document, UTF-8 if it fits, windows-1252.
 * The bytes may be cut anywhere; a character cut at the end is left out, never shown as damage.
 */

export type CharsetReason = "chosen" | "bom" | "stated" | "meta" | "guess";

export interface Decoded {
  readonly text: string;
  readonly charset: string;
  readonly reason: CharsetReason;
}

/** What the user can choose from: the sets that turn up in archives, one label each. */
export const charsetChoices = [
  "utf-8",
  "windows-1252",
  "iso-8859-2",
  "windows-1250",
  "windows-1251",
  "koi8-r",
  "iso-8859-7",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "shift_jis",
  "euc-jp",
  "iso-2022-jp",
  "gb18030",
  "big5",
  "euc-kr",
  "utf-16le",
  "utf-16be",
] as const;

function known(label: string | undefined): string | undefined {
  if (label === undefined || label === "") return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function fromMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

/** `<meta charset>`, `<?xml encoding?>` and `@charset` of the first kilobytes, read as Latin letters. */
function fromDocument(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("windows-1252").decode(bytes.subarray(0, 4_096));
  const found =
    /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head) ??
    /^@charset "([\w.:-]{1,40})"/.exec(head) ??
    /<meta\b[^>]{0,400}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head);
  const label = known(found?.[1]);
  // A document that could be read so far is not UTF-16, whatever it says.
  return label?.startsWith("utf-16") === true ? "utf-8" : label;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function choose(bytes: Uint8Array, stated: string | undefined): { charset: string; reason: CharsetReason } {
  const mark = fromMark(bytes);
  if (mark !== undefined) return { charset: mark, reason: "bom" };
  const named = known(stated);
  if (named !== undefined) return { charset: named, reason: "stated" };
  const meta = fromDocument(bytes);
  if (meta !== undefined) return { charset: meta, reason: "meta" };
  return { charset: isUtf8(bytes) ? "utf-8" : "windows-1252", reason: "guess" };
}

/** Decides once, on the first bytes, so that later pieces of the same text are read alike. */
export function chooseCharset(
  head: Uint8Array,
  stated: string | undefined,
  chosen?: string,
): { readonly charset: string; readonly reason: CharsetReason } {
  const picked = known(chosen);
  return picked === undefined ? choose(head, stated) : { charset: picked, reason: "chosen" };
}

export function decodeText(bytes: Uint8Array, stated?: string, chosen?: string): Decoded {
  const { charset, reason } = chooseCharset(bytes, stated, chosen);
  const text = new TextDecoder(charset).decode(bytes, { stream: true });
  return { text, charset, reason };
}
