/**
 * Which replay address an archived one has, and back: by the rule of crate/src/rewrite/hosts.rs, which says what labels
 * are made of. tests/web/shimhosts.test.ts holds both to the same answers.
 */

import { NativeURL } from "./natives.js";
import { sha256 } from "./sha256.js";

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
  const hashed = new Map<string, string>();
  const schemes = new Map<string, string>();
  const escape = (text: string): string => text.replace(/[.[\]]/g, "\\$&");
  const origins = new RegExp(`${escape(before)}([a-z0-9_-]+)-${salt}${escape(after)}(?![a-z0-9.:_-])`, "gi");
  const atRoot = /^[\s\x00-\x1f\x7f]*\/(?![/\\])/;
  if (isHidden) hashed.set(hashedName(salt, own.host), own.host);
  const ofOwn = (path: string): string => `${before}${label(own.host)}${path}`;

  function label(given: string): string {
    const host = given.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
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

  function archivedOrigin(whole: string, given: string): string {
    const name = given.toLowerCase();
    const host = hash.test(name) ? hashed.get(name) : readName(name);
    return host === undefined ? whole : `${schemes.get(host) ?? ownScheme}//${host}`;
  }

  const unmapped = (text: string): string => (text.includes(salt) ? text.replace(origins, archivedOrigin) : text);
  return {
    label,
    unmapped,
    toArchived(url) {
      if (!/^(?:https?|blob):/.test(url)) return url;
      const archived = unmapped(url);
      // What began with one slash.
      return isPaths && archived === url && isShared(url) ? url.replace(/^\w+:\/\/[^/?#]*/, `${ownScheme}//${own.host}`) : archived;
    },
    rooted: (url) => (isPaths && atRoot.test(url) ? ofOwn(url.trim()) : toReplay(url)),
    toReplay,
  };

  function isShared(url: string): boolean {
    const parts = split(url);
    return parts?.host === shared && !parts.rest.startsWith("/.wa/");
  }

  function toReplay(url: string): string {
    if (!/^[\s\x00-\x1f\x7f]*(?:https?:)?[/\\]/i.test(url)) return url;
    const trimmed = url.replace(/^[\t\n\f\r \x00-\x1f\x7f]+|[\t\n\f\r \x00-\x1f\x7f]+$/g, "");
    const parts = split(trimmed);
    // One of ours is where it belongs.
    if (!parts || parts.host === new NativeURL(viewer).host || (isPaths ? parts.host === shared : parts.host.endsWith(`-${salt}${after}`))) {
      return parts && isShared(trimmed) && !trimmed.startsWith(before) ? ofOwn(parts.rest) : url;
    }
    schemes.set(parts.host, parts.scheme || ownScheme);
    return `${before}${label(parts.host)}${after}${/^[/\\]/.test(parts.rest) ? "" : "/"}${parts.rest}`;
  }
}

/** Host with port, and what follows it, of an absolute http(s) URL. */
function split(url: string): { scheme: string; host: string; rest: string } | undefined {
  // Browsers take backslashes for slashes.
  const [, given = "", authority = "", rest = ""] = /^(https?:)?[/\\][/\\]([^/\\?#]*)(.*)$/is.exec(url) ?? [];
  const scheme = given.toLowerCase();
  const [, named = "", port = ""] = /^(.*?)(?::(\d*))?$/s.exec(authority.slice(authority.lastIndexOf("@") + 1)) ?? [];
  const isDefault = scheme === "https:" ? port === "443" : scheme === "http:" ? port === "80" : port === "80" || port === "443";
  const name = named.replace(/\.+$/, "");
  if (name === "" || /[\s<>"'`{}|^%]/.test(name)) return undefined;
  return { scheme, host: asciiName(name) + (port === "" || isDefault ? "" : `:${port}`), rest };
}

function asciiName(name: string): string {
  const lower = name.toLowerCase();
  // eslint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(name) || !NativeURL.canParse(`http://${lower}`) ? lower : new NativeURL(`http://${lower}`).hostname;
}

/** The name of a host that can be read back to the same host. */
function plainName(host: string): string | undefined {
  if (!/^(?![-.])[a-z0-9._:-]*$/.test(host)) return undefined;
  const colon = host.indexOf(":");
  const name = (colon < 0 ? host : host.slice(0, colon)).replace(/-/g, "--").replace(/\./g, "-");
  const port = colon < 0 ? "" : host.slice(colon + 1);
  const out = port === "" ? name : `${name}-p${port}`;
  return !out.startsWith("xn--") && !hash.test(out) && readName(out) === host ? out : undefined;
}

function readName(name: string): string | undefined {
  const host = name.replace(/--?/g, (found) => (found === "--" ? "-" : "."));
  return host.replace(/\.p(\d{1,5})$/, ":$1") || undefined;
}

function hashedName(salt: string, host: string): string {
  let out = "x";
  let held = 0;
  let bits = 0;
  for (const byte of sha256(new TextEncoder().encode(`${salt}\0${host}`))) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5 && out.length <= HASH_LETTERS; bits -= 5) out += base32[(held >> (bits - 5)) & 31];
  }
  return out;
}
