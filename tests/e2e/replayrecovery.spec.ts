/** The pipe may die at any time: its service worker is stopped, the viewer is reloaded, and the archive goes on answering. */
import { expect, test, type Frame, type Page } from "@playwright/test";
import type { ReplaySetting } from "stackroom/replay";
import { launchReplay, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { manyFiles, manyText, site, tenPages } from "./pages/replaysite.mjs";
import { openViewer, replayed, show, type TestViewer } from "./pages/replayviewer.js";

declare const viewer: TestViewer;

/** Firefox has no way to stop a service worker but to leave it alone this long. */
const IDLE_MS = 1_000;

let host: Awaited<ReturnType<typeof startReplayHost>>;
let browser: Awaited<ReturnType<typeof launchReplay>>;
let page: Page;

test.beforeAll(async ({ browserName }) => {
  host = await startReplayHost({ archives: { "ten.warc.gz": tenPages(), "many.warc.gz": manyFiles() } });
  browser = await launchReplay(browserName as BrowserName, {
    "dom.serviceWorkers.idle_timeout": IDLE_MS,
    "dom.serviceWorkers.idle_extended_timeout": IDLE_MS,
  });
  page = browser.page;
});

test.afterAll(async () => {
  await browser.close();
  await host.close();
});

const ports = () => page.evaluate(async () => (await viewer.counts()).ports);

async function stopPipe(): Promise<void> {
  if (test.info().project.name === "firefox") return page.waitForTimeout(4 * IDLE_MS);
  const session = await page.context().newCDPSession(page);
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await session.detach();
}

const fetchText = (frame: Frame, number: number) => frame.evaluate(async (n) => (await fetch(`/file/${n}.txt`)).text(), number);

const layouts: Record<string, (port: number) => ReplaySetting | undefined> = {
  "an origin for each host": () => undefined,
  "one origin for all": (port) => ({ mode: "single", origin: `http://replay.localhost:${port}` }),
};

for (const [layout, setting] of Object.entries(layouts)) {
  test(`a page goes on fetching after its service worker was stopped, on ${layout}`, async () => {
    await openViewer(page, host, "many.warc.gz", setting(host.port));
    const frame = await show(page, `${site}/`, "p");
    expect(await fetchText(frame, 1)).toBe(manyText(1));
    // On a busy machine Firefox may have stopped the worker before, as long as it is given here.
    const before = await ports();
    await stopPipe();
    const texts = await frame.evaluate(() => Promise.all(Array.from({ length: 40 }, async (_, n) => (await fetch(`/file/${n}.txt`)).text())));
    expect(texts).toEqual(Array.from({ length: 40 }, (_, n) => manyText(n)));
    // Another port: the worker that had the last one is gone.
    expect(await ports()).toBe(before + 1);
  });

  test(`a page is shown where the service worker was stopped and nobody looks, on ${layout}`, async () => {
    await openViewer(page, host, "ten.warc.gz", setting(host.port));
    await show(page, `${site}/page/1`, "h1");
    await page.evaluate(() => document.querySelector("iframe")?.remove());
    await stopPipe();
    const frame = await show(page, `${site}/page/4`, "h1");
    await expect(frame.locator("h1")).toHaveText("Page 4 of ten");
  });
}

test("a page is left for another after the service worker was stopped", async () => {
  await openViewer(page, host, "ten.warc.gz");
  const frame = await show(page, `${site}/page/1`, "h1");
  await stopPipe();
  await frame.evaluate(() => (document.querySelector("#absolute") as HTMLElement).click());
  await expect(frame.locator("h1")).toHaveText("Page 2 of ten");
});

test("the archive is there again after the viewer was reloaded, even at once", async () => {
  await openViewer(page, host, "ten.warc.gz");
  await show(page, `${site}/page/1`, "h1");
  for (let number = 2; number <= 4; number += 1) {
    await page.reload();
    await page.waitForFunction(() => document.body.dataset["opened"]);
    const frame = await show(page, `${site}/page/${number}`, `h1:text-is("Page ${number} of ten")`);
    await expect.poll(() => frame.evaluate(() => (document.getElementById("cdn") as HTMLImageElement).naturalWidth)).toBe(99 + number);
  }
});

test("requests under way when the service worker stops fail or are answered, none is answered wrong", async () => {
  await openViewer(page, host, "many.warc.gz");
  const frame = await show(page, `${site}/`, "p");
  const results = frame.evaluate(() => Promise.all(Array.from({ length: 200 }, (_, n) => fetch(`/file/${n}.txt`).then((answer) => answer.text(), () => null))));
  await stopPipe();
  for (const [number, text] of (await results).entries()) expect([null, manyText(number)]).toContain(text);
  expect(await fetchText(frame, 7)).toBe(manyText(7));
});

test("a second frame of the same origin needs no second boot", async () => {
  await openViewer(page, host, "ten.warc.gz");
  await show(page, `${site}/page/1`, "h1");
  await page.evaluate((url) => (viewer as unknown as { show(url: string, name: string): Promise<string> }).show(url, "second"), `${site}/page/2`);
  await expect(page.frameLocator("iframe[name=second]").locator("h1")).toHaveText("Page 2 of ten");
  await replayed(page, "h1");
});
