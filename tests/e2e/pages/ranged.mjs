// A server for pages that open archives with the built library: dist/lib under /lib/, archives from memory under
// /archives/, by Range. It keeps a list of what was asked for, and can hold answers back.

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const LIBRARY = fileURLToPath(new URL("../../../dist/lib/", import.meta.url));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

/**
 * `archives`: name to bytes. Resolves to `{ url, asked, hold, knowsRange, close() }`: `asked` gathers where each
 * request began, `hold(name, start)` may return a promise to wait for, `knowsRange = false` sends whole files.
 */
export async function serveRanged(archives) {
  const state = { asked: [], hold: () => undefined, knowsRange: true };
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    if (path === "/") return void response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>ranged</title>");
    if (path.startsWith("/lib/")) {
      const file = join(LIBRARY, path.slice(5));
      if (!existsSync(file)) return void response.writeHead(404).end();
      response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain", "Cache-Control": "no-store" });
      return void createReadStream(file).pipe(response);
    }
    const name = path.slice("/archives/".length);
    const bytes = archives.get(name);
    if (!bytes) return void response.writeHead(404).end();
    const range = state.knowsRange ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") : null;
    const start = Number(range?.[1] ?? 0);
    const end = range?.[2] ? Math.min(Number(range[2]) + 1, bytes.length) : bytes.length;
    state.asked.push(start);
    await state.hold(name, start);
    if (start >= bytes.length) return void response.writeHead(416).end();
    const headers = { "Content-Type": "application/octet-stream", "Content-Length": end - start, ETag: `"${name}"` };
    if (range) headers["Content-Range"] = `bytes ${start}-${end - 1}/${bytes.length}`;
    response.writeHead(range ? 206 : 200, headers).end(request.method === "HEAD" ? undefined : bytes.subarray(start, end));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `http://localhost:${server.address().port}/`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  });
}
