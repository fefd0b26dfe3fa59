/**
 * Answers requests of replay origins from one open archive: finds the capture, rewrites documents, cuts ranges.
 * Knows no ports. Keeps what was read last, so that the ranges of a video inflate it once.
 */

import type { Archive, RecordRow } from "../lib/index.js";
import { rangeOf } from "../serve/range.js";
import { COPIED_BYTES_MAX, type Answer, type Get } from "./messages.js";
import type { ReplayHosts } from "../lib/wasm/rewrite.js";
import type { Rewriter, Rewriting } from "./rewriting.js";

type Reply = Omit<Answer, "op" | "id">;

interface Entity {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Blob | Uint8Array<ArrayBuffer>;
}

/** Recorded headers that would undo the policy, speak of a connection that is over, or reach outside. */
const DROPPED = new Set([
  "accept-ranges", "alt-svc", "clear-site-data", "connection", "content-encoding", "content-length", "content-range",
  "content-security-policy", "content-security-policy-report-only", "cross-origin-embedder-policy",
  "cross-origin-opener-policy", "cross-origin-resource-policy", "document-policy", "feature-policy", "keep-alive", "link",
  "nel", "origin-agent-cluster", "origin-trial", "permissions-policy", "public-key-pins", "refresh", "report-to",
  "reporting-endpoints", "service-worker-allowed", "set-cookie", "set-cookie2", "sourcemap", "speculation-rules",
  "strict-transport-security", "supports-loading-mode", "timing-allow-origin", "trailer", "transfer-encoding", "upgrade",
  "x-frame-options",
]);
const KEPT_ENTITIES_MAX = 64;

export class Collection {
  readonly #archive: Archive;
  readonly #hosts: ReplayHosts;
  readonly #rewriter: Rewriter;
  /** Host, path and query of a URL, to the row that answers it. */
  readonly #rows = new Map<string, RecordRow>();
  readonly #entities = new Map<string, Promise<Entity>>();

  private constructor(archive: Archive, hosts: ReplayHosts, rewriter: Rewriter) {
    this.#archive = archive;
    this.#hosts = hosts;
    this.#rewriter = rewriter;
  }

  static async over(archive: Archive, hosts: ReplayHosts, rewriter: Rewriter): Promise<Collection> {
    const collection = new Collection(archive, hosts, rewriter);
    for await (const row of archive.records()) collection.#enter(row);
    return collection;
  }

  #enter(row: RecordRow): void {
    if ((row.type !== "response" && row.type !== "resource") || !URL.canParse(row.url)) return;
    const { protocol, host, pathname, search } = new URL(row.url);
    if (protocol !== "http:" && protocol !== "https:") return;
    // Names the host, so that a hashed label is known when it comes.
    this.#hosts.label(host);
    const key = host + pathname + search;
    if (!this.#rows.has(key)) this.#rows.set(key, row);
  }

  async answer(get: Get): Promise<Reply> {
    const key = this.#hosts.archived(get.url);
    const row = key === undefined ? undefined : this.#rows.get(key);
    if (!row || (get.method !== "GET" && get.method !== "HEAD")) return missing();
    const entity = await this.#entity(row, get.dest);
    return get.method === "HEAD" ? { ...entity, body: null } : cut(entity, get.range);
  }

  #entity(row: RecordRow, dest: string): Promise<Entity> {
    const key = `${row.row} ${dest}`;
    const kept = this.#entities.get(key) ?? this.#read(row, dest);
    this.#entities.delete(key);
    this.#entities.set(key, kept);
    kept.catch(() => this.#entities.delete(key));
    for (const oldest of this.#entities.keys()) {
      if (this.#entities.size <= KEPT_ENTITIES_MAX) break;
      this.#entities.delete(oldest);
    }
    return kept;
  }

  async #read(row: RecordRow, dest: string): Promise<Entity> {
    // Most files are small: read at once, beside their headers. Rows tell the stored size, which unpacking may exceed.
    const small = row.size < COPIED_BYTES_MAX ? this.#archive.bytes(row, "body") : undefined;
    small?.catch(() => {});
    const detail = await this.#archive.detail(row);
    const [, status = "200", statusText = ""] = /^\S+ (\d{3}) ?(.*)$/.exec(detail.http?.startLine ?? "") ?? [];
    const fields = detail.http?.headers ?? (detail.contentType === undefined ? [] : [["content-type", detail.contentType] as const]);
    const headers: [string, string][] = [];
    for (const [name, value] of fields) {
      const lower = name.toLowerCase();
      if (DROPPED.has(lower)) continue;
      headers.push([lower, lower === "location" ? (this.#hosts.replay_url(value) ?? value) : value]);
    }
    const rewriting = await this.#rewriter.rewriterOf({
      url: row.url,
      time: row.captured ?? 0,
      contentType: detail.contentType,
      charset: detail.charset,
      dest,
      seed: `${row.url} ${row.captured ?? 0}`,
      scripts: true,
      cookies: "",
    });
    const body = small ? ofBytes(await small, rewriting) : await ofStream(this.#archive.read(row, "body"), rewriting);
    if (rewriting?.charset) setCharset(headers, rewriting.charset);
    const code = Number(status);
    return {
      status: code >= 200 && code <= 599 ? code : 502,
      statusText: /^[\t \x21-\x7e]*$/.test(statusText) ? statusText : "",
      headers,
      body,
    };
  }
}

function ofBytes(bytes: Uint8Array, rewriting: Rewriting | null): Entity["body"] {
  let out = bytes;
  if (rewriting) {
    rewriting.write(bytes);
    rewriting.end();
    out = rewriting.take();
    rewriting.free();
  }
  const own = out as Uint8Array<ArrayBuffer>;
  return own.length < COPIED_BYTES_MAX ? own : new Blob([own]);
}

/** Into a Blob without ever holding all of it. */
async function ofStream(stream: ReadableStream<Uint8Array>, rewriting: Rewriting | null): Promise<Blob> {
  if (!rewriting) return new Response(stream).blob();
  const through = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      rewriting.write(bytes);
      const out = rewriting.take();
      if (out.length > 0) controller.enqueue(out);
    },
    flush(controller) {
      rewriting.end();
      controller.enqueue(rewriting.take());
      rewriting.free();
    },
  });
  return new Response(stream.pipeThrough(through)).blob();
}

function setCharset(headers: [string, string][], charset: string): void {
  for (const header of headers) {
    if (header[0] === "content-type") header[1] = `${header[1].replace(/;.*$/s, "")}; charset=${charset}`;
  }
}

function cut(entity: Entity, header: string | null): Reply {
  const { body, status } = entity;
  const size = body instanceof Blob ? body.size : body.length;
  const range = header === null || status !== 200 ? "whole" : rangeOf(header, size);
  if (range === "unsatisfiable") {
    return { status: 416, statusText: "Range Not Satisfiable", headers: [["content-range", `bytes */${size}`]], body: null };
  }
  const { start, end } = range === "whole" ? { start: 0, end: size } : range;
  const headers: (readonly [string, string])[] = [...entity.headers, ["accept-ranges", "bytes"], ["content-length", String(end - start)]];
  const part = body instanceof Blob ? (range === "whole" ? body : body.slice(start, end)) : body.slice(start, end).buffer;
  if (range === "whole") return { ...entity, headers, body: part };
  return { status: 206, statusText: "Partial Content", headers: [...headers, ["content-range", `bytes ${start}-${end - 1}/${size}`]], body: part };
}

const missing = (): Reply => ({
  status: 404,
  statusText: "Not in the archive",
  headers: [["content-type", "text/plain; charset=utf-8"], ["cache-control", "no-store"]],
  body: new TextEncoder().encode("This address is not in the archive.\n").buffer,
});
