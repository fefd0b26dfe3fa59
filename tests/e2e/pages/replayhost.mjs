// The server of the replay tests: a small viewer and archives on localhost, what the product serves on every name below it.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };
/** Folders by the first part of the path. */
const folders = { pages: "tests/e2e/pages", lib: "dist/lib", replay: "dist/replay", serve: "dist/serve" };

/**
 * @param {{ archives?: Record<string, Uint8Array>, onLabel?: (request: any, response: any) => boolean | Promise<boolean>, viewerName?: string }} options
 *   `viewerName` is the host of the viewer; `onLabel` may answer for a replay origin before the product does.
 */
export async function startReplayHost({ archives = {}, onLabel, viewerName = "localhost" } = {}) {
  const { listen, loopbackAddresses } = await import(join(root, "dist/serve/listen.js"));
  const { answerReplay } = await import(join(root, "dist/serve/replay.js"));

  const { replayFile } = await import(join(root, "dist/serve/hosted.js"));
  const { rangeOf } = await import(join(root, "dist/serve/range.js"));

  async function answer(request, response) {
    const host = request.headers.host ?? "";
    const port = host.split(":")[1];
    if (host !== `${viewerName}:${port}`) {
      if (await onLabel?.(request, response)) return;
      return answerReplay(request, response, `http://${viewerName}:${port}`);
    }
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Content-Security-Policy", `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; frame-src http://*.localhost:${port} http://${viewerName}:${port}/replayed/; object-src 'none'; base-uri 'none'; frame-ancestors 'self'`);
    const path = new URL(request.url, "http://localhost").pathname;
    const [, first, ...rest] = path.split("/");
    if (first === "archive") {
      const bytes = archives[rest.join("/")];
      if (!bytes) return void response.writeHead(404).end();
      const range = rangeOf(request.headers.range, bytes.length);
      const { start, end } = range === "whole" ? { start: 0, end: bytes.length } : range;
      const headers = { "Content-Type": "application/warc", "Accept-Ranges": "bytes", ETag: '"1"', "Content-Length": end - start };
      if (range === "whole") return void response.writeHead(200, headers).end(bytes);
      return void response.writeHead(206, { ...headers, "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }).end(bytes.subarray(start, end));
    }
    if (path === "/replayed/sw.js") {
      const body = await replayFile("sw.js", { layout: "inert", viewer: "" });
      return void response.writeHead(200, { "Content-Type": types[".js"] }).end(body);
    }
    const folder = folders[first];
    const file = path === "/" ? join(root, "tests/e2e/pages/replay.html") : folder && normalize(join(root, folder, ...rest));
    if (!file || (path !== "/" && !file.startsWith(join(root, folder) + sep))) return void response.writeHead(404).end();
    try {
      const body = await readFile(file);
      response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  const make = () => createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  const { port, servers } = await listen(make, loopbackAddresses, 0, false);
  return {
    port,
    archives,
    /** The address of the viewer with an archive opened in it. */
    viewer: (archive, salt, setting) => `http://${viewerName}:${port}/?archive=/archive/${archive}&salt=${salt}${setting ? `&replay=${encodeURIComponent(JSON.stringify(setting))}` : ""}`,
    close: () => Promise.all(servers.map((server) => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }))),
  };
}

/** A server that nobody may reach: tells of every connection, request and WebSocket handshake. */
export async function startCanary() {
  const seen = { connections: 0, hits: [] };
  const server = createServer((request, response) => {
    seen.hits.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "Content-Type": request.url.includes("script") ? "text/javascript" : "text/html", "Access-Control-Allow-Origin": "*", Connection: "close" }).end("");
  });
  server.on("connection", () => (seen.connections += 1));
  server.on("upgrade", (request, socket) => {
    seen.hits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    port: server.address().port,
    address: `http://127.0.0.1:${server.address().port}`,
    forget: () => Object.assign(seen, { connections: 0, hits: [] }),
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
