/** Tabs without a browser: the steady port over owners that come and go, the owner's end of a wire, silence, versions. */
import { afterEach, expect, test } from "vitest";
import { ArchiveError } from "../../web/lib/errors.js";
import { Client, serve, type Handlers } from "../../web/lib/port.js";
import { SteadyPort } from "../../web/lib/tabs/steady.js";
import { OWNER, portWire, relayWire, ServedPort, type Wire } from "../../web/lib/tabs/wire.js";
import { Watch } from "../../web/lib/tabs/watch.js";
import { compareVersions, PACE } from "../../web/lib/tabs/words.js";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const GONE = new ArchiveError("tabs/owner-gone", "gone");
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** An owner that answers only what the test is about, and the wire to it. */
function owner(handlers: Partial<Handlers>): { wire: Wire; served: ServedPort } {
  const { port1, port2 } = new MessageChannel();
  const served = new ServedPort(portWire(port2));
  serve(served, handlers as Handlers);
  const wire = portWire(port1);
  open.push(wire, served);
  return { wire, served };
}

const never = (): Promise<never> => new Promise(() => {});

function steady(): { port: SteadyPort; client: Client } {
  const port = new SteadyPort(new Set(["surt", "inspect"]));
  return { port, client: new Client(port) };
}

test("a request waits for an owner, and is made again at the next one only if it is repeatable", async () => {
  const { port, client } = steady();
  const early = client.call("surt", { urls: ["a"] });
  await settled();
  const asked: string[] = [];
  const answers = (name: string): Partial<Handlers> => ({
    surt: ({ urls }) => (asked.push(name), name === "first" && urls[0] === "b" ? never() : [name, ...urls]),
    damage: () => (asked.push(`${name} damage`), never()),
  });
  port.attach(owner(answers("first")).wire, GONE);
  expect(await early).toEqual(["first", "a"]);

  const repeated = client.call("surt", { urls: ["b"] });
  const lost = expect(client.call("damage", { start: 0, count: 1 })).rejects.toMatchObject({ code: "tabs/owner-gone" });
  await settled();
  port.attach(owner(answers("second")).wire, GONE);
  expect(await repeated).toEqual(["second", "b"]);
  await lost;
  expect(asked).toEqual(["first", "first", "first damage", "second"]);
  expect(port.waiting).toBe(0);
});

test("a stream begins again at the next owner, but not after something of it was handed on", async () => {
  const { port, client } = steady();
  const items = (first: string | undefined): Partial<Handlers> => ({
    async *inspect() {
      if (first !== undefined) yield first;
      await never();
    },
  });
  const source = { source: { kind: "url", url: "" }, name: "", isAlwaysNamed: false } as const;
  const whole: Partial<Handlers> = {
    async *inspect() {
      for (let n = 0; n < 10; n++) yield String(n);
    },
  };
  port.attach(owner(items(undefined)).wire, GONE);
  const fresh = client.stream("inspect", source);
  const got = fresh.next();
  await settled();
  port.attach(owner(whole).wire, GONE);
  const all = [(await got).value];
  for await (const item of fresh) all.push(item);
  expect(all).toEqual(Array.from({ length: 10 }, (_, n) => String(n)));

  port.attach(owner(items("x")).wire, GONE);
  const begun = client.stream("inspect", source);
  expect((await begun.next()).value).toBe("x");
  port.attach(owner(whole).wire, GONE);
  await expect(begun.next()).rejects.toMatchObject({ code: "tabs/owner-gone" });
});

test("an owner that finishes ends what is under way, and leaves the rest to the next", async () => {
  const { port, client } = steady();
  let answer = (_: { module: number; table: number }): void => {};
  const { wire, served } = owner({ memory: () => new Promise((resolve) => (answer = resolve)) });
  port.attach(wire, GONE);
  const underWay = client.call("memory", {});
  await settled();
  let isIdle = false;
  const idle = served.finish().then(() => (isIdle = true));
  // Not repeatable, and not begun.
  const later = client.call("damage", { start: 0, count: 1 });
  await settled();
  expect(isIdle).toBe(false);
  answer({ module: 1, table: 2 });
  expect(await underWay).toEqual({ module: 1, table: 2 });
  await idle;
  port.attach(owner({ damage: () => [] }).wire, GONE);
  expect(await later).toEqual([]);
});

test("what waits without an owner is rejected in time, and everything once a tab is outdated", async () => {
  const { port, client } = steady();
  const waiting = client.call("surt", { urls: [] });
  port.failOlder(Date.now() + 1, new ArchiveError("tabs/no-owner", "none"));
  await expect(waiting).rejects.toMatchObject({ code: "tabs/no-owner" });
  port.attach(owner({ surt: never }).wire, GONE);
  const underWay = client.call("surt", { urls: [] });
  const outdated = new ArchiveError("tabs/outdated", "reload");
  port.refuse(outdated, false);
  await expect(client.call("surt", { urls: [] })).rejects.toMatchObject({ code: "tabs/outdated" });
  expect(port.waiting).toBe(1);
  port.refuse(outdated, true);
  await expect(underWay).rejects.toMatchObject({ code: "tabs/outdated" });
});

test("a cancelled stream is not made again", async () => {
  const { port, client } = steady();
  const controller = new AbortController();
  const stream = client.stream("inspect", { source: { kind: "url", url: "" }, name: "", isAlwaysNamed: false }, { signal: controller.signal });
  const next = stream.next();
  controller.abort();
  await expect(next).rejects.toMatchObject({ name: "AbortError" });
  let made = 0;
  const counting: Partial<Handlers> = {
    async *inspect() {
      made += 1;
    },
  };
  port.attach(owner(counting).wire, GONE);
  await settled();
  expect(made).toBe(0);
});

test("relayed wires reach the right tab of the right epoch, and nobody else", async () => {
  const channels = Array.from({ length: 3 }, () => new BroadcastChannel("test/relay"));
  open.push(...channels);
  const [ours, others, owners] = channels as [BroadcastChannel, BroadcastChannel, BroadcastChannel];
  const strangers: unknown[] = [];
  for (const wire of [relayWire(others, "b", OWNER, 2), relayWire(others, "a", OWNER, 1), relayWire(owners, OWNER, "b", 2)]) {
    wire.onmessage = (message): void => void strangers.push(message);
  }
  serve(new ServedPort(relayWire(owners, OWNER, "a", 2)), { surt: ({ urls }: { urls: readonly string[] }) => [...urls, "c"] } as unknown as Handlers);
  const { port, client } = steady();
  port.attach(relayWire(ours, "a", OWNER, 2), GONE);
  expect(await client.call("surt", { urls: ["a"] })).toEqual(["a", "c"]);
  expect(strangers).toEqual([]);
});

test("a tab that is linked again on the relay hears nothing of what it asked before", async () => {
  const channels = [new BroadcastChannel("test/again"), new BroadcastChannel("test/again")] as const;
  open.push(...channels);
  let made = 0;
  const link = (): { served: ServedPort; stop: () => Promise<void> } => {
    const served = new ServedPort(relayWire(channels[0], OWNER, "a", 1));
    const handlers: Partial<Handlers> = {
      async *inspect(_, signal) {
        const turn = ++made;
        if (turn === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield `turn ${turn}`;
      },
    };
    return { served, stop: serve(served, handlers as Handlers) };
  };
  const first = link();
  const { port, client } = steady();
  port.attach(relayWire(channels[1], "a", OWNER, 1), GONE);
  const stream = client.stream("inspect", { source: { kind: "url", url: "" }, name: "", isAlwaysNamed: false });
  const item = stream.next();
  await settled();
  first.served.close();
  const stopped = first.stop();
  link();
  port.attach(relayWire(channels[1], "a", OWNER, 1), GONE);
  expect((await item).value).toBe("turn 2");
  expect((await stream.next()).done).toBe(true);
  await stopped;
});

test("silence is counted in beats, and whoever slept starts anew", () => {
  const watch = new Watch({ ...PACE, beatMs: 100, frozenMs: 300 });
  const beats = (...times: number[]): boolean[] => times.map((time) => watch.beat(time));
  expect(beats(0, 100, 200, 300)).toEqual([false, false, false, true]);
  expect(beats(400, 500)).toEqual([false, false]);
  watch.heard();
  expect(beats(600, 700, 800)).toEqual([false, false, true]);
  expect(beats(900, 5000, 5100, 5200, 5300)).toEqual([false, false, false, false, true]);
  watch.rest();
  expect(beats(5400, 5500, 5600)).toEqual([false, false, false]);
});

test("versions are compared by their numbers", () => {
  expect(compareVersions("0.10.0", "0.9.9")).toBeGreaterThan(0);
  expect(compareVersions("1.0.0", "1.0")).toBe(0);
  expect(compareVersions("1.2.3", "2.0.0")).toBeLessThan(0);
});
