/**
 * Which replay address an archived one has, and back: by the rule of crate/src/rewrite/hosts.rs, which says what labels
 * are made of. tests/web/shimhosts.test.ts holds both to the same answers.
 */

import { sha256 } from "./sha256.js";
import { begins, canParse, cut, ends, find, fits, has, kept, lastPlaceOf, lower, NativeURL, placeOf, replaced, trim, utf8 } from "./taken.js";

export interface Hosts {
  /** The replay address of an absolute or scheme-relative http(s) URL; every other text as it is. */
  toReplay(url: string): string;
  /** The same; and where hosts share an origin, one that begins with one slash is of the own host. */
  rooted(url: string): string;
  /** The archived address behind a replay one; every other text as it is. */
  toArchived(url: string): string;
  /** A text in which every replay origin is the archived one again. */
  unmapped(text: string): string;
  label(host: string): string;
}

const LABEL_LETTERS_MAX = 63;
const HASH_LETTERS = 20;
const base32 = "abcdefghijklmnopqrstuvwxyz234567";
const hash = /^x[a-z2-7]{20}$/;

export interface Layout {
  readonly before: string;
  readonly after: string;
  readonly salt: string;
  readonly isHidden: boolean;
  /** The origin of the viewer, which is no archived one. */
  readonly viewer: string;
}

/** As `own` came, pages of hosts of which nothing is known are taken to have come. `onHashed` is told of hosts once. */
export function makeHosts({ before, after, salt, isHidden, viewer }: Layout, own: { readonly protocol: string; readonly host: string }, onHashed: (host: string) => void = () => {}): Hosts {
  const { protocol: ownScheme } = own;
  const isPaths = after === "";
  const shared = isPaths ? new NativeURL(before).host : "";
  const viewerHost = new NativeURL(viewer).host;
  const hashed = kept(new Map<string, string>());
  const schemes = kept(new Map<string, string>());
  const escape = (text: string): string => replaced(text, /[.[\]]/g, (sign) => `\\${sign[0]}`);
  const origins = new RegExp(`${escape(before)}([a-z0-9_-]+)-${salt}${escape(after)}(?![a-z0-9.:_-])`, "gi");
  const atRoot = /^[\s\x00-\x1f\x7f]*\/(?![/\\])/;
  if (isHidden) hashed.set(hashedName(salt, own.host), own.host);
  const ofOwn = (path: string): string => `${before}${label(own.host)}${path}`;

  function label(given: string): string {
    const host = replaced(given, /[A-Z]+/g, (letters) => lower(letters[0]));
    let name = plainName(host);
    if (isHidden || name === undefined || name.length + 1 + salt.length > LABEL_LETTERS_MAX) {
      name = hashedName(salt, host);
      if (!hashed.has(name)) {
        hashed.set(name, host);
        onHashed(host);
      }
    }
    return `${name}-${salt}`;
  }

  function archivedOrigin(found: RegExpExecArray): string {
    const name = lower(found[1] ?? "");
    const host = fits(hash, name) ? hashed.get(name) : readName(name);
    return host === undefined ? found[0] : `${schemes.get(host) ?? ownScheme}//${host}`;
  }

  const unmapped = (text: string): string => (has(text, salt) ? replaced(text, origins, archivedOrigin) : text);
  return {
    label,
    unmapped,
    toArchived(url) {
      if (!fits(/^(?:https?|blob):/, url)) return url;
      const archived = unmapped(url);
      // What began with one slash.
      return isPaths && archived === url && isShared(url) ? replaced(url, /^\w+:\/\/[^/?#]*/, () => `${ownScheme}//${own.host}`) : archived;
    },
    rooted: (url) => (isPaths && fits(atRoot, url) ? ofOwn(trim(url)) : toReplay(url)),
    toReplay,
  };

  function isShared(url: string): boolean {
    const parts = split(url);
    return parts?.host === shared && !begins(parts.rest, "/.wa/");
  }

  function toReplay(url: string): string {
    if (!fits(/^[\s\x00-\x1f\x7f]*(?:https?:)?[/\\]/i, url)) return url;
    const trimmed = replaced(url, /^[\t\n\f\r \x00-\x1f\x7f]+|[\t\n\f\r \x00-\x1f\x7f]+$/g, () => "");
    const parts = split(trimmed);
    // One of ours is where it belongs.
    if (!parts || parts.host === viewerHost || (isPaths ? parts.host === shared : ends(parts.host, `-${salt}${after}`))) {
      return parts && isShared(trimmed) && !begins(trimmed, before) ? ofOwn(parts.rest) : url;
    }
    schemes.set(parts.host, parts.scheme || ownScheme);
    return `${before}${label(parts.host)}${after}${fits(/^[/\\]/, parts.rest) ? "" : "/"}${parts.rest}`;
  }
}

/** Host with port, and what follows it, of an absolute http(s) URL. */
function split(url: string): { scheme: string; host: string; rest: string } | undefined {
  // Browsers take backslashes for slashes.
  const found = find(/^(https?:)?[/\\][/\\]([^/\\?#]*)(.*)$/is, url);
  const scheme = lower(found?.[1] ?? "");
  const authority = found?.[2] ?? "";
  const place = find(/^(.*?)(?::(\d*))?$/s, cut(authority, lastPlaceOf(authority, "@") + 1));
  const port = place?.[2] ?? "";
  const isDefault = scheme === "https:" ? port === "443" : scheme === "http:" ? port === "80" : port === "80" || port === "443";
  const name = replaced(place?.[1] ?? "", /\.+$/, () => "");
  if (name === "" || fits(/[\s<>"'`{}|^%]/, name)) return undefined;
  return { scheme, host: asciiName(name) + (port === "" || isDefault ? "" : `:${port}`), rest: found?.[3] ?? "" };
}

function asciiName(name: string): string {
  const small = lower(name);
  return fits(/^[\x00-\x7f]*$/, name) || !canParse(`http://${small}`) ? small : new NativeURL(`http://${small}`).hostname;
}

/** The name of a host that can be read back to the same host. */
function plainName(host: string): string | undefined {
  if (!fits(/^(?![-.])[a-z0-9._:-]*$/, host)) return undefined;
  const colon = placeOf(host, ":");
  const name = replaced(colon < 0 ? host : cut(host, 0, colon), /[-.]/g, (sign) => (sign[0] === "-" ? "--" : "-"));
  const port = colon < 0 ? "" : cut(host, colon + 1);
  const out = port === "" ? name : `${name}-p${port}`;
  return !begins(out, "xn--") && !fits(hash, out) && readName(out) === host ? out : undefined;
}

function readName(name: string): string | undefined {
  const host = replaced(name, /--?/g, (found) => (found[0] === "--" ? "-" : "."));
  return replaced(host, /\.p(\d{1,5})$/, (found) => `:${found[1]}`) || undefined;
}

function hashedName(salt: string, host: string): string {
  let out = "x";
  let held = 0;
  let bits = 0;
  const digest = sha256(utf8(`${salt}\0${host}`));
  for (let at = 0; at < 32; at += 1) {
    held = ((held << 8) | (digest[at] as number)) & 0xffff;
    for (bits += 8; bits >= 5 && out.length <= HASH_LETTERS; bits -= 5) out += base32[(held >> (bits - 5)) & 31];
  }
  return out;
}
