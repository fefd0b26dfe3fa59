/** The pipe may die at any time: its service worker is stopped, the viewer is reloaded, and the archive goes on answering. */
import { expect, test, type Frame, type Page } from "@playwright/test";
import type { ReplaySetting } from "stackroom/replay";
import { launchReplay, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { largeFile, manyCount, manyFiles, manyPictures, manyText, site, tenPages } from "./pages/replaysite.mjs";
import { openViewer, replayed, show, type TestViewer } from "./pages/replayviewer.js";

declare const viewer: TestViewer;

/** Firefox has no way to stop a service worker but to leave it alone this long. */
const IDLE_MS = 1_000;

const large = largeFile(24 << 20);
/** How often the server of replay origins still refuses to hand out the pipe. */
let refusals = 0;
let host: Awaited<ReturnType<typeof startReplayHost>>;
let browser: Awaited<ReturnType<typeof launchReplay>>;
let page: Page;

test.beforeAll(async ({ browserName }) => {
  host = await startReplayHost({
    archives: { "ten.warc.gz": tenPages(), "many.warc.gz": manyFiles(), "large.warc": large.archive, "pictures.warc.gz": manyPictures() },
    onLabel: (request, response) => {
      if (request.url !== "/.wa/sw.js" || refusals === 0) return false;
      refusals -= 1;
      response.destroy();
      return true;
    },
  });
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

/** Hosts of their own, so that nothing of them was started before. */
let fresh = 0;
const salted = async (archive: string): Promise<void> => {
  fresh += 1;
  await page.goto(host.viewer(archive, `fresh${"abcdefghij"[fresh] ?? "z"}`));
  await page.waitForFunction(() => document.body.dataset["opened"]);
};

test("a page is shown where the pipe does not come at first", async () => {
  await salted("ten.warc.gz");
  refusals = 2;
  await show(page, `${site}/page/1`, "h1");
  expect(refusals).toBe(0);
});

test("a page is shown where the port that was handed over is lost", async () => {
  await salted("ten.warc.gz");
  await page.evaluate(() => {
    let count = 0;
    addEventListener("message", (event) => {
      if ((event.data as { wa?: unknown } | null)?.wa !== "port" || (count += 1) > 1) return;
      event.stopImmediatePropagation();
      for (const port of event.ports) port.close();
    }, true);
  });
  const frame = await show(page, `${site}/page/5`, "h1");
  await expect(frame.locator("h1")).toHaveText("Page 5 of ten");
});

test("a body of which half was read when the service worker stops is whole, or an error", async () => {
  await openViewer(page, host, "large.warc");
  const frame = await show(page, `${site}/`, "p");
  const reading = frame.evaluate(async (url) => {
    const answer = await fetch(url);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const chunks = [(await reader.read()).value as Uint8Array];
    document.body.dataset["half"] = "1";
    await new Promise((resolve) => addEventListener("message", resolve, { once: true }));
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    } catch {
      return "an error";
    }
    const digest = await crypto.subtle.digest("SHA-256", await new Blob(chunks as BlobPart[]).arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }, "/large.bin");
  await frame.waitForSelector("body[data-half]", { state: "attached" });
  await stopPipe();
  await frame.evaluate(() => postMessage("on", "*"));
  expect([large.sha256, "an error"]).toContain(await reading);
});

test("a page of a thousand pictures is complete though its service worker stops in the middle", async () => {
  await openViewer(page, host, "pictures.warc.gz");
  const frame = await show(page, `${site}/pictures`, "img");
  await frame.waitForFunction(() => [...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth > 0).length > 200);
  await stopPipe();
  await expect.poll(() => frame.evaluate(() => [...document.images].filter(({ naturalWidth }) => naturalWidth > 0).length), { timeout: 60_000 }).toBe(manyCount);
});

test("an archive that is closed answers nothing more, and nobody waits for it", async () => {
  await openViewer(page, host, "many.warc.gz");
  const frame = await show(page, `${site}/`, "p");
  expect(await fetchText(frame, 3)).toBe(manyText(3));
  await page.evaluate(async () => (await (viewer as unknown as { opened: Promise<{ archive: { close(): Promise<void> } }> }).opened).archive.close());
  const failed = await frame.evaluate(() => Promise.race([fetch("/file/4.txt").then(() => "answered", () => "refused"), new Promise((resolve) => setTimeout(resolve, 20_000, "waits"))]));
  expect(failed).toBe("refused");
  // Opened again it goes on, on the same origins.
  await openViewer(page, host, "many.warc.gz");
  expect(await fetchText(await show(page, `${site}/`, "p"), 5)).toBe(manyText(5));
});
