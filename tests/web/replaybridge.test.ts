/** The viewer's end of the pipes: what a page can make of it by handing over ports. */
import { MessageChannel, type MessagePort as NodePort } from "node:worker_threads";
import { expect, test } from "vitest";
import { Bridge } from "../../dist/replay/bridge.js";
import { PROTOCOL } from "../../dist/replay/messages.js";

const get = { op: "get", v: PROTOCOL, id: 1, url: "https://a.example/", method: "GET", mode: "cors", dest: "", range: null };

const attached = (bridge: Bridge, label: string): NodePort => {
  const { port1, port2 } = new MessageChannel();
  bridge.attach(port1 as unknown as MessagePort, label);
  return port2;
};

/** Whether it answers, or is closed. */
const answers = (port: NodePort, items: unknown = [get]): Promise<boolean> =>
  new Promise((resolve) => {
    port.once("message", () => resolve(true));
    port.once("close", () => resolve(false));
    port.postMessage(items);
  });

test("of the ports of a label the latest are served, and each label has its own", async () => {
  const bridge = new Bridge(async () => ({ status: 200, statusText: "OK", headers: [], body: null }));
  const other = attached(bridge, "other");
  const flood = Array.from({ length: 300 }, () => attached(bridge, "flood"));
  const served = await Promise.all(flood.map((port) => answers(port)));
  expect(served.filter(Boolean)).toHaveLength(64);
  expect(served.slice(-64).every(Boolean)).toBe(true);
  expect(await answers(other)).toBe(true);
  for (const port of [other, ...flood]) port.close();
});

test("a port that talks nonsense is closed", async () => {
  const bridge = new Bridge(async () => ({ status: 200, statusText: "OK", headers: [], body: null }));
  for (const nonsense of [{}, [{ op: "put" }], [{ ...get, url: 5 }], [{ ...get, range: {} }], [{ ...get, url: "x".repeat(2 << 20) }], Array.from({ length: 30_000 }, () => get)]) {
    expect(await answers(attached(bridge, "a"), nonsense)).toBe(false);
  }
});
