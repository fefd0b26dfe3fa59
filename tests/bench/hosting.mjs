// A plain file server for archives and for a peer's files: ranges and CORS, nothing else. Listens on loopback only.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".gz": "application/gzip", ".svg": "image/svg+xml", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };

function answer(folder, request, response) {
  const path = join(folder, normalize(decodeURIComponent(request.url.replace(/[?#].*$/s, ""))));
  const file = path.endsWith(sep) ? join(path, "index.html") : path;
  const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Expose-Headers": "*" };
  if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
  const facts = file.startsWith(folder) ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (!facts?.isFile()) return void response.writeHead(404, cors).end();
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(first ?? 0);
  const end = last ? Math.min(Number(last), facts.size - 1) : facts.size - 1;
  const headers = { ...cors, "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Content-Length": end - start + 1, "Accept-Ranges": "bytes", ETag: `"${facts.size}-${facts.mtimeMs}"` };
  if (first !== undefined) headers["Content-Range"] = `bytes ${start}-${end}/${facts.size}`;
  response.writeHead(first === undefined ? 200 : 206, headers);
  if (request.method === "HEAD") return void response.end();
  createReadStream(file, { start, end, highWaterMark: 1 << 20 }).on("error", () => response.destroy()).pipe(response);
}

/** Serves a folder; gives its address and how to stop. */
export async function hostFolder(folder) {
  const server = createServer((request, response) => answer(folder, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${server.address().port}/`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
