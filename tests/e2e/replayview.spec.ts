/** Archived pages in the viewer: from a list into the page, on from there, through time, and back out. */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { concat, gzipMember, httpResponse, warcRecord } from "../fixtures/warc.mjs";
import { faults } from "./faults.js";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { chronicle, chronicleArchive, largeFile } from "./pages/replaysite.mjs";
import { Viewer, sendArchive, startOrigin, type Origin } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

const bytes = chronicleArchive();
let origin: Origin;

test.beforeAll(async () => {
  origin = await startOrigin((request, response) => sendArchive(bytes, request, response));
});

test.afterAll(() => origin.close());

const view = (page: Page) => page.locator("stackroom-replay");
const banner = (page: Page) => view(page).getByRole("status");
const address = (page: Page) => view(page).getByRole("textbox", { name: "Archived address" });
const when = (page: Page) => view(page).getByRole("textbox", { name: /^Time around/ });
const button = (page: Page, name: string) => view(page).getByRole("button", { name, exact: true });

/** What is in the frame, once it has what is wanted. */
async function replayed(page: Page, heading: string): Promise<Frame> {
  const frame = await (await view(page).locator("iframe[title]").elementHandle())?.contentFrame();
  if (!frame) throw new Error("no frame");
  await frame.waitForSelector(`h1:text-is("${heading}")`, { state: "attached" });
  return frame;
}

/** A click by the page itself: Firefox's driver does not hit into frames of other sites. */
const press = (frame: Frame, selector: string) => frame.locator(selector).evaluate((element) => (element as HTMLElement).click());

const link = (url: string, ts: string) => `/#archive=${encodeURIComponent(`${origin.address}/chron.warc.gz`)}&url=${encodeURIComponent(url)}&ts=${ts}`;

async function open(page: Page, ts = "2014"): Promise<Frame> {
  await page.goto(link(chronicle.url, ts));
  return replayed(page, `Chronicle of ${ts}`);
}

test("a record of a page is replayed with its style, picture and script, all of its day", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "chron.warc.gz", bytes });
  await viewer.ready();
  await viewer.openRecord("https://www.chron.example/");
  await viewer.detail.getByRole("button", { name: "Replay" }).click();
  const frame = await replayed(page, "Chronicle of 2014");
  await expect.poll(() => frame.evaluate(() => (document.querySelector("#pic") as HTMLImageElement).naturalWidth)).toBe(14);
  expect(await frame.evaluate(() => getComputedStyle(document.querySelector("h1") as Element).color)).toBe("rgb(20, 14, 0)");
  expect(await frame.locator("#told").textContent()).toBe("script of 2014");
  await expect(banner(page)).toContainText("Archived page from 2014-05-03 10:00:00");
  await expect(banner(page)).toContainText("1 resource missing");
  await expect(banner(page)).toContainText("Chronicle 2014");
  await expect(address(page)).toHaveValue(chronicle.url);
  // Out again, one step at a time.
  await address(page).press("Escape");
  await expect(viewer.detail).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(viewer.list).toBeFocused();
});

test("what a page sends is answered by what was sent, and an address that only differs in order and novelty", async ({ page }) => {
  const frame = await open(page);
  await expect.poll(() => frame.evaluate(() => document.body.dataset["calls"])).toBe("data two one");
});

test("links lead on, to other hosts too; back and forward lead there again, and a new page reads the cookies of the last", async ({ page }) => {
  await press(await open(page), "#second");
  const second = await replayed(page, "Second page");
  await expect(address(page)).toHaveValue("https://www.chron.example/second");
  await expect.poll(() => second.evaluate(() => document.body.dataset["cookie"])).toBe("seen=2014");
  await button(page, "Back").click();
  await press(await replayed(page, "Chronicle of 2014"), "#other");
  await replayed(page, "Another site");
  await expect(address(page)).toHaveValue("https://other.example/");
  await expect(when(page)).toHaveValue("2014-05-04 10:00:00");
  await address(page).press("Alt+ArrowLeft");
  await replayed(page, "Chronicle of 2014");
  await button(page, "Forward").click();
  await replayed(page, "Another site");
  await expect(button(page, "Forward")).toBeDisabled();
});

test("the page is followed through its captures, by steps, by the calendar and by a time that is typed", async ({ page }) => {
  await open(page);
  await expect(view(page)).toContainText("1 of 2");
  await button(page, "Next capture of this page").click();
  const frame = await replayed(page, "Chronicle of 2016");
  await expect.poll(() => frame.evaluate(() => (document.querySelector("#pic") as HTMLImageElement).naturalWidth)).toBe(16);
  await expect(button(page, "Next capture of this page")).toBeDisabled();
  await button(page, "Calendar").click();
  await page.getByRole("dialog").getByRole("button", { name: /^2014/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^10:00:00/ }).click();
  await replayed(page, "Chronicle of 2014");
  await when(page).fill("2016");
  await when(page).press("Enter");
  await replayed(page, "Chronicle of 2016");
});

test("what is not in the archive is said, by the page itself and in the list of what it loaded", async ({ page }) => {
  const frame = await open(page);
  await view(page).getByRole("button", { name: /^\d resources$/ }).click();
  const list = view(page).getByRole("list", { name: "What this page loaded" });
  await expect(list.getByRole("listitem").first()).toContainText("https://www.chron.example/gone.png");
  await expect(list.getByRole("listitem").first()).toContainText("missing");
  await expect(list).toContainText("2 seconds later");
  await press(frame, "#nowhere");
  await replayed(page, "This page is not in the archive");
  await expect(banner(page)).toContainText("Not in the archive");
  await expect(address(page)).toHaveValue("https://www.chron.example/nowhere?x=1");
});

test("a link to an archived page opens it again, and its record is a step away", async ({ page }) => {
  await open(page, "2016");
  await expect(page).toHaveURL(/[#&]ts=20160601100000/);
  await page.reload();
  await replayed(page, "Chronicle of 2016");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "View record" }).click();
  const viewer = new Viewer(page);
  await expect(viewer.detail).toContainText(chronicle.url);
  await expect(page).not.toHaveURL(/[#&]url=/);
});

test("a link to a page starts the engine and the page's origin while the viewer is still on its way", async ({ page }) => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(/\/index-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  const begun = [/\/worker-[^/]*\.js$/, /\/replayer-[^/]*\.js$/, /^http:\/\/www-chron-example-\w+\.localhost.*\/\.wa\/boot$/].map((pattern) => page.waitForRequest(pattern));
  await page.goto(link(chronicle.url, "2014"), { waitUntil: "commit" });
  await Promise.all(begun);
  letGo();
  await replayed(page, "Chronicle of 2014");
});

test("with scripts off none of them runs, and the page is there", async ({ page }) => {
  await open(page);
  await button(page, "More").click();
  await page.getByRole("menuitemcheckbox", { name: /^Scripts run/ }).click();
  await expect(banner(page)).toContainText("scripts are off");
  const frame = await replayed(page, "Chronicle of 2014");
  await expect(frame.locator("#told")).toHaveText("no script");
  await expect.poll(() => frame.evaluate(() => (document.querySelector("#pic") as HTMLImageElement).naturalWidth)).toBe(14);
  await press(frame, "#second");
  await replayed(page, "Second page");
});

test("an archive that is closed takes its pages with it", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: /^Archive: / }).click();
  await page.getByRole("menuitem", { name: "Close archive" }).first().click();
  await expect(view(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/#./);
  await expect(page.getByRole("heading", { name: "Open a web archive" })).toBeVisible();
});

/** Does something to an archive from the start page of another tab, which says then that it is done. */
async function elsewhere(page: Page, name: string, what: RegExp, done: string, sure?: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto("/");
  await other.getByRole("button", { name: `What to do with ${name}` }).click();
  await other.getByRole("menuitem", { name: what }).click();
  if (sure !== undefined) await other.getByRole("dialog").getByRole("button", { name: sure, exact: true }).click();
  await expect(other.locator("stackroom-shelf")).toContainText(done);
  await other.close();
}

test("a page goes on while its archive is taken out of the library by another tab", async ({ page }) => {
  const frame = await open(page);
  await new Viewer(page).kept();
  await elsewhere(page, "chron.warc.gz", /^Remove from the library/, "Archives that you open are kept here", "Remove");
  await expect(page.getByRole("button", { name: "Keep in the library" })).toBeVisible();
  await press(frame, "#second");
  await press(await replayed(page, "Second page"), "body");
  await button(page, "Back").click();
  await replayed(page, "Chronicle of 2014");
  // And is kept anew, where that is wanted.
  await page.getByRole("button", { name: "Keep in the library" }).click();
  await new Viewer(page).kept();
});

test("a page whose archive is a copy that another tab deletes says that it is gone", async ({ page }) => {
  await page.addInitScript(() => Object.assign(globalThis, { showOpenFilePicker: undefined }));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick({ name: "chron.warc.gz", bytes });
  await viewer.kept();
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: /^Keep a copy in this browser \(/ }).click();
  await expect(viewer.status).toContainText("In the library, with a copy");
  await viewer.visit();
  await page.locator("stackroom-shelf").getByRole("button", { name: /chron/ }).first().click();
  await viewer.openRecord("https://www.chron.example/");
  await viewer.detail.getByRole("button", { name: "Replay" }).click();
  const frame = await replayed(page, "Chronicle of 2014");
  await elsewhere(page, "chron.warc.gz", /^Delete the copy/, "file needed");
  await press(frame, "#other");
  const gone = await replayed(page, "This page cannot be read");
  await expect(gone.locator("body")).toContainText("https://other.example/");
  await expect(banner(page)).toContainText("Cannot be read");
});

test("a page that cannot be read says why, and is there once it can be", async ({ page }) => {
  // Far from the page before it, so that it is not at hand.
  const block = httpResponse({ headers: { "Content-Type": "text/html" }, body: "<!doctype html><h1>Late page</h1>" });
  const long = concat(bytes, largeFile(4 << 20).archive, gzipMember(warcRecord({ url: "https://www.chron.example/nowhere?x=1", date: "2014-05-03T10:02:00Z", block })));
  let isOut = false;
  const shaky = await startOrigin((request, response) => void (isOut ? response.writeHead(503).end() : sendArchive(long, request, response)));
  await page.goto(`/#archive=${encodeURIComponent(`${shaky.address}/chron.warc.gz`)}&url=${encodeURIComponent(chronicle.url)}&ts=2014`);
  const frame = await replayed(page, "Chronicle of 2014");
  await new Viewer(page).kept();
  isOut = true;
  await press(frame, "#nowhere");
  const out = await replayed(page, "This page cannot be read");
  await expect(out.locator("body")).toContainText("The connection broke");
  await expect(banner(page)).toContainText("Cannot be read");
  isOut = false;
  await button(page, "Load again").click();
  await replayed(page, "Late page");
  await expect(banner(page)).toContainText("Archived page from 2014-05-03 10:02:00");
  await shaky.close();
});

test("a page reaches nothing that the viewer keeps", async ({ page }) => {
  const frame = await open(page);
  await page.evaluate(async () => {
    document.cookie = "viewer=secret";
    localStorage.setItem("secret", "of the viewer");
    await (await navigator.storage.getDirectory()).getFileHandle("secret", { create: true });
  });
  const found = await frame.evaluate(async () => {
    const attempt = async (work: () => unknown): Promise<unknown> => {
      try {
        return await work();
      } catch (error) {
        return error instanceof Error || error instanceof DOMException ? error.name : "error";
      }
    };
    const names: string[] = [];
    const list = async (): Promise<string[]> => {
      const folder = (await navigator.storage.getDirectory()) as unknown as { keys(): AsyncIterable<string> };
      for await (const name of folder.keys()) names.push(name);
      return names;
    };
    // The browser's own, which no page can be kept from.
    const up = window.top as Window;
    return {
      document: await attempt(() => up.document.title),
      storage: await attempt(() => up.localStorage.getItem("secret")),
      caches: await attempt(() => (up as unknown as { caches: CacheStorage }).caches.keys()),
      own: await attempt(() => localStorage.getItem("secret")),
      cookies: document.cookie.includes("viewer"),
      databases: await attempt(async () => (await indexedDB.databases()).length),
      files: await attempt(list),
    };
  });
  expect(found).toEqual({ document: "SecurityError", storage: "SecurityError", caches: "SecurityError", own: null, cookies: false, databases: 0, files: [] });
});

/** The archive and noise behind it, and what may follow, of which the end comes when it is asked for: files are read in long steps. */
async function slowOrigin(...last: Uint8Array[]): Promise<{ readonly slow: Origin; readonly end: () => void }> {
  const noise = warcRecord({ url: "https://noise.example/", block: httpResponse({ body: largeFile(8 << 20).archive }) });
  const long = concat(bytes, gzipMember(noise), ...last);
  const half = long.length - (1 << 20);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const slow = await startOrigin((request, response) => {
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "application/gzip", "Content-Length": long.length });
    response.write(long.subarray(0, half));
    void ended.then(() => response.end(long.subarray(half)));
  });
  return { slow, end: () => end() };
}

test("a page is replayed while its archive is still being read", async ({ page }) => {
  const { slow, end } = await slowOrigin();
  await page.goto(`/#archive=${encodeURIComponent(`${slow.address}/chron.warc.gz`)}&url=${encodeURIComponent(chronicle.url)}&ts=20140503100000`);
  const frame = await replayed(page, "Chronicle of 2014");
  await press(frame, "#nowhere");
  const missing = await replayed(page, "This page is not in the archive");
  await expect(missing.locator("body")).toContainText("still being read");
  end();
  await new Viewer(page).ready();
  await button(page, "Load again").click();
  await expect(missing.locator("body")).not.toContainText("still being read");
  await slow.close();
});

test("a link to a capture waits for it while its archive is being read", async ({ page }) => {
  const block = httpResponse({ headers: { "Content-Type": "text/html" }, body: "<!doctype html><h1>Chronicle of 2018</h1>" });
  const { slow, end } = await slowOrigin(gzipMember(warcRecord({ url: chronicle.url, date: "2018-06-01T10:00:00Z", block })));
  await page.goto(`/#archive=${encodeURIComponent(`${slow.address}/chron.warc.gz`)}&url=${encodeURIComponent(chronicle.url)}&ts=20180601100000`);
  await expect(page.locator("stackroom-replay")).toBeVisible();
  await page.waitForTimeout(1_000);
  end();
  await replayed(page, "Chronicle of 2018");
  await slow.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`nothing about it is out of reach of anybody, in ${theme}`, async ({ page }) => {
    await page.addInitScript((chosen) => localStorage.setItem("stackroom.theme", chosen), theme);
    await open(page);
    await view(page).getByRole("button", { name: /^\d resources$/ }).click();
    expect.soft(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 700 });
    await expect(address(page)).toBeVisible();
    expect.soft(await faults(page), "narrow").toEqual([]);
    // All of it fits.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
}
