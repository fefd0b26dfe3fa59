/**
 * Many tabs, one owner: owners are closed, crash, freeze and step down while every tab goes on asking.
 * Whatever happens, each request ends with an answer or an error, what was acknowledged is kept exactly once, and
 * epochs only grow. The store is the real one, every put is acknowledged by a commit.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { launch, PACE, serveTabs, Tabs } from "./pages/tabs.mjs";

interface Result {
  readonly name: string;
  readonly key?: number;
  readonly began: number;
  readonly ended?: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Entry {
  readonly epoch: number;
  readonly key: number;
  readonly number: number;
}

declare global {
  // What tabs-page.js leaves for the tests.
  var tabs: {
    readonly tab: { readonly id: string; close(): Promise<void> };
    readonly owners: readonly { readonly epoch: number; readonly isHere: boolean }[];
    readonly outdated: readonly string[];
    readonly results: readonly Result[];
    ask(name: string, request?: Record<string, unknown>): Promise<Result>;
    isOwner(): boolean;
    roundTrip(count: number): Promise<number>;
  };
}

const SAMPLE = fileURLToPath(new URL("../../dist/app/sample.warc.gz", import.meta.url));
/** Silence, stealing, and patience with locked handles, twice over: a bound, not a gate on speed. */
const BOUND_MS = 2 * (PACE.ownerlessMs + PACE.lockedMs);

let server: Awaited<ReturnType<typeof serveTabs>>;
let browser: { browser: Browser; close(): Promise<void> };
let context: BrowserContext;

test.beforeAll(async ({ browserName }) => {
  server = await serveTabs();
  browser = await launch(browserName as "chromium" | "firefox");
});
test.afterAll(async () => {
  await browser?.close();
  await server?.close();
});
test.beforeEach(async () => void (context = await browser.browser.newContext()));
test.afterEach(async () => context.close());

const ask = (page: Page, name: string, request: Record<string, unknown> = {}): Promise<Result> =>
  page.evaluate(([one, of]) => globalThis.tabs.ask(one, of), [name, request] as const);

const value = async <T>(page: Page, name: string, request: Record<string, unknown> = {}): Promise<T> => {
  const result = await ask(page, name, request);
  expect(result.error).toBeUndefined();
  return result.value as T;
};

function first<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined) throw new Error("there is none");
  return one;
}

async function ownerOf(tabs: Tabs): Promise<Page> {
  const owner = await tabs.owner();
  if (!owner) throw new Error("no tab is the owner");
  return owner;
}

/** Every request ended in time, and the log tells the same story as the answers. */
function checkStory(results: readonly Result[][], log: readonly Entry[], errors: readonly string[]): void {
  expect(log.map((entry) => entry.number)).toEqual(log.map((_, n) => n));
  for (let n = 1; n < log.length; n++) expect(log[n]?.epoch).toBeGreaterThanOrEqual(log[n - 1]?.epoch ?? 0);
  const kept = new Map<number, Entry>();
  for (const entry of log) {
    expect(kept.has(entry.key), `key ${entry.key} twice`).toBe(false);
    kept.set(entry.key, entry);
  }
  for (const ofTab of results) {
    for (const result of ofTab) {
      expect(result.ended, `${result.name} has no end`).toBeDefined();
      expect((result.ended ?? Infinity) - result.began).toBeLessThan(BOUND_MS);
      if (result.error !== undefined) expect(errors).toContain(result.error);
      else if (result.name === "put") {
        const { epoch, number } = result.value as Entry;
        expect(kept.get(result.key ?? -1), `put ${result.key}`).toEqual({ epoch, number, key: result.key });
      } else expect(result.value, result.name).toBeDefined();
    }
    const epochs = ofTab.filter((result) => result.name === "epoch" && result.error === undefined);
    epochs.sort((a, b) => (a.ended ?? 0) - (b.ended ?? 0));
    for (let n = 1; n < epochs.length; n++) expect(epochs[n]?.value).toBeGreaterThanOrEqual(epochs[n - 1]?.value as number);
  }
}

async function generationsOf(): Promise<string[]> {
  let folder = await navigator.storage.getDirectory();
  for (const name of ["stackroom", "test"]) folder = await folder.getDirectoryHandle(name);
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

for (const [count, kind] of [[2, "opfs"], [5, "opfs"], [2, "indexeddb"]] as const) {
  test(`${count} tabs lose no request when owners close, crash, freeze and step down, on ${kind}`, async () => {
    const tabs = new Tabs(context, server.url, { kinds: kind });
    for (let n = 0; n < count; n++) await tabs.open();
    await tabs.load();
    const epochs: number[] = [];
    /** An owner that was there, with its epoch. */
    const next = async (): Promise<{ owner: Page; epoch: number }> => {
      const owner = await ownerOf(tabs);
      const epoch = await value<number>(owner, "epoch");
      epochs.push(epoch);
      return { owner, epoch };
    };
    const refill = async (): Promise<void> => {
      const page = await tabs.open();
      await page.evaluate(() => (globalThis.tabs as unknown as { load(): void }).load());
    };

    await test.step("closed", async () => {
      const { owner, epoch } = await next();
      tabs.drop(owner);
      await owner.close();
      await tabs.answeredAfter(epoch);
      await refill();
    });

    await test.step("crashed", async () => {
      const { owner, epoch } = await next();
      await tabs.crash(await tabs.prepareProcess(owner));
      await tabs.keepLiving();
      await tabs.answeredAfter(epoch);
      while (tabs.pages.length < count) await refill();
    });

    await test.step("frozen, and thawed", async () => {
      const { owner, epoch } = await next();
      const generation = await value<number>(owner, "generation");
      const { thaw } = await tabs.freeze(await tabs.prepareProcess(owner));
      tabs.drop(owner);
      await tabs.answeredAfter(epoch);
      const peer = first(tabs.pages);
      expect(await value<string>(peer, "kind")).toBe(kind);
      // Its handle is still locked: the new owner works on a copy. A database is locked for nobody.
      const isCopy = (await value<number>(peer, "generation")) > generation;
      expect(isCopy).toBe(kind === "opfs");
      const before = await value<Entry[]>(peer, "log");
      await thaw();
      // It finds out by itself, and is a tab like the others.
      tabs.pages.push(owner);
      await tabs.answeredAfter(epoch);
      expect(await owner.evaluate(() => globalThis.tabs.isOwner())).toBe(false);
      const after = await value<Entry[]>(peer, "log");
      expect(after.slice(0, before.length)).toEqual(before);
      for (const entry of after.slice(before.length)) expect(entry.epoch).toBeGreaterThan(epoch);
    });

    const { epoch } = await next();
    const old = [...tabs.pages];
    const newer = await tabs.open({ version: "99.0.0" });
    expect(await newer.evaluate(() => globalThis.tabs.isOwner())).toBe(true);
    epochs.push(await value<number>(newer, "epoch"));
    expect(epochs.at(-1)).toBeGreaterThan(epoch);
    for (const page of old) {
      expect(await page.evaluate(() => globalThis.tabs.outdated)).toEqual(["99.0.0"]);
      expect((await ask(page, "epoch")).error).toBe("tabs/outdated");
    }

    // The frozen owner's folder went when it let go of it.
    const generation = await value<number>(newer, "generation");
    if (kind === "opfs") await expect.poll(() => newer.evaluate(generationsOf)).toEqual([String(generation)]);

    const results = (await tabs.rest()) as Result[][];
    const log = await value<Entry[]>(newer, "log");
    expect(log.length).toBeGreaterThan(count);
    checkStory(results, log, ["tabs/owner-gone", "tabs/fenced", "tabs/outdated"]);
    // What may be asked twice is not rejected by any hand-over.
    const rejected = results.flat().filter(({ name, error }) => name !== "put" && error !== undefined && error !== "tabs/outdated");
    expect(rejected).toEqual([]);
    for (let n = 1; n < epochs.length; n++) expect(epochs[n]).toBeGreaterThan(epochs[n - 1] ?? 0);
  });
}

test("without SharedWorker, messages are relayed and nothing is lost either", async () => {
  const tabs = new Tabs(context, server.url, { relay: "1" });
  for (let n = 0; n < 3; n++) await tabs.open();
  expect(await first(tabs.pages).evaluate(() => typeof SharedWorker)).toBe("undefined");
  await tabs.load();
  for (const way of ["crash", "freeze"] as const) {
    const owner = await ownerOf(tabs);
    const epoch = await value<number>(owner, "epoch");
    const process = await tabs.prepareProcess(owner);
    const frozen = way === "freeze" ? await tabs.freeze(process) : undefined;
    if (!frozen) await tabs.crash(process);
    tabs.drop(owner);
    await tabs.keepLiving();
    await tabs.answeredAfter(epoch);
    await frozen?.thaw();
    if (frozen) tabs.pages.push(owner);
    await tabs.answeredAfter(epoch);
  }
  const results = (await tabs.rest()) as Result[][];
  checkStory(results, await value<Entry[]>(first(tabs.pages), "log"), ["tabs/owner-gone", "tabs/fenced"]);
});

test("a file that one tab opened is read by owners after it, with the tab gone", async () => {
  const tabs = new Tabs(context, server.url);
  const opener = await tabs.open();
  const peer = await tabs.open();
  const last = await tabs.open();
  await opener.setInputFiles("input", SAMPLE);
  await expect.poll(() => value(peer, "fileKeys")).toEqual(["picked"]);
  const hello = first(readFileSync(new URL("../../web/lib/protocol.ts", import.meta.url), "utf8").match(/(?<=VERSION = ")[^"]+/) ?? []);
  await value(last, "hello", { version: hello });
  const lines = await value<string>(last, "inspectShared", { key: "picked" });
  expect(lines.split("\n").length).toBeGreaterThan(10);
  const epoch = await value<number>(peer, "epoch");
  await tabs.crash(await tabs.prepareProcess(opener));
  await expect.poll(() => value<number>(last, "epoch")).toBeGreaterThan(epoch);
  // A tab that comes later hears of it from the owner, and keeps it in its turn.
  const late = await tabs.open();
  for (const owner of [peer, last]) {
    await expect.poll(() => owner.evaluate(() => globalThis.tabs.isOwner())).toBe(true);
    await value(late, "hello", { version: hello });
    expect(await value<string>(late, "inspectShared", { key: "picked" })).toBe(lines);
    const before = await value<number>(late, "epoch");
    await owner.close();
    await expect.poll(() => value<number>(late, "epoch")).toBeGreaterThan(before);
  }
  await value(late, "hello", { version: hello });
  expect(await value<string>(late, "inspectShared", { key: "picked" })).toBe(lines);
});

test("what a dead tab held is freed, and a tab that closes hands over without a loss", async () => {
  const tabs = new Tabs(context, server.url);
  const owner = await tabs.open();
  const guest = await tabs.open();
  const id = await guest.evaluate(() => globalThis.tabs.tab.id);
  await guest.close();
  await expect.poll(() => value(owner, "left")).toEqual([id]);

  const heir = await tabs.open();
  const slow = ask(heir, "slow", { ms: 700 });
  const put = ask(heir, "put", { key: 5 });
  const epoch = await value<number>(heir, "epoch");
  await owner.evaluate(() => globalThis.tabs.tab.close());
  // Finished by the old owner, though it was asked to leave.
  expect(await slow).toMatchObject({ value: epoch });
  expect((await put).value).toMatchObject({ epoch });
  await expect.poll(() => value<number>(heir, "epoch")).toBe(epoch + 1);
  expect(await value<number>(heir, "generation")).toBe(1);
  expect(await ask(owner, "epoch")).toMatchObject({ error: "AbortError" });
});

test("a frozen tab that is next in the queue keeps nobody waiting", async () => {
  const tabs = new Tabs(context, server.url);
  const owner = await tabs.open();
  const next = await tabs.open();
  const last = await tabs.open();
  const epoch = await value<number>(owner, "epoch");
  const { thaw } = await tabs.freeze(await tabs.prepareProcess(next));
  await owner.close();
  await expect.poll(() => value<number>(last, "epoch")).toBeGreaterThan(epoch);
  await thaw();
  await expect.poll(async () => (await value<number>(next, "epoch")) === (await value<number>(last, "epoch"))).toBe(true);
});

test("an owner whose lock was stolen acknowledges and writes nothing, before its page knows of it", async () => {
  const tabs = new Tabs(context, server.url);
  const owner = await tabs.open();
  const peer = await tabs.open();
  await value(peer, "put", { key: 1 });
  const epoch = await value<number>(peer, "epoch");
  const busy = owner.evaluate(() => {
    const until = performance.now() + 3000;
    while (performance.now() < until);
  });
  await peer.evaluate(
    () =>
      new Promise<void>((resolve) => {
        void navigator.locks.request("stackroom/test/owner", { steal: true }, async () => {
          resolve();
          await new Promise((done) => setTimeout(done, 500));
        });
      }),
  );
  expect(await ask(peer, "put", { key: 2 })).toMatchObject({ error: "tabs/fenced" });
  await busy;
  await expect.poll(() => value<number>(peer, "epoch")).toBeGreaterThan(epoch);
  expect((await value<Entry[]>(peer, "log")).map((entry) => entry.key)).toEqual([1]);
});

test("an owner whose worker loads slowly is waited for, and one whose worker never loads is not", async () => {
  const tabs = new Tabs(context, server.url, { loads: String(3 * PACE.frozenMs) });
  const pages = await Promise.all([tabs.open(), tabs.open()]);
  for (const page of pages) expect(await value<number>(page, "epoch")).toBe(1);

  const stuck = await context.newPage();
  const pace = JSON.stringify({ ...PACE, ownerlessMs: 1500 });
  await stuck.goto(`${server.url}?${new URLSearchParams({ name: "other", pace, loads: "600000" })}`);
  await stuck.waitForFunction(() => globalThis.tabs !== undefined, undefined, { polling: 50 });
  const fine = await new Tabs(context, server.url, { name: "other" }).open();
  for (const page of [fine, stuck]) expect(await value<number>(page, "epoch")).toBe(1);
});

test("an owner's worker that hangs is ended, and its page goes on", async () => {
  const tabs = new Tabs(context, server.url);
  const page = await tabs.open();
  const epoch = await value<number>(page, "epoch");
  const hung = ask(page, "spin", { ms: 600_000 });
  expect(await value<number>(page, "epoch")).toBeGreaterThan(epoch);
  expect(await hung).toMatchObject({ error: "tabs/owner-gone" });
});

test("an owner that goes to another page hands over, and is a tab like others when it comes back", async () => {
  const tabs = new Tabs(context, server.url);
  const owner = await tabs.open();
  const peer = await tabs.open();
  const epoch = await value<number>(owner, "epoch");
  await owner.goto(`${server.url}tabs-page.js`);
  await expect.poll(() => value<number>(peer, "epoch")).toBeGreaterThan(epoch);
  await owner.goBack();
  await owner.waitForFunction(() => globalThis.tabs !== undefined, undefined, { polling: 50 });
  await expect.poll(async () => (await value<number>(owner, "epoch")) === (await value<number>(peer, "epoch"))).toBe(true);
});

test("handles that stay locked are asked for again until they are free", async () => {
  const tabs = new Tabs(context, server.url);
  const before = await tabs.open();
  const epoch = await value<number>(before, "epoch");
  await before.evaluate(() => globalThis.tabs.tab.close());
  await before.evaluate(async (heldMs: number) => {
    const code = `(async () => {
      let folder = await navigator.storage.getDirectory();
      for (const name of ["stackroom", "test", "1"]) folder = await folder.getDirectoryHandle(name);
      const handle = await (await folder.getFileHandle("owner")).createSyncAccessHandle();
      postMessage("held");
      setTimeout(() => handle.close(), ${heldMs});
    })()`;
    const holder = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    await new Promise((resolve) => (holder.onmessage = resolve));
  }, 2000);
  const began = Date.now();
  const after = await tabs.open();
  expect(Date.now() - began).toBeGreaterThan(1000);
  expect(await value<number>(after, "epoch")).toBe(epoch + 1);
  expect(await value<number>(after, "generation")).toBe(1);
});
