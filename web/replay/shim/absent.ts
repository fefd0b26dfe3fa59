/** What an archived page is better off without: it would ask for what no archive holds, or crash the browser. */

import { defineProperty, method, NativeURL, prototypeOf, put, tell } from "./natives.js";

/** Chromium 156 crashes where these meet a Connection-Allowlist; and what they lead to is never in an archive. */
const GONE = ["fetchLater", "RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"];

/** Fails as one does that reaches nobody: Firefox throws where the policy refuses one. */
class Unreachable extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly url: string;
  readonly protocol = "";
  readonly extensions = "";
  readonly bufferedAmount = 0;
  binaryType = "blob";
  readyState = 0;

  constructor(url: unknown) {
    super();
    this.url = new NativeURL(String(url)).href;
    setTimeout(() => {
      this.readyState = 3;
      for (const event of [new Event("error"), new CloseEvent("close", { code: 1006 })]) {
        this.dispatchEvent(event);
        (this as unknown as Record<string, ((event: Event) => void) | undefined>)[`on${event.type}`]?.call(this, event);
      }
    });
  }

  send(): void {
    if (this.readyState === 0) throw new DOMException("Still in CONNECTING state", "InvalidStateError");
  }

  close(): void {}
}
defineProperty(Unreachable, "name", { value: "WebSocket" });

export function takeAway(): void {
  put(globalThis, "WebSocket", Unreachable);
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
