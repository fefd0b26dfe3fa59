/** Headers that every answer of the viewer's origin carries. They hold for documents and workers alike. */

/**
 * `connect-src *`: `?src=URL` may name an archive anywhere. Archived bytes reach the page as data only, so nothing
 * of an archive can use it; everything that would run or frame something is closed.
 */
const viewerPolicy = (port: number, host: string): string => [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "connect-src *",
  // Archived pages, each in its own origin, or without scripts below the viewer's: a frame that navigates anywhere else
  // is stopped before it asks.
  `frame-src http://*.localhost:${port}${/^[\w.-]+(?::\d+)?$/.test(host) ? ` http://${host}/replayed/` : ""}`,
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

export const securityHeaders = (port: number, host = ""): Readonly<Record<string, string>> => ({
  "Content-Security-Policy": viewerPolicy(port, host),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
});
