/**
 * Raster images by their magic bytes, and their dimensions from their headers, before anything decodes them.
 * Only the kinds named here are ever given to an <img>. SVG is a document, not a raster image, and is not here.
 * Grammar per kind: PNG 1.2 chunk IHDR; JPEG SOFn segments; GIF screen and frame descriptors; RIFF WEBP VP8, VP8L, VP8X;
 * ISO BMFF `ispe` properties for AVIF; BITMAPINFOHEADER for BMP; ICONDIR for ICO, with the images that it embeds.
 */

export type RasterType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif" | "image/bmp" | "image/x-icon";

export interface Raster {
  readonly type: RasterType;
  readonly name: string;
  /** Absent where the header is cut or does not say. */
  readonly size?: { readonly width: number; readonly height: number };
}

type Size = { readonly width: number; readonly height: number };

function larger(a: Size | undefined, b: Size | undefined): Size | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return a.width * a.height >= b.width * b.height ? a : b;
}

function has(bytes: Uint8Array, at: number, ...want: readonly number[]): boolean {
  return want.every((byte, i) => bytes[at + i] === byte);
}

function ascii(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function png(bytes: Uint8Array): Size | undefined {
  if (bytes.length < 24 || !ascii(bytes, 12, "IHDR")) return undefined;
  return { width: view(bytes).getUint32(16), height: view(bytes).getUint32(20) };
}

function jpeg(bytes: Uint8Array): Size | undefined {
  const data = view(bytes);
  let found: Size | undefined;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return found;
    const code = bytes[at + 1] ?? 0;
    if (code === 0xff) {
      at += 1;
    } else if (code === 0xda || code === 0xd9) {
      return found;
    } else if (code === 0x01 || (code >= 0xd0 && code <= 0xd8)) {
      at += 2;
    } else {
      const isFrame = code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
      if (isFrame) found = larger(found, { height: data.getUint16(at + 5), width: data.getUint16(at + 7) });
      at += 2 + data.getUint16(at + 2);
    }
  }
  return found;
}

/** The screen, or the first frame where that is larger: decoders enlarge the screen for it. */
function gif(bytes: Uint8Array): Size | undefined {
  if (bytes.length < 13) return undefined;
  const data = view(bytes);
  const screen = { width: data.getUint16(6, true), height: data.getUint16(8, true) };
  const packed = bytes[10] ?? 0;
  let at = 13 + (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0);
  while (bytes[at] === 0x21) {
    at += 2;
    while ((bytes[at] ?? 0) !== 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
  }
  if (bytes[at] !== 0x2c || at + 9 > bytes.length) return screen;
  const frame = {
    width: data.getUint16(at + 1, true) + data.getUint16(at + 5, true),
    height: data.getUint16(at + 3, true) + data.getUint16(at + 7, true),
  };
  return { width: Math.max(screen.width, frame.width), height: Math.max(screen.height, frame.height) };
}

function webp(bytes: Uint8Array): Size | undefined {
  if (bytes.length < 30) return undefined;
  const data = view(bytes);
  if (ascii(bytes, 12, "VP8X")) {
    const width = 1 + (data.getUint32(24, true) & 0xffffff);
    const height = 1 + (data.getUint16(27, true) | ((bytes[29] ?? 0) << 16));
    return { width, height };
  }
  if (ascii(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = data.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (ascii(bytes, 12, "VP8 ") && has(bytes, 23, 0x9d, 0x01, 0x2a)) {
    return { width: data.getUint16(26, true) & 0x3fff, height: data.getUint16(28, true) & 0x3fff };
  }
  return undefined;
}

/** The largest `ispe` of the first 64 KiB: every item of the file, thumbnails and tiles too, has one. */
function avif(bytes: Uint8Array): Size | undefined {
  const data = view(bytes);
  const end = Math.min(bytes.length, 65_536) - 16;
  let found: Size | undefined;
  for (let at = 4; at <= end; at += 1) {
    if (bytes[at] === 0x69 && ascii(bytes, at, "ispe")) {
      found = larger(found, { width: data.getUint32(at + 8), height: data.getUint32(at + 12) });
    }
  }
  return found;
}

/** `at` is where the information header starts; inside an icon the height counts twice, for the mask. */
function bitmap(bytes: Uint8Array, at: number): Size | undefined {
  if (bytes.length < at + 12) return undefined;
  const data = view(bytes);
  if (data.getUint32(at, true) === 12) return { width: data.getUint16(at + 4, true), height: data.getUint16(at + 6, true) };
  return { width: Math.abs(data.getInt32(at + 4, true)), height: Math.abs(data.getInt32(at + 8, true)) };
}

function icon(bytes: Uint8Array): Size | undefined {
  const data = view(bytes);
  const count = data.getUint16(4, true);
  let found: Size | undefined;
  for (let i = 0; i < count; i += 1) {
    const entry = 6 + 16 * i;
    if (entry + 16 > bytes.length) return undefined;
    const at = data.getUint32(entry + 12, true);
    const inner = bytes.subarray(at);
    const size = isPng(inner) ? png(inner) : bitmap(bytes, at);
    if (size === undefined) return undefined;
    found = larger(found, size);
  }
  return found;
}

function isPng(bytes: Uint8Array): boolean {
  return has(bytes, 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
}

/** An icon has no real magic, so its first entry has to make sense as well. */
function isIcon(bytes: Uint8Array): boolean {
  if (!has(bytes, 0, 0, 0, 1, 0) || bytes.length < 22) return false;
  const count = view(bytes).getUint16(4, true);
  const at = view(bytes).getUint32(18, true);
  return count > 0 && count <= 64 && bytes[9] === 0 && at >= 6 + 16 * count;
}

function isBitmap(bytes: Uint8Array): boolean {
  if (!ascii(bytes, 0, "BM") || bytes.length < 26) return false;
  return [12, 40, 52, 56, 64, 108, 124].includes(view(bytes).getUint32(14, true));
}

const kinds: ReadonlyArray<{
  readonly type: RasterType;
  readonly name: string;
  readonly is: (bytes: Uint8Array) => boolean;
  readonly size: (bytes: Uint8Array) => Size | undefined;
}> = [
  { type: "image/png", name: "PNG", is: isPng, size: png },
  { type: "image/jpeg", name: "JPEG", is: (bytes) => has(bytes, 0, 0xff, 0xd8, 0xff), size: jpeg },
  { type: "image/gif", name: "GIF", is: (bytes) => ascii(bytes, 0, "GIF87a") || ascii(bytes, 0, "GIF89a"), size: gif },
  { type: "image/webp", name: "WebP", is: (bytes) => ascii(bytes, 0, "RIFF") && ascii(bytes, 8, "WEBP"), size: webp },
  {
    type: "image/avif",
    name: "AVIF",
    is: (bytes) => ascii(bytes, 4, "ftyp") && (ascii(bytes, 8, "avif") || ascii(bytes, 8, "avis")),
    size: avif,
  },
  { type: "image/bmp", name: "BMP", is: isBitmap, size: (bytes) => bitmap(bytes, 14) },
  { type: "image/x-icon", name: "ICO", is: isIcon, size: icon },
];

/** The kind of raster image that the bytes are, or nothing. */
export function readRaster(bytes: Uint8Array): Raster | undefined {
  const kind = kinds.find((one) => one.is(bytes));
  if (kind === undefined) return undefined;
  const size = kind.size(bytes);
  const isReal = size !== undefined && size.width > 0 && size.height > 0;
  return { type: kind.type, name: kind.name, ...(isReal ? { size } : {}) };
}
