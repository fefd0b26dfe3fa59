/**
 * Which Host a request may name, and what it is served.
 *   viewer    localhost and the loopback addresses (and the address that the server was told to listen on)
 *   replay    any other name below localhost: the origins of archived pages, which never see the viewer's files
 *   stranger  everything else. A page elsewhere can point its own name at 127.0.0.1 (DNS rebinding) and then read
 *             private archives as its own origin; it cannot choose the Host that the browser sends.
 */

export type Audience = "viewer" | "replay" | "stranger";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Takes the Host header as sent, with or without a port. */
export function audienceOf(host: string | undefined, ownNames: ReadonlySet<string> = new Set()): Audience {
  const name = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host ?? "")?.[1]?.toLowerCase().replace(/\.$/, "");
  if (name === undefined) return "stranger";
  if (loopback.has(name) || ownNames.has(name)) return "viewer";
  return name.endsWith(".localhost") ? "replay" : "stranger";
}
