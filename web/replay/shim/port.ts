/** Hands the pipe a port to the viewer whenever it asks for one. A pipe that serves many collections says for which. */

import { list } from "./taken.js";

export function handPorts(viewer: string, salt: string): void {
  navigator.serviceWorker?.addEventListener("message", (event: MessageEvent) => {
    const asked = event.data as { wa?: unknown; salt?: unknown } | null;
    if (asked?.wa !== "need-port" || (asked.salt !== "" && asked.salt !== salt) || !event.source || top === null || top === self) return;
    // One for what is asked, and one that stays with the viewer's page, which says when it goes.
    const asking = new MessageChannel();
    const living = new MessageChannel();
    top.postMessage({ wa: "port" }, viewer, list([asking.port1, living.port1]));
    event.source.postMessage({ wa: "port", salt }, { transfer: list([asking.port2, living.port2]) });
  });
  navigator.serviceWorker?.startMessages();
}
