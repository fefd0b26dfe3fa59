/** Headers of a capture on their way to a page: which stay, where they lead. */

import type { HeaderField } from "../lib/index.js";

/** Those that would undo the policy, speak of a connection that is over, or reach outside. */
const DROPPED = new Set([
  "accept-ranges", "age", "alt-svc", "cache-control", "clear-site-data", "connection", "content-encoding", "content-length",
  "content-range", "content-security-policy", "content-security-policy-report-only", "critical-ch", "cross-origin-embedder-policy",
  "cross-origin-embedder-policy-report-only", "cross-origin-opener-policy", "cross-origin-opener-policy-report-only",
  "cross-origin-resource-policy", "document-policy", "expires", "feature-policy", "keep-alive", "link", "nel",
  "no-vary-search", "observe-browsing-topics", "origin-agent-cluster", "origin-trial", "permissions-policy", "pragma",
  "proxy-authenticate", "public-key-pins", "report-to", "reporting-endpoints", "service-worker-allowed",
  "service-worker-navigation-preload", "set-cookie", "set-cookie2", "sourcemap", "speculation-rules",
  "strict-transport-security", "supports-loading-mode", "timing-allow-origin", "trailer", "transfer-encoding", "upgrade",
  "www-authenticate", "x-frame-options", "x-sourcemap",
]);

/** As the page gets them; `mapped` says where an address is replayed. */
export function keptHeaders(fields: readonly HeaderField[], base: string, mapped: (url: string) => string | undefined): [string, string][] {
  const kept: [string, string][] = [];
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    // What a server wrote may be no header to a browser.
    if (DROPPED.has(lower) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(lower) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) continue;
    if (lower === "refresh") kept.push(...refreshed(value, base, mapped));
    else if (lower !== "location" && lower !== "content-location") kept.push([lower, value]);
    else if (URL.canParse(value, base)) kept.push([lower, mapped(new URL(value, base).href) ?? value]);
  }
  // A browser must not answer by itself, from what it has of another time.
  kept.push(["cache-control", "no-cache"]);
  return kept;
}

const SCRIPT = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript))$/i;
const NO_SCRIPT = /^(?:(?:image|audio|video)\/|text\/csv$)/i;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * The policy bars guesses at types, by which much of the web works: what a browser would have taken for the script or the
 * style sheet that it asks for is stated to be that, unless its own server barred it.
 */
export function stateType(headers: [string, string][], dest: string): void {
  if (headers.some(([name, value]) => name === "x-content-type-options" && /nosniff/i.test(value))) return;
  const stated = headers.find(([name]) => name === "content-type");
  const type = (stated?.[1] ?? "").replace(/;.*$/s, "").trim();
  const isScript = dest === "script" && !SCRIPT.test(type) && !NO_SCRIPT.test(type);
  const isStyle = dest === "style" && !MEDIA_TYPE.test(type);
  if (!isScript && !isStyle) return;
  const value = `text/${isScript ? "javascript" : "css"}${/;.*$/s.exec(stated?.[1] ?? "")?.[0] ?? ""}`;
  if (stated) stated[1] = value;
  else headers.push(["content-type", value]);
}

/** `5; url=/next`, leading where the address in it is replayed; nothing where that is nowhere. */
function refreshed(value: string, base: string, mapped: (url: string) => string | undefined): [string, string][] {
  const [, seconds = "", to = ""] = /^\s*(\d+)[\d.]*\s*(?:[;,]\s*(?:url\s*=\s*)?["']?([^"']*))?/i.exec(value) ?? [];
  if (seconds === "") return [];
  if (to.trim() === "") return [["refresh", seconds]];
  const url = URL.canParse(to, base) ? mapped(new URL(to, base).href) : undefined;
  return url === undefined ? [] : [["refresh", `${seconds}; url=${url}`]];
}

/** Three digits and a reason, as far as a browser takes them. */
export function statusOf(startLine: string | undefined): { readonly status: number; readonly statusText: string } {
  const [, digits = "200", reason = ""] = /^\S+ +(\d{3}) ?(.*)$/.exec(startLine ?? "") ?? [];
  const status = Number(digits);
  return {
    status: status >= 200 && status <= 599 ? status : 502,
    statusText: /^[\t \x21-\x7e]*$/.test(reason) ? reason : "",
  };
}
