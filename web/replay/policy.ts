/**
 * The headers under which an archived page lives: they name replay origins and nothing else, so that whatever a page
 * tries reaches the archive or nothing. Security rests on these, on the frame's sandbox and on the viewer's
 * `frame-src`; nothing rests on what is injected into pages.
 */

/** Every replay origin below the domain that a replay origin is directly under: `http://*.localhost:8585`. */
export function replayOrigins(origin: { readonly protocol: string; readonly host: string }): string {
  return `${origin.protocol}//*.${origin.host.replace(/^[^.]+\./, "")}`;
}

const DENIED = [
  "attribution-reporting",
  "bluetooth",
  "browsing-topics",
  "camera",
  "display-capture",
  "geolocation",
  "hid",
  "identity-credentials-get",
  "microphone",
  "payment",
  "serial",
  "usb",
].map((feature) => `${feature}=()`).join(", ");

/** For every answer of a replay origin, documents and worker scripts above all. `replay` is from `replayOrigins`. */
export function policyHeaders(replay: string): Readonly<Record<string, string>> {
  return {
    // No form-action: with it Firefox throws in form.submit(), and default-src with the viewer's frame-src holds forms.
    "Content-Security-Policy": [
      `default-src 'self' ${replay} 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob: mediastream:`,
      "object-src 'none'",
      `frame-src 'self' ${replay} data: blob:`,
      "worker-src 'self' blob:",
      "webrtc 'block'",
    ].join("; "),
    "Connection-Allowlist": `(response-origin "${replay}/*")`,
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy": DENIED,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
  };
}

/** The same header where no script may run: neither those of pages nor what is put into them. */
export function inertPolicy(name: string, value: string): string {
  return name === "Content-Security-Policy" ? `${value}; script-src 'none'` : value;
}

/** What the frame of an archived page may do: no window of its own, nothing with the viewer's. */
export const FRAME_SANDBOX = "allow-scripts allow-same-origin allow-forms allow-modals allow-pointer-lock";
