/** What an archived page is better off without: it would ask for what no archive holds, or crash the browser. */

import { method, put, refuse, tell } from "./natives.js";
import { apply, defineProperty, deleteProperty, each, NativeURL, text } from "./taken.js";

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
    this.url = new NativeURL(text(url)).href;
    setTimeout(() => {
      this.readyState = 3;
      each([new Event("error"), new CloseEvent("close", { code: 1006 })], (event) => {
        this.dispatchEvent(event);
        const own = (this as unknown as Record<string, unknown>)[`on${event.type}`];
        if (typeof own === "function") apply(own as () => void, this, [event] as unknown as []);
      });
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
  each(GONE, (name) => deleteProperty(globalThis, name));
  const workers = "ServiceWorkerContainer";
  // The only service worker here is the pipe.
  method(workers, "register", async () => refuse("start service workers"));
  method(workers, "getRegistration", async () => undefined);
  method(workers, "getRegistrations", async () => []);
  tell(workers, "controller", () => null);
  const never = new Promise(() => {});
  tell(workers, "ready", () => never);
}
