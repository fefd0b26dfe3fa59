/**
 * Workers terminated, tabs closed and browsers killed at random moments while they write: what was acknowledged is there
 * afterwards with its value, what was not is there or not, and nothing has another value. Three kills each; two hundred
 * in the deep run.
 */
import { expect, test, type BrowserContext, type Page } from "@playwright/test";
import { canKillBrowsers, KillableBrowser } from "./pages/kills.mjs";
import { PACE, serveTabs } from "./pages/tabs.mjs";

declare global {
  // What kills-page.js leaves for the tests.
  var kills: {
    readonly isOwner: boolean;
    readonly errors: readonly string[];
    call(name: string, request?: Record<string, unknown>): Promise<unknown>;
    write(from: number): void;
    rest(): Promise<void>;
    terminateWorker(): void;
  };
}

const KILLS = process.env["STACKROOM_DEEP"] === "1" ? 200 : 3;
/** Each round has keys of its own. */
const ROUND_KEYS = 1_000_000;
/** After the first acknowledgement of a round: long enough for some commits, and for none. */
const MOMENT_MS = 700;

/** The moments of a run can be had again by its seed. */
function moments(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * MOMENT_MS;
  };
}

let server: Awaited<ReturnType<typeof serveTabs>>;
let heard: number[] = [];
/** One for all tests, since starting it takes longer than most of them; each has a collection of its own in it. */
let browser: KillableBrowser;
let collection = 0;

test.beforeAll(async ({ browserName }) => {
  server = await serveTabs((keys: number[]) => heard.push(...keys));
  browser = new KillableBrowser(browserName as "chromium" | "firefox");
  await browser.start();
});
test.afterAll(async () => {
  await browser.close();
  await server.close();
});
test.beforeEach(() => {
  heard = [];
  collection += 1;
});
test.afterEach(async () => {
  // The page that the browser began with stays, and the browser with it.
  for (const page of browser.context.pages().slice(1)) await page.close();
});

type Kind = "opfs" | "indexeddb";

async function open(context: BrowserContext, kind: Kind): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url}kills?${new URLSearchParams({ name: `kills${collection}`, kind, pace: JSON.stringify(PACE) })}`);
  await page.waitForFunction(() => globalThis.kills !== undefined, undefined, { polling: 50 });
  expect(await call(page, "kind")).toBe(kind);
  return page;
}

const call = <T>(page: Page, name: string, request: Record<string, unknown> = {}): Promise<T> =>
  page.evaluate(([one, of]) => globalThis.kills.call(one, of), [name, request] as const) as Promise<T>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes until something was acknowledged, and then for a moment. */
async function writeAWhile(page: Page, round: number, moment: number): Promise<void> {
  const before = heard.length;
  await page.evaluate((from) => globalThis.kills.write(from), round * ROUND_KEYS);
  await expect.poll(() => heard.length, { intervals: [20] }).toBeGreaterThan(before);
  await pause(moment);
}

/** What was acknowledged is there; what else was asked for in a round, if it is there, is as it should be. */
async function checkRound(page: Page, round: number, keys: readonly number[]): Promise<void> {
  expect(await call(page, "lost", { keys })).toEqual([]);
  const last = Math.max(...keys, round * ROUND_KEYS);
  const around = Array.from({ length: 100 }, (_, n) => last - 50 + n);
  expect(await call(page, "spoilt", { keys: around })).toEqual([]);
  const errors = await page.evaluate(() => globalThis.kills.errors);
  expect(errors).toEqual([]);
}

const WAYS = {
  /** One tab; it finds out by itself that its worker says nothing any more. */
  "worker terminated": async (kind: Kind, moment: () => number) => {
    const page = await open(browser.context, kind);
    for (let round = 1; round <= KILLS; round++) {
      const before = heard.length;
      await writeAWhile(page, round, moment());
      const epoch = await call<number>(page, "epoch");
      await page.evaluate(() => globalThis.kills.terminateWorker());
      const keys = heard.slice(before);
      await expect.poll(() => call<number>(page, "epoch")).toBeGreaterThan(epoch);
      await checkRound(page, round, keys);
    }
    return page;
  },
  /** Two tabs that write; the owner goes, the other goes on. */
  "tab closed": async (kind: Kind, moment: () => number) => {
    let page = await open(browser.context, kind);
    for (let round = 1; round <= KILLS; round++) {
      const next = await open(browser.context, kind);
      const before = heard.length;
      await writeAWhile(next, round, moment());
      expect(await page.evaluate(() => globalThis.kills.isOwner)).toBe(true);
      await page.close();
      const keys = heard.slice(before);
      await expect.poll(() => next.evaluate(() => globalThis.kills.isOwner), { intervals: [50] }).toBe(true);
      await checkRound(next, round, keys);
      page = next;
    }
    return page;
  },
  "browser killed": async (kind: Kind, moment: () => number) => {
    let page = await open(browser.context, kind);
    for (let round = 1; round <= KILLS; round++) {
      const before = heard.length;
      await writeAWhile(page, round, moment());
      await browser.kill();
      const keys = heard.slice(before);
      page = await open(await browser.start(), kind);
      await checkRound(page, round, keys);
    }
    return page;
  },
} as const;

for (const kind of ["opfs", "indexeddb"] as const) {
  for (const [way, run] of Object.entries(WAYS)) {
    // Elsewhere a browser's processes cannot be told from others.
    if (way === "browser killed" && !canKillBrowsers) continue;
    test(`nothing acknowledged is lost on ${kind}: ${way}`, async () => {
      test.setTimeout(120_000 + KILLS * 60_000);
      const seed = Date.now() % 2 ** 31;
      test.info().annotations.push({ type: "seed", description: String(seed) });
      const page = await run(kind, moments(seed));
      // At the end all of it, not only what was new in a round, and nothing goes on beside it.
      await page.evaluate(() => globalThis.kills.rest());
      const keys = [...heard];
      expect(keys.length).toBeGreaterThan(KILLS);
      for (let from = 0; from < keys.length; from += 10_000) expect(await call(page, "lost", { keys: keys.slice(from, from + 10_000) })).toEqual([]);
      expect(await call<number>(page, "count")).toBeGreaterThanOrEqual(new Set(keys).size);
      expect(await call(page, "verify")).toEqual([]);
      test.info().annotations.push({ type: "acknowledged", description: String(keys.length) });
    });
  }
}
