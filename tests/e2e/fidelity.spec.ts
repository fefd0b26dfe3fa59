/** A site of many hosts, live and replayed from what a browser and wget recorded of it: the same text, pictures, requests, errors and looks. */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { listen, sameLooks, settled } from "./pages/likeness.mjs";
import { pages } from "./pages/manyhosts.mjs";
import { crawledByWget, recorded, startLive } from "./pages/recorder.mjs";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { openViewer, type TestViewer } from "./pages/replayviewer.js";

interface Answered {
  readonly url: string;
  readonly status?: number;
}

declare const viewer: TestViewer & { opened: Promise<{ onEntries(listener: (entries: readonly Answered[]) => void): void }> };
declare const answered: Answered[];

const SIZE = { width: 800, height: 600 };
const PATIENCE_MS = 15_000;
/** A line that blinks, a letter a fraction of a pixel away. */
const LOOKS_LEAST = 0.999;

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }], viewport: { width: 900, height: 700 } });

interface Seen {
  readonly title: string;
  readonly text: string;
  readonly pictures: readonly string[];
  readonly rules: number;
  readonly errors: readonly string[];
  /** What was asked for, each once, in the order of addresses. */
  readonly asked: readonly string[];
  readonly picture: Buffer;
}

type Live = Awaited<ReturnType<typeof startLive>>;

/** Schemes are not told apart in replay; and a browser asks for an icon of a site, not of a frame. */
const addresses = (urls: readonly string[]): string[] =>
  [...new Set(urls.map((url) => url.replace(/^https?:|#.*$/g, "")))].filter((url) => !url.endsWith("/favicon.ico")).sort();

async function arrived(frame: Frame, isLong: boolean | undefined) {
  if (isLong) await frame.waitForFunction(() => document.title.endsWith(" done"), undefined, { timeout: PATIENCE_MS }).catch(() => undefined);
  return settled(frame, PATIENCE_MS);
}

type Wanted = (typeof pages)[number];

async function seeLive(page: Page, live: Live, errors: string[], { url, isLong }: Wanted): Promise<Seen> {
  errors.length = 0;
  live.take();
  await page.goto(url);
  const facts = await arrived(page.mainFrame(), isLong);
  const picture = await page.screenshot();
  const asked = addresses(live.take().filter(({ method }) => method !== "OPTIONS").map((one) => one.url));
  return { ...facts, errors: [...errors], picture, asked };
}

/** Neither the page of before, nor the one that starts the pipe, nor one that leads on and has nothing else. */
const isShown = (): boolean => !document.documentElement.hasAttribute("data-before") && document.title !== "Stackroom" && document.querySelector('head:last-of-type > meta[http-equiv="refresh"]:only-child') === null;

async function seeReplayed(page: Page, errors: string[], { url, isLong }: Wanted): Promise<Seen & { missing: readonly string[] }> {
  errors.length = 0;
  const before = await page.$("iframe");
  await (await before?.contentFrame())?.evaluate(() => document.documentElement.setAttribute("data-before", ""));
  await page.evaluate((wanted) => (answered.splice(0), viewer.show(wanted)), url);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  if (!frame) throw new Error("no frame");
  // Until then there is the page of before, or the one that starts the pipe.
  await expect.poll(() => page.evaluate(() => answered.some(({ status }) => status === undefined || status < 300 || status > 399))).toBe(true);
  await expect.poll(() => frame.evaluate(isShown).catch(() => false)).toBe(true);
  const facts = await arrived(frame, isLong);
  const picture = await page.locator("iframe").screenshot();
  const asked = await page.evaluate(() => answered);
  return { ...facts, errors: [...errors], picture, asked: addresses(asked.map((one) => one.url)), missing: addresses(asked.filter((one) => one.status === undefined).map((one) => one.url)) };
}

/** What of a page is not what it was. */
function compare(url: string, was: Seen, is: Seen): void {
  const told = ({ title, text, errors, asked }: Seen) => ({ url, title, text, errors, asked });
  expect.soft(told(is)).toEqual(told(was));
  // Plug-ins that show a picture are pictures in replay; and sheets of other hosts may be read, since those allow it.
  const left = [...is.pictures];
  expect.soft(was.pictures.filter((size) => !left.includes(size) || left.splice(left.indexOf(size), 1).length === 0), `pictures of ${url} that are not there`).toEqual([]);
  expect.soft(is.rules, `rules of style of ${url}`).toBeGreaterThanOrEqual(was.rules);
}

/** An archive in the small viewer, in a frame of the size that pages have live, with what is answered told. */
async function open(page: Page, host: Awaited<ReturnType<typeof startReplayHost>>, name: string): Promise<void> {
  await openViewer(page, host, name);
  await page.evaluate(async ({ width, height }) => {
    const all: Answered[] = [];
    Object.assign(globalThis, { answered: all });
    (await viewer.opened).onEntries((entries) => all.push(...entries));
    const style = document.createElement("style");
    style.textContent = `iframe { width: ${width}px; height: ${height}px; border: 0 }`;
    document.head.append(style);
  }, SIZE);
}

test.describe("a site of many hosts", () => {
  let live: Live;
  let host: Awaited<ReturnType<typeof startReplayHost>>;
  const seen = new Map<string, Seen>();
  const gone = new Set<string>();
  let crawled: Uint8Array | undefined;
  let crawledAddresses: readonly string[];

  test.beforeAll(async ({ browser }) => {
    live = await startLive();
    const context = await browser.newContext({ viewport: SIZE, proxy: { server: live.address }, ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const errors = listen(page);
    for (const wanted of pages) seen.set(wanted.url, await seeLive(page, live, errors, wanted));
    await context.close();
    const said = live.all();
    for (const { url, status } of said) if (status === 404) gone.add(url);
    live.take();
    crawled = await crawledByWget(live.address, pages.filter(({ isStatic }) => isStatic).map(({ url }) => url));
    crawledAddresses = addresses(live.take().map(({ url }) => url));
    host = await startReplayHost({ archives: { "seen.warc.gz": recorded(said), ...(crawled && { "crawled.warc.gz": crawled }) } });
  });

  test.afterAll(() => Promise.all([live.close(), host.close()]));

  test("replayed from what a browser saw, every page is what it was", async ({ page }) => {
    const errors = listen(page);
    await open(page, host, "seen.warc.gz");
    for (const wanted of pages) {
      const was = seen.get(wanted.url);
      if (!was) throw new Error("not seen");
      const is = await seeReplayed(page, errors, wanted);
      compare(wanted.url, was, is);
      expect.soft(is.missing.filter((url) => !gone.has(`https:${url}`)), `missing of ${wanted.url}`).toEqual([]);
      expect.soft(await sameLooks(page, was.picture, is.picture), `looks of ${wanted.url}`).toBeGreaterThanOrEqual(LOOKS_LEAST);
    }
  });

  test("replayed from what wget crawled, pages that need no script are there but for what it passed over", async ({ page }) => {
    test.skip(crawled === undefined, "there is no wget");
    const errors = listen(page);
    await open(page, host, "crawled.warc.gz");
    for (const wanted of pages.filter(({ isStatic }) => isStatic)) {
      const was = seen.get(wanted.url);
      if (!was) throw new Error("not seen");
      const { title, text, asked, missing, pictures, errors: said } = await seeReplayed(page, errors, wanted);
      expect.soft({ title, text, asked, said }).toEqual({ title: was.title, text: was.text, asked: was.asked, said: was.errors });
      const passedOver = was.asked.filter((url) => !crawledAddresses.includes(url));
      expect.soft(missing, `missing of ${wanted.url}`).toEqual(passedOver);
      const shown = (sizes: readonly string[]) => sizes.filter((size) => !size.startsWith("0x")).length;
      expect.soft(shown(pictures), `pictures of ${wanted.url}`).toBeGreaterThanOrEqual(shown(was.pictures) - passedOver.length);
    }
  });
});
