/** What an archived page is better off without: it would ask for what no archive holds, or crash the browser. */

import { method, prototypeOf, put, tell } from "./natives.js";

/** Chromium 156 crashes where these meet a Connection-Allowlist; and what they lead to is never in an archive. */
const GONE = ["fetchLater", "RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"];

export function takeAway(): void {
  for (const name of GONE) Reflect.deleteProperty(globalThis, name);
  const workers = prototypeOf("ServiceWorkerContainer");
  // The only service worker here is the pipe.
  method(workers, "register", () => Promise.reject(new DOMException("Archived pages start no service worker", "SecurityError")));
  method(workers, "getRegistration", () => Promise.resolve(undefined));
  method(workers, "getRegistrations", () => Promise.resolve([]));
  tell(workers, "controller", () => null);
  tell(workers, "ready", () => new Promise(() => {}));
  const { Notification } = globalThis as { Notification?: object };
  if (!Notification) return;
  tell(Notification, "permission", () => "denied");
  put(Notification, "requestPermission", () => Promise.resolve("denied"));
}
