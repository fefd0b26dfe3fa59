/**
 * The pager, and the index of an archive, on real storages: memory, the private file system, IndexedDB. One suite with a cache of
 * sixteen pages, and workers that are killed between writing and confirming. In WebKitGTK, too, which has no private file
 * system: see `browser.mjs`.
 */
import { expect, test } from "@playwright/test";
import { findWebKit } from "./browser.mjs";
import { serveLibrary } from "./pages/library.mjs";
import { launch } from "./pages/tabs.mjs";
import { startWebKit, type Driven } from "./pages/webkit.mjs";

interface Contract {
  error?: string;
  generation: number;
  scan: { entries: number; told: number; calls: number; reads: number };
  wrong: number;
  none: boolean;
  fetched: number;
  callsPerPut: number;
  callsPerGet: number;
}

test.skip(({ browserName }) => browserName === "webkit" && findWebKit() === null, "WebKitGTK is missing");

let server: Awaited<ReturnType<typeof serveLibrary>> | undefined;
/** One page for all: each test has a worker and a place to keep things of its own. */
let page: Driven | undefined;
let place = "";
test.beforeAll(async ({ browserName }) => {
  page = browserName === "webkit" ? await startWebKit() : await pageOf(browserName);
  server = await serveLibrary();
  await page.goto(server.url);
});
test.beforeEach(({}, { testId }) => void (place = testId));
test.afterAll(async () => {
  await page?.close();
  await server?.close();
});

async function pageOf(name: "chromium" | "firefox"): Promise<Driven> {
  const { browser, close } = await launch(name);
  return Object.assign(await browser.newPage(), { close });
}

/** Runs a task in a fresh worker, which is terminated at its answer. */
function inWorker<T>(task: Record<string, unknown>): Promise<T> {
  if (!page) throw new Error("there is no page");
  return page.evaluate(
    (message) =>
      new Promise<never>((resolve, reject) => {
        const worker = new Worker("/store-worker.js", { type: "module" });
        worker.onmessage = ({ data }): void => {
          worker.terminate();
          if (data.error) reject(new Error(data.error));
          else resolve(data as never);
        };
        worker.onerror = (event): void => reject(new Error(`worker: ${event.message}`));
        worker.postMessage(message);
      }),
    { place, ...task },
  );
}

// IndexedDB answers a thousand times more slowly; the full count of it is in the benchmark.
const COUNTS = { memory: 100_000, opfs: 100_000, idb: 5_000 } as const;

for (const kind of ["memory", "opfs", "idb"] as const) {
  test(`entries go in, out and through a scan on ${kind}`, async () => {
    const count = COUNTS[kind];
    const facts = await inWorker<Contract>({ task: "contract", kind, count });
    expect(facts).toMatchObject({ generation: 1, wrong: 0, none: true });
    expect(facts.scan).toMatchObject({ entries: count, told: count });
    // A scan is called again once for each absent page and never starts over.
    expect(facts.scan.reads).toBeLessThan(1750);
    expect(facts.scan.calls).toBeLessThan(2 * facts.scan.reads + count / 512 + 10);
    // Reading the bucket and, at most, the chain behind it.
    expect(facts.callsPerGet).toBeLessThan(3);
    expect(facts.callsPerPut).toBeLessThan(3.5);
    // Of 100,000 plain calls for a resident key, only the first may find its page absent.
    expect(facts.fetched).toBeLessThan(2);
  });
}

for (const kind of ["memory", "opfs", "idb"] as const) {
  test(`pages and extents are kept, cut and removed on ${kind}`, async () => {
    const { wrong, cases } = await inWorker<{ wrong: string[]; cases: number }>({ task: "storages", kind });
    expect(wrong).toEqual([]);
    expect(cases).toBeGreaterThan(8);
  });
}

for (const kind of ["opfs", "idb"] as const) {
  for (const when of ["before the superblock", "in the middle", "before the confirmation"] as const) {
    test(`a worker killed ${when} leaves a whole commit on ${kind}`, async () => {
      const count = 1_000;
      await inWorker({ task: "die", kind, count, when });
      const { generation, entries, told } = await inWorker<{ generation: number; entries: number; told: number }>({ task: "look", kind });
      const expected = { "before the superblock": [1], "in the middle": [1, 2], "before the confirmation": [2] }[when];
      expect(expected).toContain(generation);
      expect([entries, told]).toEqual([generation * count, generation * count]);
    });
  }
}

for (const kind of ["memory", "opfs", "idb"] as const) {
  test(`the index of an archive is kept beside a store on ${kind}`, async () => {
    const { wrong } = await inWorker<{ wrong: string[] }>({ task: "index", kind, count: 2_000 });
    expect(wrong).toEqual([]);
  });
}

test("the package's store is kept where this browser can keep it", async ({ browserName }) => {
  const { kind, reason, isFound } = await inWorker<{ kind: string; reason: string; isFound: boolean }>({ task: "published" });
  expect(isFound).toBe(true);
  expect(kind).toBe(browserName === "webkit" ? "indexeddb" : "opfs");
  expect(reason).toContain(browserName === "webkit" ? "database" : "private file system");
});
