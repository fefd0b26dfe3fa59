/**
 * The service worker of a replay origin: passes every request of archived pages to the viewer and its answer back.
 *
 * P1  It never fetches: what the viewer does not answer is an error, what is no replay address is one at once.
 * P2  The policy is put on here, whatever the port says: a page can hand over a port of its own.
 * P3  It holds nothing that matters. Killed, it asks any living page for a new port; with no page there, it answers a
 *     navigation with the boot page.
 * P4  Inert, below the viewer's own address, it answers frames alone, and takes ports from pages of the viewer alone.
 * P5  Where addresses have labels in their paths there is a line for each collection that is asked for.
 *
 * Knows no archive, no host and no rewriting. Built as one classic script with the boot page inside.
 */

import { Line } from "./line.js";
import { BODY_BYTES_MAX, PROTOCOL, type Answer, type PortMessage } from "./messages.js";
import { inertPolicy, policyHeaders, type Layout } from "./policy.js";

/** Put in by the build, and by who hosts replay origins. */
declare const BOOT_PAGE: string;
declare const HOSTING: { readonly layout: Layout };

const scope = self as unknown as ServiceWorkerGlobalScope;
const { layout } = HOSTING;
const { location } = scope;

/** What addresses begin with, where the label is in the path. */
const base = `${scope.registration.scope}-/`;
const domain = location.hostname.replace(/^[^.]+/, "");
const policy = Object.entries(policyHeaders(layout, location, base));
/** Of these the address counts: what they name is relative to it. */
const MOVED = new Set(["script", "style", "worker", "sharedworker"]);

const lines = new Map<string, Line>();
let lastId = 0;
/** Chromium leads nobody on who may connect to some origins only, were it to one of these: there a page does. */
const hasNoRedirects = layout !== "inert" && "userAgentData" in navigator;

/** The line for a collection: there is but one where hosts have origins of their own. */
function lineOf(salt: string): Line {
  const known = lines.get(salt);
  if (known) return known;
  const line = new Line(() => callFor(salt));
  lines.set(salt, line);
  return line;
}

async function callFor(salt: string): Promise<boolean> {
  const pages = (await scope.clients.matchAll({ includeUncontrolled: true, type: "window" })).filter(isOfPort);
  for (const page of pages) page.postMessage({ wa: "need-port", salt });
  return pages.length > 0;
}

/** Whether somebody may hand over a port. */
const isOfPort = ({ url }: Client): boolean => layout !== "inert" || !url.startsWith(scope.registration.scope);

scope.addEventListener("install", () => void scope.skipWaiting());
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("message", (event) => {
  const message = event.data as PortMessage | null;
  const source = event.source as Client | null;
  if (!source || !isOfPort(source)) return;
  const line = lineOf((layout !== "labels" && message?.salt) || "");
  if (message?.wa === "hello") source.postMessage({ wa: line.isUp ? "ready" : "need-port", salt: (layout !== "labels" && message.salt) || "" });
  const [handed, living] = event.ports;
  if (message?.wa !== "port" || !handed) return;
  line.use(handed, living);
  source.postMessage({ wa: "ready" });
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const isOwn = url.origin === location.origin;
  if (layout === "inert") return event.respondWith(isOwn && request.destination !== "document" ? respond(event) : Response.error());
  if (isOwn && url.pathname === "/.wa/doc" && request.mode === "navigate") return event.respondWith(framePage());
  if (isOwn && url.pathname === "/.wa/boot" && request.mode === "navigate") return event.respondWith(Promise.resolve(bootPage()));
  if (isOwn && url.pathname.startsWith("/.wa/")) return;
  const isReplay = layout === "paths" ? isOwn : url.protocol === location.protocol && url.port === location.port && url.hostname.endsWith(domain);
  event.respondWith(isReplay ? respond(event) : Response.error());
});

const labelIn = (url: string): string | undefined => (url.startsWith(base) ? /^[a-z0-9_-]+-[a-z2-7]{6}(?=[/?#]|$)/.exec(url.slice(base.length))?.[0] : undefined);

/** Where hosts share an origin, what begins with one slash has lost its host: it is that of who asks. */
async function placed({ url, referrer }: Request, clientId: string): Promise<string | undefined> {
  if (layout === "labels" || labelIn(url) !== undefined) return url;
  const asking = labelIn(referrer) ?? labelIn((clientId && (await scope.clients.get(clientId))?.url) || "");
  return asking === undefined ? undefined : base + asking + url.slice(location.origin.length);
}

async function respond({ request, clientId, resultingClientId }: FetchEvent): Promise<Response> {
  const isNavigation = request.mode === "navigate";
  const failed = (): Response => (isNavigation ? bootPage() : Response.error());
  const place = await placed(request, clientId);
  if (place === undefined) return failed();
  const url = place.replace(/#.*$/s, "");
  if (place !== request.url && (isNavigation || MOVED.has(request.destination))) return (isNavigation && pageTo(place, request.url)) || Response.redirect(place, 307);
  const line = lineOf(layout === "labels" ? "" : (labelIn(url)?.slice(-6) ?? ""));
  if (!(await line.connected())) return failed();
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const body = hasBody ? await request.arrayBuffer() : undefined;
  if (body && body.byteLength > BODY_BYTES_MAX) return Response.error();
  const answer = await line.ask({
    op: "get",
    v: PROTOCOL,
    id: ++lastId,
    url,
    method: request.method,
    mode: request.mode,
    dest: request.destination,
    range: request.headers.get("range"),
    clientId,
    resultingClientId,
    type: request.headers.get("content-type") ?? "",
    ...(body && { body }),
  });
  if (!answer) return failed();
  const to = isNavigation && answer.status >= 300 && answer.status < 400 ? answer.headers.find(([name]) => name === "location") : undefined;
  return (to && pageTo(to[1], request.url)) || responseOf(answer);
}

/** Leads on as a redirect does, where none may. */
function pageTo(location: string, from: string): Response | undefined {
  if (!hasNoRedirects) return undefined;
  const to = new URL(location, from);
  to.hash ||= new URL(from).hash;
  return page(`<!doctype html><meta http-equiv="refresh" content="0;url=${to.href.replace(/&/g, "&amp;")}">`);
}

function responseOf({ status, statusText, headers, body, isInert }: Answer): Response {
  const isEmpty = status === 204 || status === 205 || status === 304;
  const response = new Response(isEmpty ? null : body, { status, statusText, headers: headers.map(([name, value]) => [name, value]) });
  for (const [name, value] of policy) response.headers.set(name, isInert ? inertPolicy(name, value) : value);
  return response;
}

const bootPage = (): Response => page(layout === "inert" ? "<!doctype html><title>Stackroom</title><p>The viewer does not answer. Open the page again from there." : BOOT_PAGE);

/** For a frame whose document the page around it makes: only what comes by an address gets a service worker. */
const framePage = (): Response => page("<!doctype html><script>parent.__wa$write(frameElement)</script>");

function page(html: string): Response {
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(html, { headers: { ...headers, ...Object.fromEntries(policy) } });
}
