/**
 * The pager on real storages: memory, the private file system, IndexedDB. One suite with a cache of
 * sixteen pages, and workers that are killed between writing and confirming.
 */
import { expect, test, type Page } from "@playwright/test";
import { serveLibrary } from "./pages/library.mjs";

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

let server: Awaited<ReturnType<typeof serveLibrary>>;
test.beforeAll(async () => {
  server = await serveLibrary();
});
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  await page.goto(server.url);
});

/** Runs a task in a fresh worker, which is terminated at its answer. */
function inWorker<T>(page: Page, task: Record<string, unknown>): Promise<T> {
  return page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("/store-worker.js", { type: "module" });
        worker.onmessage = ({ data }): void => {
          worker.terminate();
          if (data.error) reject(new Error(data.error));
          else resolve(data);
        };
        worker.onerror = (event): void => reject(new Error(`worker: ${event.message}`));
        worker.postMessage(message);
      }) as Promise<never>,
    task,
  );
}

// IndexedDB answers a thousand times more slowly; the full count of it is in the benchmark.
const COUNTS = { memory: 100_000, opfs: 100_000, idb: 5_000 } as const;

for (const kind of ["memory", "opfs", "idb"] as const) {
  test(`entries go in, out and through a scan on ${kind}`, async ({ page }) => {
    const count = COUNTS[kind];
    const facts = await inWorker<Contract>(page, { task: "contract", kind, count });
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
  test(`pages and extents are kept, cut and removed on ${kind}`, async ({ page }) => {
    const { wrong, cases } = await inWorker<{ wrong: string[]; cases: number }>(page, { task: "storages", kind });
    expect(wrong).toEqual([]);
    expect(cases).toBeGreaterThan(8);
  });
}

for (const kind of ["opfs", "idb"] as const) {
  for (const when of ["before the superblock", "in the middle", "before the confirmation"] as const) {
    test(`a worker killed ${when} leaves a whole commit on ${kind}`, async ({ page }) => {
      const count = 1_000;
      await inWorker(page, { task: "die", kind, count, when });
      const { generation, entries, told } = await inWorker<{ generation: number; entries: number; told: number }>(page, { task: "look", kind });
      const expected = { "before the superblock": [1], "in the middle": [1, 2], "before the confirmation": [2] }[when];
      expect(expected).toContain(generation);
      expect([entries, told]).toEqual([generation * count, generation * count]);
    });
  }
}
