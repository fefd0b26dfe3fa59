/**
 * What a replay origin answers without its service worker: the files that start one, and nothing else.
 * Any navigation gets the boot page, whatever its path; every other request is a 404. All under the policy.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { policyHeaders } from "../replay/policy.js";
import { replayFile, type Hosting } from "./hosted.js";

/** The name of a host that is for one archived host alone; every other one is for all of them. */
const isLabel = /^[^.]+-[a-z2-7]{6}\./i;

/** Answers a request whose Host is a name below localhost, or below another one that replays for `viewer`. */
export async function answerReplay(request: IncomingMessage, response: ServerResponse, viewer = ""): Promise<void> {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  const origin = { protocol: "http:", host: request.headers.host ?? "" };
  const hosting: Hosting = { layout: isLabel.test(origin.host) ? "labels" : "paths", viewer };
  for (const [name, value] of Object.entries(policyHeaders(hosting.layout, origin))) response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-cache");
  const isRead = request.method === "GET" || request.method === "HEAD";
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  if (isRead && path === "/.wa/sw.js") {
    response.setHeader("Service-Worker-Allowed", "/");
    return send(request, response, "text/javascript; charset=utf-8", await replayFile("sw.js", hosting));
  }
  // A form may post to an origin that has no service worker yet; what it posts is not looked at.
  if (path === "/.wa/boot" || request.headers["sec-fetch-mode"] === "navigate") {
    return send(request, response, "text/html; charset=utf-8", await replayFile("boot.html", hosting));
  }
  response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Nothing is here.\n");
}

function send(request: IncomingMessage, response: ServerResponse, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(200, { "Content-Type": type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
