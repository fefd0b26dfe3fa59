/** An archived page that wants out: ten ways to the live web, each shown to be open where no policy holds, all shut in replay. */
import { expect, test, type Page } from "@playwright/test";
import { launchReplay, type BrowserName } from "./pages/replaybrowser.mjs";
import { startCanary, startReplayHost } from "./pages/replayhost.mjs";
import { channels, hostileArchive, hostilePage, realms, realmsPicture } from "./pages/replaysite.mjs";
import { openViewer, show, type TestViewer } from "./pages/replayviewer.js";

declare const viewer: TestViewer;

/** These may take away the document that tried them. */
const leaving = new Set(["navigation", "form"]);

let canary: Awaited<ReturnType<typeof startCanary>>;
let host: Awaited<ReturnType<typeof startReplayHost>>;
let browser: Awaited<ReturnType<typeof launchReplay>>;
let page: Page;

test.beforeAll(async ({ browserName }) => {
  canary = await startCanary();
  host = await startReplayHost({
    archives: { "hostile.warc.gz": hostileArchive(canary.address) },
    // The same page without a policy.
    onLabel: (request, response) => {
      if (!request.headers.host?.startsWith("control.")) return false;
      const isPicture = request.url === "/realms.svg";
      response.writeHead(200, { "Content-Type": isPicture ? "image/svg+xml" : "text/html" });
      response.end(isPicture ? realmsPicture(`${canary.address}/control`) : hostilePage(canary.address));
      return true;
    },
  });
  browser = await launchReplay(browserName as BrowserName);
  page = browser.page;
});

test.afterAll(async () => {
  await browser.close();
  await Promise.all([host.close(), canary.close()]);
});

test("without the policy every channel is open", async () => {
  for (const channel of channels) {
    canary.forget();
    await page.goto(`http://control.localhost:${host.port}/?channel=${channel}`);
    if (channel === "preconnect") await expect.poll(() => canary.seen.connections, { message: channel }).toBeGreaterThan(0);
    else await expect.poll(() => canary.seen.hits.join(), { message: channel }).toContain(`/leak/${channel}`);
  }
});

test("in replay every channel is shut", async ({ browserName }) => {
  await openViewer(page, host, "hostile.warc.gz");
  await show(page, "https://evil.example/quiet", "p");
  canary.forget();
  const connected: string[] = [];
  for (const channel of channels) {
    const before = canary.seen.connections;
    // Where it leads is mapped, so another page may be there at once.
    const frame = await show(page, `https://evil.example/?channel=${channel}`, leaving.has(channel) ? "body" : "script");
    const tried = frame.waitForSelector(`body[data-tried="${channel}"]`, { state: "attached", timeout: leaving.has(channel) ? 2_000 : 0 });
    await (leaving.has(channel) ? tried.catch(() => undefined) : tried);
    if (canary.seen.connections > before) connected.push(channel);
  }
  test.info().annotations.push({ type: "connections without a request", description: connected.join() || "none" });
  expect(canary.seen.hits).toEqual([]);
  // Firefox knows no Connection-Allowlist: a preconnect opens a connection there, over which nothing is sent.
  if (browserName === "firefox") expect(connected.filter((channel) => channel !== "preconnect")).toEqual([]);
  else expect(connected).toEqual([]);
});

const realmsOf = (hits: readonly string[]): string[] => realms.filter((realm) => hits.some((hit) => hit.includes(`/leak/${realm}/`)));

test("realms that a document makes are shut as well, with nothing of ours in it", async () => {
  canary.forget();
  await page.goto(`http://control.localhost:${host.port}/realms.svg`);
  await expect.poll(() => realmsOf(canary.seen.hits), { message: "without the policy" }).toEqual(realms);
  await openViewer(page, host, "hostile.warc.gz");
  await show(page, "https://evil.example/quiet", "p");
  await page.evaluate(() => viewer.show("https://evil.example/realms.svg"));
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await frame?.waitForSelector("svg[data-tried]", { state: "attached" });
  expect((canary.seen.hits as string[]).filter((hit) => !hit.includes("/control/"))).toEqual([]);
});
