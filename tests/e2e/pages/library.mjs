// A server for pages that use the built library as it is: dist/lib under /lib/, this folder under /.

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const PAGES = fileURLToPath(new URL("./", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../../../dist/lib/", import.meta.url));
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };

/** Resolves to `{ url, close() }`. */
export async function serveLibrary() {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname);
    if (path === "/") {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>library</title>");
      return;
    }
    const file = path.startsWith("/lib/") ? join(LIBRARY, path.slice(5)) : join(PAGES, path);
    const type = TYPES[extname(file)];
    if (!type || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://localhost:${server.address().port}/`, close: () => new Promise((resolve) => server.close(resolve)) };
}
