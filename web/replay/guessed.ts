/** What a browser takes a document for that comes without a type, by how it begins (MIME Sniffing, 7.1). */

/** So much of a body is looked at. */
export const LOOKED_AT_BYTES = 1445;

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^[\t\n\f\r ]*<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]|!--)/i, "text/html"],
  [/^[\t\n\f\r ]*<\?xml/, "text/xml"],
  [/^%PDF-/, "application/pdf"],
  [/^GIF8[79]a/, "image/gif"],
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^RIFF[^]{4}WEBPVP/, "image/webp"],
  [/^BM/, "image/bmp"],
  [/^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/, "text/plain"],
  [/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/, "application/octet-stream"],
];

export function guessedType(start: Uint8Array): string {
  const text = Array.from(start.subarray(0, LOOKED_AT_BYTES), (byte) => String.fromCharCode(byte)).join("");
  return TYPES.find(([begins]) => begins.test(text))?.[1] ?? "text/plain";
}
