/**
 * What a replay origin answers without its service worker: the files that start one, and nothing else.
 * Any navigation gets the boot page, whatever its path; every other request is a 404. All under the policy.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { policyHeaders, replayOrigins } from "../replay/policy.js";

const pipeFile = new URL("../replay/sw.js", import.meta.url);
const bootFile = new URL("../replay/boot.html", import.meta.url);

/** Answers a request whose Host is a name below localhost. */
export async function answerReplay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const origin = { protocol: "http:", host: request.headers.host ?? "" };
  for (const [name, value] of Object.entries(policyHeaders(replayOrigins(origin)))) response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-cache");
  const isRead = request.method === "GET" || request.method === "HEAD";
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  if (isRead && path === "/.wa/sw.js") {
    response.setHeader("Service-Worker-Allowed", "/");
    return send(request, response, "text/javascript; charset=utf-8", await readFile(pipeFile));
  }
  // A form may post to an origin that has no service worker yet; what it posts is not looked at.
  if (path === "/.wa/boot" || request.headers["sec-fetch-mode"] === "navigate") {
    return send(request, response, "text/html; charset=utf-8", await readFile(bootFile));
  }
  response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Nothing is here.\n");
}

function send(request: IncomingMessage, response: ServerResponse, type: string, body: Buffer): void {
  response.writeHead(200, { "Content-Type": type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
