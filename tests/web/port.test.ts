/** Calls and streams over a real message channel: order, back-pressure, cancelling, errors, closing. */
import { afterEach, expect, test } from "vitest";
import { ArchiveError } from "../../web/lib/errors.js";
import { Client, serve, type Handlers, type Port } from "../../web/lib/port.js";

const channels: MessageChannel[] = [];

/** A client of handlers that answer only what the test is about. */
function connected(handlers: Partial<Handlers>): Client {
  const channel = new MessageChannel();
  channels.push(channel);
  serve(channel.port2 as Port, handlers as Handlers);
  return new Client(channel.port1 as Port);
}

afterEach(() => {
  for (const { port1, port2 } of channels.splice(0)) {
    port1.close();
    port2.close();
  }
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

test("a call is answered, and an error keeps its code and offset", async () => {
  const client = connected({
    surt: ({ urls }) => urls.map((url) => url.toUpperCase()),
    damage: () => {
      throw new ArchiveError("test/broken", "It broke.", { offset: 7 });
    },
    memory: () => {
      throw new TypeError("a bug");
    },
    attach: () => {
      throw "open/empty\n0\nThis file is empty.";
    },
  });
  expect(await client.call("surt", { urls: ["a", "b"] })).toEqual(["A", "B"]);
  await expect(client.call("damage", { start: 0, count: 1 })).rejects.toMatchObject({ code: "test/broken", offset: 7, message: "It broke." });
  await expect(client.call("memory", {})).rejects.toMatchObject({ code: "bug/engine" });
  const source = { kind: "bytes", bytes: new Uint8Array(0) } as const;
  await expect(client.call("attach", { source })).rejects.toMatchObject({ code: "open/empty", offset: 0, message: "This file is empty." });
  await expect(client.call("rows", { start: 0, count: 1 })).rejects.toMatchObject({ code: "bug/engine" });
});

test("a stream keeps its order and runs no further ahead than its credit", async () => {
  let made = 0;
  const client = connected({
    async *inspect() {
      while (made < 100) yield String(made++);
    },
  });
  const got: string[] = [];
  for await (const item of client.stream("inspect", { source: { kind: "url", url: "" }, name: "", isAlwaysNamed: false })) {
    got.push(item);
    if (got.length === 10) {
      await settled();
      expect(made).toBeLessThanOrEqual(10 + 5);
    }
  }
  expect(got).toEqual(Array.from({ length: 100 }, (_, n) => String(n)));
});

test("bytes that stand alone are handed over, not copied", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const part = new Uint8Array(new ArrayBuffer(8), 2, 3);
  let answers = [bytes, part];
  const client = connected({ rows: () => answers.shift() ?? bytes });
  expect(await client.call("rows", { start: 0, count: 1 })).toEqual(new Uint8Array([1, 2, 3]));
  expect(bytes.length).toBe(0);
  expect(await client.call("rows", { start: 0, count: 1 })).toEqual(new Uint8Array(3));
  expect(part.length).toBe(3);
  answers = [];
});

test("leaving a stream, aborting it and closing the client each end it at the engine", async () => {
  const ended: string[] = [];
  const handlers = (name: string): Partial<Handlers> => ({
    async *inspect(_, signal) {
      signal.addEventListener("abort", () => ended.push(`${name} signal`));
      try {
        for (;;) {
          yield "x";
          if (signal.aborted) return;
        }
      } finally {
        ended.push(`${name} end`);
      }
    },
  });
  const request = { source: { kind: "url", url: "" }, name: "", isAlwaysNamed: false } as const;
  for await (const _ of connected(handlers("left")).stream("inspect", request)) break;
  await settled();
  expect(ended).toEqual(["left signal", "left end"]);

  const controller = new AbortController();
  const aborted = connected(handlers("aborted")).stream("inspect", request, { signal: controller.signal });
  await aborted.next();
  controller.abort();
  await expect(aborted.next()).rejects.toMatchObject({ name: "AbortError" });
  await settled();
  expect(ended).toContain("aborted end");

  const client = connected({ hello: () => new Promise<never>(() => {}) });
  const waiting = client.call("hello", { version: "" });
  client.close(new ArchiveError("test/closed", "closed"));
  await expect(waiting).rejects.toMatchObject({ code: "test/closed" });
  await expect(client.call("hello", { version: "" })).rejects.toMatchObject({ code: "test/closed" });
});

test("an aborted call rejects at once and its late answer is dropped", async () => {
  let answer = (_: string[]): void => {};
  const client = connected({ surt: () => new Promise<string[]>((resolve) => (answer = resolve)) });
  const controller = new AbortController();
  const call = client.call("surt", { urls: [] }, { signal: controller.signal });
  await settled();
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  answer(["late"]);
  await settled();
  await expect(client.call("surt", { urls: [] }, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
});
