/**
 * The headers under which an archived page lives: they name replay origins and nothing else, so that whatever a page
 * tries reaches the archive or nothing. Security rests on these, on the frame's sandbox and on the viewer's
 * `frame-src`; nothing rests on what is injected into pages.
 */

/** labels: a host of its own for each archived one. paths: one for all. inert: below the viewer's own, without scripts. */
export type Layout = "labels" | "paths" | "inert";

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

/** For every answer of a replay origin, documents and worker scripts above all. `base` is where an inert pipe's pages are. */
export function policyHeaders(layout: Layout, { protocol, host }: { readonly protocol: string; readonly host: string }, base = ""): Readonly<Record<string, string>> {
  const origin = `${protocol}//${host}`;
  // Every replay origin below the domain that this one is directly under: `http://*.localhost:8585`.
  const replay = layout === "labels" ? `${protocol}//*.${host.replace(/^[^.]+\./, "")}` : origin;
  return {
    // No form-action: with it Firefox throws in form.submit(), and default-src with the viewer's frame-src holds forms.
    "Content-Security-Policy": layout === "inert" ? inertPage(base) : [
      `default-src 'self' ${replay} 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' data: blob: mediastream:`,
      "object-src 'none'",
      `frame-src 'self' ${replay} data: blob:`,
      // A worker begins in its own origin only; this is about the modules of others that it imports.
      `worker-src 'self' ${replay} blob:`,
      "webrtc 'block'",
    ].join("; "),
    // With it Chromium follows no redirect, and no page of ours can lead on where nothing runs. There the policy is enough.
    ...(layout !== "inert" && { "Connection-Allowlist": `(response-origin "${replay}/*")` }),
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy": DENIED,
    // What begins with one slash is told apart by who asks for it, where hosts share an origin.
    "Referrer-Policy": layout === "labels" ? "no-referrer" : "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
  };
}

/** Of the viewer's origin: frames stay below `base`, and wherever such a page is opened nothing in it runs. */
const inertPage = (base: string): string => [
  "default-src 'self' 'unsafe-inline' data: blob:",
  "script-src 'none'",
  "object-src 'none'",
  "worker-src 'none'",
  "connect-src 'none'",
  `frame-src ${base} data: blob:`,
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-same-origin",
].join("; ");

/** The same header where no script may run: neither those of pages nor what is put into them. */
export function inertPolicy(name: string, value: string): string {
  return name === "Content-Security-Policy" ? `${value}; script-src 'none'` : value;
}

/** What the frame of an archived page may do: no window of its own, nothing with the viewer's. */
export const FRAME_SANDBOX = "allow-scripts allow-same-origin allow-forms allow-modals allow-pointer-lock";

/** Below the viewer's own address nothing runs, and nothing is sent. Its origin it needs, to have a service worker. */
export const sandboxOf = (mode: "wildcard" | "single" | "same"): string => (mode === "same" ? "allow-same-origin" : FRAME_SANDBOX);
