/** What a document says of itself: addresses, host, cookies, when it was last changed. */

import { config } from "./config.js";
import { isMade } from "./location.js";
import { accessor, refuse, tell } from "./natives.js";
import { archivedHost, isTop, realLocation, say, told } from "./place.js";
import { cut, each, ends, find, kept, lower, parseDate, placeOf, split, text, trim } from "./taken.js";

/** Name and value of what a page sets; what says that it is over removes it. */
const cookies = kept(new Map<string, string>());

function putCookie(pair: string): string {
  const found = find(/^(?:([^=]*)=)?(.*)$/s, trim(pair));
  const name = trim(found?.[1] ?? "");
  const value = trim(found?.[2] ?? "");
  if (name !== "" || value !== "") cookies.set(name, value);
  return name;
}

function setCookie(cookie: string, now: number): void {
  const fields = split(cookie, ";");
  let isHidden = false;
  let isOver = false;
  let hasAge = false;
  each(fields, (field, at) => {
    const equals = placeOf(field, "=");
    const name = at === 0 ? "" : lower(trim(equals < 0 ? field : cut(field, 0, equals)));
    const value = equals < 0 ? "" : trim(cut(field, equals + 1));
    isHidden ||= name === "httponly";
    // The age counts where there are both.
    if (name === "max-age") isOver = +value <= 0;
    else if (name === "expires" && !hasAge) isOver = parseDate(value) < now;
    hasAge ||= name === "max-age";
  });
  if (isHidden) return;
  const name = putCookie(fields[0] ?? "");
  if (isOver) cookies.delete(name);
}

function allCookies(): string {
  let out = "";
  cookies.forEach((value, name) => (out += (out && "; ") + (name && `${name}=`) + value));
  return out;
}

const MINUTE_MS = 60_000;

/** As `document.lastModified` has it: month/day/year, in local time. */
function written(time: number): string {
  const iso = new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS).toISOString();
  return `${cut(iso, 5, 7)}/${cut(iso, 8, 10)}/${cut(iso, 0, 4)} ${cut(iso, 11, 19)}`;
}

export function lieAboutDocuments(): void {
  // Of the archived page: ./clock.ts came before.
  const { now } = Date;
  const loaded = now();
  each(split(config.cookies, ";"), putCookie);
  let domain = archivedHost;
  for (const name of ["URL", "documentURI"]) accessor("Document", name, (value) => (isMade(value) ? "about:srcdoc" : told(value)));
  // Where nothing archived led here the viewer did, or the boot page, which was at the same address. A frame is told its
  // origin by the page around it, as far as browsers say it.
  const around = isTop ? undefined : (realLocation as { ancestorOrigins?: DOMStringList }).ancestorOrigins?.[0];
  const referrer = around === undefined || told(around) === around ? "" : `${text(told(around))}/`;
  accessor("Document", "referrer", (value) => (told(value) === value || value === realLocation.href ? referrer : told(value)));
  accessor("Node", "baseURI", told);
  tell("Document", "domain", () => domain, (value) => {
    // Only a parent of the own host may be set, and nothing comes of it: hosts stay apart.
    if (ends(`.${archivedHost}`, `.${text(value)}`)) domain = text(value);
    else refuse("be of another host");
  });
  tell("Document", "cookie", allCookies, (value) => {
    const cookie = text(value);
    setCookie(cookie, now());
    say({ wa: "cookie", cookie, host: archivedHost });
  });
  // Without a header browsers tell the present time.
  accessor("Document", "lastModified", (value) => (config.time && parseDate(text(value)) > loaded - MINUTE_MS ? written(config.time) : value));
}
