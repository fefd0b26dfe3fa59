/**
 * Answers requests of replay origins from one open archive: has the capture found, its body rewritten, ranges cut.
 * Knows no ports. Keeps what was read last, so that the ranges of a video inflate it once.
 */

import type { Archive, RecordDetail, RecordRow } from "../lib/index.js";
import type { ReplayHosts } from "../lib/wasm/rewrite.js";
import { Jar } from "./cookies.js";
import { cut, ofBytes, ofStream, sizeOf, type Entity, type Reply } from "./entity.js";
import { Journal, type Entry } from "./journal.js";
import { LOOKED_AT_BYTES, guessedType } from "./guessed.js";
import { find, type Found, type Table } from "./lookup.js";
import type { Get } from "./messages.js";
import { keptHeaders, stateType, statusOf } from "./recorded.js";
import { seenThrough, SHIM, type Rewriter } from "./rewriting.js";
import { missingPage, unreadablePage } from "./standins.js";

/** Of bodies that are kept, those that were asked for last. */
const KEPT_BYTES_MAX = 192 << 20;
/** Of records, as they are stored; and of bodies that are read at once, which unpacking makes longer. */
const SMALL_BYTES_MAX = 256 << 10;
const READ_AT_ONCE_MAX = 4 << 20;
const SIMILAR_MAX = 12;
/** How long what an archive that is being read does not have yet is waited for. */
const PAGE_PATIENCE_MS = 5_000;
const PATIENCE_MS = 3_000;
/** How long a page's word of a host is waited for, and how often it is looked for. */
const WORD_PATIENCE_MS = 400;
const WORD_STEP_MS = 20;
const CAPTURES_MAX = 5_000;
/** Of another type than it asks for, a browser would complain of that too. */
const STANDS_AS: Readonly<Record<string, string>> = { script: "javascript", style: "css", worker: "javascript", sharedworker: "javascript" };
const DOCUMENTS = new Set(["document", "iframe", "frame", "object", "embed"]);

export interface CollectionParts {
  readonly archive: Archive;
  readonly hosts: ReplayHosts;
  readonly rewriter: Rewriter;
  readonly table: Table;
}

export class Collection {
  readonly journal = new Journal();
  /** Whether scripts of pages run. */
  hasScripts = true;
  /** Told of every answer. */
  onEntry: (entry: Entry) => void = () => undefined;
  readonly #parts: CollectionParts;
  readonly #jar = new Jar();
  /** By what they are made of, those that were asked for last at the end. */
  readonly #entities = new Map<string, { readonly entity: Promise<Entity>; bytes: number }>();
  #kept = 0;

  constructor(parts: CollectionParts) {
    this.#parts = parts;
  }

  /** In the order of time. */
  async capturesOf(url: string): Promise<RecordRow[]> {
    const bare = bareOf(url).replace(/#.*$/s, "");
    const rows: RecordRow[] = [];
    for await (const row of this.#parts.table.captures(bare, "same", { captured: undefined, count: CAPTURES_MAX })) rows.push(row);
    return rows.sort((a, b) => (a.captured ?? Infinity) - (b.captured ?? Infinity) || a.row - b.row);
  }

  async answer(asked: Get): Promise<Reply> {
    const get = seenThrough(asked);
    const url = this.#parts.hosts.archived(get.url) ?? (await this.#named(get.url));
    // Who goes there is told so; the boot page would go there once more, for ever.
    if (url === undefined && get.mode === "navigate") return this.#missing(get, bareOf(get.url));
    if (url === undefined) throw new Error("no address of this collection");
    let found: Found | undefined;
    try {
      found = await this.#find(get, url);
      return found ? await this.#found(get, found) : await this.#missing(get, url);
    } catch (error) {
      return this.#unreadable(get, found?.row ?? { url: statedOf(url) }, error);
    }
  }

  async #found(get: Get, found: Found): Promise<Reply> {
    const { row, isFuzzy } = found;
    const { captured, mime } = row;
    const entity = await this.#entity(found, get);
    if (get.dest !== SHIM) this.onEntry(this.journal.note(get, { url: row.url, row: row.row, captured, status: entity.status, mime, isFuzzy }));
    const reply = cut(entity, get.range);
    return { ...reply, ...(get.method === "HEAD" && { body: null }), ...(!this.hasScripts && { isInert: true }) };
  }

  /** A page has made the address of a host that its label does not tell: its word of that host is on the way. */
  async #named(address: string): Promise<string | undefined> {
    for (let waited = 0; waited < WORD_PATIENCE_MS; waited += WORD_STEP_MS) {
      await new Promise((resolve) => setTimeout(resolve, WORD_STEP_MS));
      const url = this.#parts.hosts.archived(address);
      if (url !== undefined) return url;
    }
    return undefined;
  }

  /** While the archive is being read what is asked for may be about to come. */
  async #find(get: Get, url: string): Promise<Found | undefined> {
    const { archive, table } = this.#parts;
    const asked = { url, captured: this.journal.timeFor(get), method: get.method, body: get.body && new Uint8Array(get.body) };
    const end = performance.now() + (DOCUMENTS.has(get.dest) ? PAGE_PATIENCE_MS : PATIENCE_MS);
    for (;;) {
      const { isDone } = archive.progress;
      const found = await find(table, archive, asked);
      const left = end - performance.now();
      if ((found && this.#isMeant(found, asked.captured)) || isDone || left <= 0) return found;
      await grown(archive, left);
    }
  }

  /** A link tells the time of a capture: while that may come, another one that is near it is not what was meant. */
  #isMeant({ row }: Found, wanted: number | undefined): boolean {
    return wanted === undefined || !this.journal.isAwaited || Math.abs((row.captured ?? 0) - wanted) < 1_000;
  }

  async #missing(get: Get, url: string): Promise<Reply> {
    const stated = statedOf(url);
    this.onEntry(this.journal.note(get, { url: stated }));
    if (!DOCUMENTS.has(get.dest)) return inPlace(get, 404, "/* This address is not in the archive. */\n");
    return inPlace(get, 404, missingPage({ url: stated, isIncomplete: !this.#parts.archive.progress.isDone, similar: await this.#similar(url) }));
  }

  /** The file is gone, or its server is: said where the page would be, and tried anew when it is asked for again. */
  #unreadable(get: Get, { url, row, captured, mime }: Partial<RecordRow> & Pick<RecordRow, "url">, error: unknown): Reply {
    const why = error instanceof Error ? error.message : String(error);
    this.onEntry(this.journal.note(get, { url, row, captured, mime, trouble: why }));
    return inPlace(get, 502, DOCUMENTS.has(get.dest) ? unreadablePage(url, why) : "/* This record of the archive cannot be read. */\n");
  }

  async #similar(url: string): Promise<{ row: RecordRow; address: string }[]> {
    const { hosts, table } = this.#parts;
    const similar: { row: RecordRow; address: string }[] = [];
    for await (const row of table.captures(url, "below", { captured: this.journal.wanted, count: SIMILAR_MAX })) {
      const address = hosts.replay_url(row.url);
      if (address !== undefined) similar.push({ row, address });
    }
    return similar;
  }

  /** A script of a page of that host set a cookie. */
  setCookie(host: string | undefined, line: string): void {
    if (host !== undefined) this.#jar.set(host.replace(/:\d+$/, ""), line);
  }

  #hostOf(row: RecordRow): string {
    return URL.canParse(row.url) ? new URL(row.url).host : "";
  }

  #entity(found: Found, get: Get): Promise<Entity> {
    const cookies = DOCUMENTS.has(get.dest) ? this.#jar.at(this.#hostOf(found.row)) : "";
    const key = [found.row.row, get.dest, this.hasScripts, found.callback?.wanted ?? "", cookies].join(" ");
    const kept = this.#entities.get(key) ?? this.#keep(key, found, get);
    this.#entities.delete(key);
    this.#entities.set(key, kept);
    return kept.entity;
  }

  #keep(key: string, found: Found, get: Get): { readonly entity: Promise<Entity>; bytes: number } {
    const kept = { entity: this.#read(found, get), bytes: 0 };
    kept.entity.then(
      (entity) => {
        if (this.#entities.get(key) !== kept) return;
        kept.bytes = sizeOf(entity);
        this.#kept += kept.bytes;
        for (const [oldest, { bytes }] of this.#entities) {
          if (this.#kept <= KEPT_BYTES_MAX || oldest === key) break;
          this.#kept -= bytes;
          this.#entities.delete(oldest);
        }
      },
      () => this.#entities.delete(key),
    );
    return kept;
  }

  async #read({ row, original, callback }: Found, { dest }: Get): Promise<Entity> {
    const { archive, hosts, rewriter } = this.#parts;
    const source = original ?? row;
    const { detail, body: small } = await this.#told(row, original);
    const { charset } = detail;
    const contentType = detail.contentType ?? (DOCUMENTS.has(dest) ? guessedType(small ?? (await archive.bytes(source, "body", { limit: LOOKED_AT_BYTES }))) : undefined);
    const host = this.#hostOf(row);
    const stated = contentType === undefined || (detail.http && detail.contentType !== undefined) ? [] : [["content-type", contentType] as const];
    const fields = [...(detail.http?.headers ?? []), ...stated];
    this.#jar.take(host, fields);
    const rewriting = await rewriter.rewriterOf({
      url: row.url,
      time: row.captured ?? 0,
      contentType,
      charset,
      dest,
      seed: `${row.url} ${row.captured ?? 0}`,
      scripts: this.hasScripts,
      cookies: this.#jar.at(host),
    });
    const headers = keptHeaders(fields, row.url, (url) => hosts.replay_url(url));
    stateType(headers, dest);
    if (rewriting?.charset) setCharset(headers, rewriting.charset);
    const body = small ? ofBytes(renamed(small, callback), rewriting) : await ofStream(archive.read(source, "body"), rewriting);
    return { ...statusOf(detail.http?.startLine), headers, body, part: partOf(detail) };
  }

  /** Headers, and the body where it is small, as most are. A revisit that says only that nothing had changed has the headers of what it refers to. */
  async #told(row: RecordRow, original: RecordRow | undefined): Promise<{ readonly detail: RecordDetail; readonly body?: Uint8Array | undefined }> {
    const { archive } = this.#parts;
    const read = async (one: RecordRow) => (one.size < SMALL_BYTES_MAX ? archive.short(one, READ_AT_ONCE_MAX) : { detail: await archive.detail(one) });
    if (!original) return read(row);
    const [detail, told] = await Promise.all([archive.detail(row), read(original)]);
    return detail.http !== undefined && row.status !== 304 ? { ...told, detail } : told;
  }
}

const bareOf = (url: string): string => url.replace(/^https?:\/\//i, "");

/** The scheme is not in the address: archived pages of today mostly had this one. */
const statedOf = (bare: string): string => `https://${bare}`;

const STATUS_TEXTS = { 404: "Not in the archive", 502: "Cannot be read" } as const;

/** Stands where a capture would be, as what is asked for. */
function inPlace({ dest }: Get, status: keyof typeof STATUS_TEXTS, text: string): Reply {
  const kind = DOCUMENTS.has(dest) ? "html" : (STANDS_AS[dest] ?? "plain");
  return {
    status,
    statusText: STATUS_TEXTS[status],
    headers: [["content-type", `text/${kind}; charset=utf-8`], ["cache-control", "no-store"]],
    body: new TextEncoder().encode(text).buffer,
    isInert: true,
  };
}

/** Resolves when more of an archive is read, or after some time. */
function grown(archive: Archive, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(go, ms);
    const stop = archive.onProgress(go);
  });
}

function setCharset(headers: [string, string][], charset: string): void {
  for (const header of headers) {
    if (header[0] === "content-type") header[1] = `${header[1].replace(/;.*$/s, "")}; charset=${charset}`;
  }
}

/** A capture of a part of a file. */
function partOf({ http }: RecordDetail): Entity["part"] {
  if (!/^\S+ +206\b/.test(http?.startLine ?? "")) return undefined;
  const field = http?.headers.find(([name]) => name.toLowerCase() === "content-range")?.[1] ?? "";
  const [, start, size] = /^\s*bytes\s+(\d+)-\d+\/(\d+)/i.exec(field) ?? [];
  return start === undefined || size === undefined ? undefined : { start: Number(start), size: Number(size) };
}

/** The answer to a call by script calls the function that this page waits with. */
function renamed(bytes: Uint8Array, callback: Found["callback"]): Uint8Array {
  if (!callback) return bytes;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 2 * callback.recorded.length + 64));
  const at = head.indexOf(`${callback.recorded}(`);
  if (at < 0) return bytes;
  const [wanted, from] = [new TextEncoder().encode(callback.wanted), at + callback.recorded.length];
  const out = new Uint8Array(at + wanted.length + bytes.length - from);
  out.set(bytes.subarray(0, at));
  out.set(wanted, at);
  out.set(bytes.subarray(from), at + wanted.length);
  return out;
}
