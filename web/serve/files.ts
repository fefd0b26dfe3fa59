/**
 * Static files below one folder: types, validators, ranges, caching.
 * No listing, no fallback page, nothing outside the folder (neither by `..` nor by a symbolic link), no dot files.
 */
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { rangeOf } from "./range.js";

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wacz": "application/wacz",
  ".warc": "application/warc",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** Names that the build made from the content (name-HASH.ext): such a file never changes under its name. */
const hashedName = /^\/assets\/.*-[\w-]{8,}\.[a-z0-9]+$/;

/** What the file system says of a path that leads nowhere. */
const absent: ReadonlySet<string> = new Set(["EACCES", "ELOOP", "ENAMETOOLONG", "ENOENT", "ENOTDIR"]);

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly etag: string;
}

/** The file for the path of a URL, or null where there is none to be had. `root` must be a real path. */
export async function findFile(root: string, urlPath: string): Promise<FoundFile | null> {
  let decoded: string;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return null;
  }
  if (!decoded.startsWith("/") || /[\0\\]/.test(decoded)) return null;
  const segments = decoded.split("/").slice(1);
  if (segments.at(-1) === "") segments.splice(-1, 1, "index.html");
  if (segments.some((segment) => segment === "" || segment.startsWith("."))) return null;
  try {
    const path = await realpath(join(root, ...segments));
    if (!path.startsWith(root + sep)) return null;
    const facts = await stat(path);
    if (!facts.isFile()) return null;
    const version = [facts.size, Math.round(facts.mtimeMs * 1000), facts.ino].map((n) => n.toString(36)).join("-");
    return { path, size: facts.size, etag: `"${version}"` };
  } catch (error) {
    if (error instanceof Error && "code" in error && absent.has(String(error.code))) return null;
    throw error;
  }
}

/** Answers a GET or HEAD for a file that was found. */
export async function sendFile(file: FoundFile, urlPath: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Cache-Control", hashedName.test(urlPath) ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("ETag", file.etag);
  if (isListed(request.headers["if-none-match"], file.etag)) return void response.writeHead(304).end();

  const range = isRangeValid(request, file) ? rangeOf(request.headers.range, file.size) : "whole";
  if (range === "unsatisfiable") {
    return void response.writeHead(416, { "Content-Range": `bytes */${file.size}` }).end();
  }
  const { start, end } = range === "whole" ? { start: 0, end: file.size } : range;
  response.setHeader("Content-Type", mediaTypes[extname(file.path).toLowerCase()] ?? "application/octet-stream");
  response.setHeader("Content-Length", end - start);
  if (range !== "whole") response.setHeader("Content-Range", `bytes ${start}-${end - 1}/${file.size}`);
  response.writeHead(range === "whole" ? 200 : 206);
  if (request.method === "HEAD" || end === start) return void response.end();
  await pipeline(createReadStream(file.path, { start, end: end - 1 }), response);
}

/** If-None-Match compares weakly: a `W/` before the tag does not matter. */
const isListed = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag));

/** A range of another version would mix two files; If-Range asks for the whole then. Dates are never sent, so never match. */
function isRangeValid(request: IncomingMessage, file: FoundFile): boolean {
  const condition = request.headers["if-range"];
  return request.method === "GET" && (condition === undefined || condition === file.etag);
}
