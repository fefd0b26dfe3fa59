/**
 * Which capture answers a request of an archived page. General rules only, in this order:
 *   1  the URL itself, whatever its scheme and with or without "www.", nearest in time to the page that asks;
 *      redirects to themselves are passed over, and what says "not modified"; a part of a file is the last choice
 *   2  what was sent counts, where the archive has requests: the same method and the same body
 *   3  the URL but for the order of its parameters and for those that only keep caches away
 * Knows no bytes of bodies but those of requests, and no origins.
 */

import type { RecordDetail, RecordRow } from "../lib/index.js";
import { callbackOf } from "./callback.js";

/** Captures by their URL, the nearest to a time first. */
export interface Table {
  /**
   * `same`: of this URL but for scheme and "www.". `alike`: of one that differs in what rule 3 leaves out. `below`: of any
   * query at this path. Requests are told apart from what answered them.
   */
  captures(url: string, how: How, asked: Nearest): AsyncIterable<RecordRow>;
}

export type How = "same" | "alike" | "below";

export interface Nearest {
  readonly captured: number | undefined;
  readonly count: number;
  readonly isOfRequests?: boolean | undefined;
}

/** What of an archive is read to choose. */
export interface Heads {
  detail(row: RecordRow): Promise<RecordDetail>;
  original(row: RecordRow): Promise<RecordRow | undefined>;
  bytes(row: RecordRow, what: "body"): Promise<Uint8Array>;
}

export interface Asked {
  /** Without scheme, as `host/path?query`. */
  readonly url: string;
  readonly captured: number | undefined;
  readonly method: string;
  readonly body?: Uint8Array | undefined;
}

export interface Found {
  readonly row: RecordRow;
  /** The capture that holds the payload, where `row` is a revisit. */
  readonly original?: RecordRow | undefined;
  /** It was found by rule 3. */
  readonly isFuzzy?: boolean | undefined;
  /** The name by which a script in it calls the page, and the name that the page wants. */
  readonly callback?: { readonly recorded: string; readonly wanted: string } | undefined;
}

/** Of one URL so many captures are looked at, and so many requests. */
const LOOKED_AT_MAX = 24;
const REQUESTS_MAX = 40;

export async function find(table: Table, heads: Heads, asked: Asked): Promise<Found | undefined> {
  const { url, captured } = asked;
  const sent = asked.method === "GET" || asked.method === "HEAD" ? undefined : await answeredTo(table, heads, asked);
  if (sent) return sent;
  const same = await best(table.captures(url, "same", { captured, count: LOOKED_AT_MAX }), heads);
  if (same) return same;
  const alike = await best(table.captures(url, "alike", { captured, count: LOOKED_AT_MAX }), heads);
  if (!alike) return undefined;
  const [recorded, wanted] = [callbackOf(alike.row.url), callbackOf(url)];
  const callback = recorded !== undefined && wanted !== undefined && recorded !== wanted ? { recorded, wanted } : undefined;
  return { ...alike, isFuzzy: true, callback };
}

/** The first of these, the nearest first, that can stand for the URL. */
async function best(rows: AsyncIterable<RecordRow>, heads: Heads): Promise<Found | undefined> {
  let part: Found | undefined;
  for await (const row of rows) {
    if (row.type === "revisit") {
      const original = await heads.original(row);
      if (original && original.status !== 206) return { row, original };
    } else if (row.status === 206) {
      part ??= { row };
    } else if (row.status !== 304 && !(await leadsToItself(row, heads))) {
      return { row };
    }
  }
  return part;
}

/** As a server says that wants https, or a cookie: whoever follows it comes back to the same capture. */
async function leadsToItself(row: RecordRow, heads: Heads): Promise<boolean> {
  if (row.status === undefined || row.status < 300 || row.status > 399) return false;
  const { http } = await heads.detail(row);
  const location = http?.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (location === undefined || !URL.canParse(location, row.url)) return false;
  return withoutScheme(new URL(location, row.url).href) === withoutScheme(row.url);
}

/** What two URLs of one page have in common: neither scheme, nor "www.", nor a fragment. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\/(?:[^@/?#]*@)?/i, "").replace(/^www\d?\./i, "").replace(/#.*$/s, "");
}

/** What was answered to a request with the same method and body; else to one with the same method. */
async function answeredTo(table: Table, heads: Heads, { url, captured, method, body = new Uint8Array() }: Asked): Promise<Found | undefined> {
  const requests = table.captures(url, "same", { captured, count: REQUESTS_MAX, isOfRequests: true });
  const wanted = comparable(body);
  let likely: RecordRow | undefined;
  for await (const request of requests) {
    const { http } = await heads.detail(request);
    if (!http?.startLine.startsWith(`${method} `)) continue;
    likely ??= request;
    if (comparable(await heads.bytes(request, "body")) !== wanted) continue;
    likely = request;
    break;
  }
  if (!likely) return undefined;
  // Written together: of the same second, and of those the nearest in the file.
  let nearest: RecordRow | undefined;
  const away = (row: RecordRow): number => Math.abs(row.row - (likely?.row ?? 0));
  for await (const row of table.captures(url, "same", { captured: likely.captured ?? captured, count: REQUESTS_MAX })) {
    if (row.captured === likely.captured && (!nearest || away(row) < away(nearest))) nearest = row;
  }
  if (!nearest) return undefined;
  return { row: nearest, original: nearest.type === "revisit" ? await heads.original(nearest) : undefined };
}

/** A body to compare: forms whatever the order of their fields, multipart ones without the border that was drawn by lot. */
function comparable(body: Uint8Array): string {
  const text = Array.from(body, (byte) => String.fromCharCode(byte)).join("");
  const border = /^--([^\r\n]{1,70})\r?\n/.exec(text)?.[1];
  if (border !== undefined) return text.replaceAll(border, "");
  return /^[^\s{}[\]<>]+=[^\s{}[\]<>]*$/.test(text) ? text.split("&").sort().join("&") : text.trim();
}
