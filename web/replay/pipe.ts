/**
 * The service worker of a replay origin: passes every request of archived pages to the viewer and its answer back.
 *
 * P1  It never fetches: what the viewer does not answer is an error, what is no replay origin is one at once.
 * P2  The policy is put on here, whatever the port says: a page can hand over a port of its own.
 * P3  It holds nothing that matters. Killed, it asks any living page for a new port; with no page there, it answers a
 *     navigation with the boot page. A port that falls silent is dropped, and what was asked over it is asked again.
 *
 * Knows no archive, no host and no rewriting. Built as one classic script with the boot page inside.
 */

import { BODY_BYTES_MAX, PROTOCOL, type Answer, type Get, type PortMessage, type ToBridge, type ToPipe } from "./messages.js";
import { inertPolicy, policyHeaders, replayOrigins } from "./policy.js";

/** Put in by the build: the boot page, and how long requests are gathered into one message. */
declare const BOOT_PAGE: string;
declare const GATHER_MS: number;

const scope = self as unknown as ServiceWorkerGlobalScope;

/** Silence after which the viewer is asked for a sign of life. */
const SILENCE_MS = 500;
/** Silence after which it counts as gone. */
const GONE_MS = 2_500;
/** How long living pages are given to hand over a port. */
const PORT_MS = 3_000;

const domain = scope.location.hostname.replace(/^[^.]+/, "");
const policy = Object.entries(policyHeaders(replayOrigins(scope.location)));

interface Asked {
  readonly get: Get;
  readonly resolve: (answer: Answer | null) => void;
}

let port: MessagePort | undefined;
const asked = new Map<number, Asked>();
let lastId = 0;
let outgoing: ToBridge[] = [];
let isFlushSet = false;
let watch: ReturnType<typeof setTimeout> | undefined;
let heardAt = 0;
let isPinged = false;
let connecting: Promise<boolean> | undefined;
let arrived = (): void => {};
let usedAt = -Infinity;

scope.addEventListener("install", () => void scope.skipWaiting());
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("message", (event) => {
  const message = event.data as PortMessage | null;
  if (message?.wa === "hello") event.source?.postMessage({ wa: port ? "ready" : "need-port" });
  const [handed, living] = event.ports;
  if (message?.wa !== "port" || !handed) return;
  use(handed);
  if (living) living.onmessage = () => port === handed && drop();
  event.source?.postMessage({ wa: "ready" });
});

scope.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const isOwn = url.origin === scope.location.origin;
  if (isOwn && url.pathname === "/.wa/doc" && event.request.mode === "navigate") return event.respondWith(framePage());
  if (isOwn && url.pathname.startsWith("/.wa/")) return;
  const { protocol, port: number } = scope.location;
  const isReplay = url.protocol === protocol && url.port === number && url.hostname.endsWith(domain);
  event.respondWith(isReplay ? respond(event) : Response.error());
});

async function respond({ request, clientId, resultingClientId }: FetchEvent): Promise<Response> {
  const isNavigation = request.mode === "navigate";
  if (!port && !(await connected())) return isNavigation ? bootPage() : Response.error();
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const body = hasBody ? await request.arrayBuffer() : undefined;
  if (body && body.byteLength > BODY_BYTES_MAX) return Response.error();
  const answer = await ask({
    op: "get",
    v: PROTOCOL,
    id: ++lastId,
    url: request.url.replace(/#.*$/s, ""),
    method: request.method,
    mode: request.mode,
    dest: request.destination,
    range: request.headers.get("range"),
    clientId,
    resultingClientId,
    type: request.headers.get("content-type") ?? "",
    ...(body && { body }),
  });
  if (!answer) return isNavigation ? bootPage() : Response.error();
  return responseOf(answer);
}

function responseOf({ status, statusText, headers, body, isInert }: Answer): Response {
  const isEmpty = status === 204 || status === 205 || status === 304;
  const response = new Response(isEmpty || body === null ? null : new Blob([body]), { status, statusText, headers: headers.map(([name, value]) => [name, value]) });
  for (const [name, value] of policy) response.headers.set(name, isInert ? inertPolicy(name, value) : value);
  return response;
}

const bootPage = (): Response => page(BOOT_PAGE);

/** For a frame whose document the page around it makes: only what comes by an address gets a service worker. */
const framePage = (): Response => page("<!doctype html><script>parent.__wa$write(frameElement)</script>");

function page(html: string): Response {
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(html, { headers: { ...headers, ...Object.fromEntries(policy) } });
}

// The port

/** Resolves to whether there is a port, after asking every page for one. */
function connected(): Promise<boolean> {
  connecting ??= connect().finally(() => (connecting = undefined));
  return connecting;
}

async function connect(): Promise<boolean> {
  const pages = await scope.clients.matchAll({ includeUncontrolled: true, type: "window" });
  if (port || pages.length === 0) return port !== undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PORT_MS);
    arrived = () => {
      clearTimeout(timer);
      resolve(true);
    };
    for (const page of pages) page.postMessage({ wa: "need-port" });
  });
}

function use(handed: MessagePort): void {
  const now = performance.now();
  // Every living page was asked; the first to answer is enough.
  if (port && now - usedAt < SILENCE_MS) return handed.close();
  port?.close();
  port = handed;
  usedAt = heardAt = now;
  isPinged = false;
  port.onmessage = (event: MessageEvent) => hear(event.data as readonly ToPipe[]);
  // Not in every browser; silence tells the same, later.
  port.addEventListener("close", () => port === handed && drop());
  outgoing = [...asked.values()].map(({ get }) => get);
  flush();
  arrived();
  if (asked.size > 0) keepWatch();
}

function drop(): void {
  port?.close();
  port = undefined;
  if (asked.size === 0) return;
  void connected().then((isConnected) => {
    if (isConnected) return;
    for (const { resolve } of asked.values()) resolve(null);
    asked.clear();
  });
}

function ask(get: Get): Promise<Answer | null> {
  return new Promise((resolve) => {
    if (asked.size === 0) heardAt = performance.now();
    asked.set(get.id, { get, resolve });
    send(get);
    keepWatch();
  });
}

function send(item: ToBridge): void {
  outgoing.push(item);
  // A request that is alone waits for nobody; with others about, a message for each is what costs most in Firefox.
  if (asked.size <= 1 || GATHER_MS === 0) return flush();
  if (isFlushSet) return;
  isFlushSet = true;
  setTimeout(flush, GATHER_MS);
}

function flush(): void {
  isFlushSet = false;
  if (!port || outgoing.length === 0) return;
  port.postMessage(outgoing);
  outgoing = [];
}

function hear(items: readonly ToPipe[]): void {
  heardAt = performance.now();
  isPinged = false;
  for (const item of items) {
    if (item.op === "pong") continue;
    asked.get(item.id)?.resolve(item.op === "answer" ? item : null);
    asked.delete(item.id);
  }
}

function keepWatch(): void {
  watch ??= setTimeout(() => {
    watch = undefined;
    if (asked.size === 0 || !port) return;
    const silence = performance.now() - heardAt;
    if (silence >= GONE_MS) return drop();
    if (silence >= SILENCE_MS && !isPinged) {
      isPinged = true;
      send({ op: "ping" });
    }
    keepWatch();
  }, SILENCE_MS);
}
