/**
 * Where a collection is kept: the ladder at each of its steps, with storage made to fail as it does in browsers that
 * refuse it; the room that there is; and a quota that is used up.
 */
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { launch, launchSmall, limitRoom, PACE, serveTabs } from "./pages/tabs.mjs";

let server: Awaited<ReturnType<typeof serveTabs>>;
let browser: Awaited<ReturnType<typeof launch>>;
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
test.afterEach(() => context.close());

async function open(query: Record<string, string> = {}): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url}?${new URLSearchParams({ pace: JSON.stringify(PACE), ...query })}`);
  await page.waitForFunction(() => globalThis.tabs !== undefined, undefined, { polling: 50 });
  return page;
}

const ask = async <T>(page: Page, name: string, request: Record<string, unknown> = {}): Promise<T> => {
  const result = await page.evaluate(([one, of]) => globalThis.tabs.ask(one, of), [name, request] as const);
  expect(result.error).toBeUndefined();
  return result.value as T;
};

const STEPS = [
  { spoilt: "", kind: "opfs", reason: "The index is kept in this browser's private file system." },
  { spoilt: "files", kind: "indexeddb", reason: /^The index is kept in this browser's database, .* since its private file system cannot be used \(.+\)\.$/ },
  { spoilt: "handles", kind: "indexeddb", reason: /^The index is kept in this browser's database, .* since its private file system cannot be used \(.+\)\.$/ },
  { spoilt: "files,database", kind: "memory", reason: /^The index is kept in memory and is gone when this page closes, since its private .* and its database cannot be used \(.+\)\.$/ },
] as const;

for (const { spoilt, kind, reason } of STEPS) {
  test(`a store is kept in ${kind} where ${spoilt || "nothing"} fails, and says why`, async () => {
    const page = await open({ spoilt });
    expect(await ask(page, "kind")).toBe(kind);
    expect(await ask<string>(page, "reason")).toMatch(reason);
    await ask(page, "put", { key: 7 });
    expect(await ask(page, "get", { key: 7 })).toBe("1 0");
    // What another tab finds when it takes over.
    const heir = await open({ spoilt });
    await ask(heir, "epoch");
    await page.close();
    await expect.poll(() => ask<number>(heir, "epoch")).toBe(2);
    expect(await ask(heir, "get", { key: 7 })).toBe(kind === "memory" ? null : "1 0");
    expect(await heir.evaluate(async () => (await indexedDB.databases()).filter(({ name }) => name?.includes("probe")))).toEqual([]);
  });
}

const refusal = async (query: Record<string, string>): Promise<{ error?: string; message?: string }> => {
  const page = await open({ ...query, pace: JSON.stringify({ ...PACE, ownerlessMs: 1_000 }) });
  const refused = await page.evaluate(() => globalThis.tabs.ask("kind"));
  await page.close();
  return refused;
};

for (const [first, kind] of [["", "opfs"], ["files", "indexeddb"]] as const) {
  test(`a collection that is kept in ${kind} is looked for nowhere else`, async () => {
    const page = await open({ spoilt: first });
    expect(await ask(page, "kind")).toBe(kind);
    await ask(page, "put", { key: 7 });
    await page.close();
    // The other kind works by now, or this one fails: what was kept is found, or said to be out of reach.
    const other = kind === "opfs" ? "files" : "";
    if (kind === "opfs") expect((await refusal({ spoilt: other })).error).toBe("store/out-of-reach");
    const again = await open({ spoilt: "" });
    expect(await ask(again, "kind")).toBe(kind);
    expect(await ask(again, "get", { key: 7 })).toBe("1 0");
  });
}

test("a step that is asked for is taken, and none that is not", async () => {
  for (const kinds of ["opfs", "indexeddb", "memory"]) {
    const page = await open({ kinds, name: kinds });
    expect(await ask(page, "kind")).toBe(kinds);
  }
  const page = await open({ kinds: "opfs", spoilt: "files", name: "none", pace: JSON.stringify({ ...PACE, ownerlessMs: 1_000 }) });
  const refused = await page.evaluate(() => globalThis.tabs.ask("kind"));
  expect(refused.error).toBe("store/unsupported");
});

test("the browser is asked to keep the data when something is kept, and not before", async () => {
  const page = await open({ persists: "1" });
  await ask(page, "epoch");
  const asked = (): Promise<number> => page.evaluate(() => (globalThis as unknown as { persistAsked: number }).persistAsked);
  expect(await asked()).toBe(0);
  await ask(page, "put", { key: 1 });
  await expect.poll(asked).toBe(1);
  await ask(page, "put", { key: 2 });
  expect(await asked()).toBe(1);
  const room = await ask<{ usedBytes: number; quotaBytes: number; isPersistent: boolean }>(page, "room");
  expect(room.quotaBytes).toBeGreaterThan(room.usedBytes);
  expect(typeof room.isPersistent).toBe("boolean");
});

const QUOTA_BYTES = 12_000_000;

test.describe("a full disk", () => {
  let small: Awaited<ReturnType<typeof launchSmall>>;
  test.beforeEach(async ({ browserName }) => {
    await context.close();
    small = await launchSmall(browserName as "chromium" | "firefox", QUOTA_BYTES);
    context = small.context;
  });
  test.afterEach(() => small.close());

  for (const kind of ["opfs", "indexeddb"] as const) {
    test(`ends in an error, and what was there is there, on ${kind}`, async ({ browserName }) => {
      // Before anything is written: Chromium goes by what it knew of the room for half a minute.
      const first = await context.newPage();
      await first.goto(`${server.url}tabs-page.js`);
      await limitRoom(first, QUOTA_BYTES);
      // Filling keeps the owner busy: patience is not what is tried here.
      const patient = { kinds: kind, pace: JSON.stringify({ ...PACE, frozenMs: 20_000 }) };
      const page = await open(patient);
      const keys = Array.from({ length: 20 }, (_, key) => key);
      for (const key of keys) await ask(page, "put", { key });
      const fill = (from: number): Promise<{ count: number; error?: string }> => ask(page, "fill", { bytes: 40_000_000, from, atOnce: 50 });
      expect((await fill(0)).error).toBe("store/full");
      // Nothing of what was acknowledged went, and looking up goes on.
      for (const key of keys) expect(await ask(page, "get", { key })).toBe(`1 ${key}`);
      expect((await fill(100_000)).error).toBe("store/full");
      if (browserName === "chromium") {
        await limitRoom(first);
        await ask(page, "put", { key: 20 });
        keys.push(20);
      }
      const epoch = await ask<number>(page, "epoch");
      await page.close();
      const after = await open(patient);
      await expect.poll(() => ask<number>(after, "epoch")).toBe(epoch + 1);
      const log = await ask<{ key: number }[]>(after, "log");
      expect(log.map((entry) => entry.key).sort((a, b) => a - b)).toEqual(keys);
    });
  }
});
