/**
 * What a body is, judged by its bytes. What the record claims decides only between readings of text,
 * so a lying media type can change how source is coloured at most, never whether it is a picture.
 */

import { readRaster } from "./raster.js";

export type BodyKind = "empty" | "image" | "json" | "text" | "binary";

const jsonMime = /^(application|text)\/([\w.+-]*\+)?json$|^application\/(manifest|ld|geo|problem)\+json$/;

function isText(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true;
  const end = Math.min(head.length, 4_096);
  let odd = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = head[at] ?? 0;
    if (byte === 0) return false;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) odd += 1;
  }
  // A stray control character is still text; one in fifty is a binary format.
  return odd * 50 <= end;
}

function startsLikeJson(head: Uint8Array): boolean {
  let at = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  while (at < head.length && [0x20, 0x09, 0x0a, 0x0d].includes(head[at] ?? 0)) at += 1;
  return head[at] === 0x7b || head[at] === 0x5b;
}

export function bodyKind(head: Uint8Array, mime: string | undefined, isWhole: boolean): BodyKind {
  if (head.length === 0) return "empty";
  if (readRaster(head) !== undefined) return "image";
  if (!isText(head)) return "binary";
  if (!startsLikeJson(head)) return "text";
  if (mime !== undefined && jsonMime.test(mime)) return "json";
  if (!isWhole) return "text";
  try {
    JSON.parse(new TextDecoder().decode(head));
    return "json";
  } catch {
    return "text";
  }
}
