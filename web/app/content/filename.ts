/**
 * Names for files that the viewer saves, from what an archive claims.
 * A name never holds a path, a control or bidirectional character, or a device name; at most 120 characters.
 */

const extensions: Readonly<Record<string, string>> = {
  "text/html": "html",
  "application/xhtml+xml": "xhtml",
  "text/plain": "txt",
  "text/css": "css",
  "text/javascript": "js",
  "application/javascript": "js",
  "application/json": "json",
  "application/xml": "xml",
  "text/xml": "xml",
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/svg+xml": "svg",
  "image/x-icon": "ico",
  "font/woff2": "woff2",
  "application/warc-fields": "txt",
};

const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const unsafe = /[^\p{L}\p{N}\p{M} ._()+@=,-]+/gu;

/** The last segment of the path, or the host where there is none. */
function lastSegment(url: string): { readonly segment: string; readonly isHost: boolean } {
  const path = url.slice(0, 4_096).replace(/^[a-z][a-z0-9+.-]*:\/*/i, "").replace(/[?#].*$/s, "");
  const parts = path.split("/").filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  const isHost = parts.length <= 1;
  try {
    return { segment: decodeURIComponent(last), isHost };
  } catch {
    return { segment: last, isHost };
  }
}

function clean(name: string): string {
  let safe = name.normalize("NFC").replace(unsafe, "_").replace(/^[. ]+|[. ]+$/g, "");
  if (devices.test(safe)) safe = `_${safe}`;
  if (safe.length <= 120) return safe;
  const dot = safe.lastIndexOf(".");
  const extension = dot > 0 && safe.length - dot <= 12 ? safe.slice(dot) : "";
  return safe.slice(0, 120 - extension.length) + extension;
}

/** A name for the decoded body of a record. */
export function bodyFileName(url: string, mime: string | undefined): string {
  const { segment, isHost } = lastSegment(url);
  const name = clean(segment) || "record";
  const extension = mime === undefined ? undefined : extensions[mime];
  const hasOne = !isHost && /\.[a-z0-9]{1,8}$/i.test(name);
  return extension === undefined || hasOne ? name : `${name}.${extension}`;
}

/** A name for the folder of what comes from one host. */
export function folderName(url: string): string {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url.slice(0, 4_096))?.[1] ?? "";
  return clean(host.replace(/^.*@/, "").replaceAll(":", "_").toLowerCase()) || "other";
}

/** A name for a file that is made of an archive: its own, without what says what it is, with another ending. */
export function nameOfPart(archive: string, ending: string): string {
  const stem = clean(archive.split(/[/\\]/).at(-1)?.replace(/(\.(warc|arc|wacz|har|wbn|cdxj?|zip|tar|json|gz|zst))+$/i, "") ?? "") || "archive";
  return `${stem}-part.${ending}`;
}

/** A name for a record as it is stored. */
export function rawFileName(offset: number): string {
  return `record-${offset}.warc`;
}
