/** Pages that replace the methods of strings, lists, maps and whatever else the language has: they are replayed as any. */
import { expect, test, type Page } from "@playwright/test";
import { expected, kinds, poisonArchive } from "./pages/poison.mjs";
import { launchReplay, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { openViewer, type TestViewer } from "./pages/replayviewer.js";

declare const viewer: TestViewer;

let host: Awaited<ReturnType<typeof startReplayHost>>;
let browser: Awaited<ReturnType<typeof launchReplay>>;
let page: Page;

test.beforeAll(async ({ browserName }) => {
  host = await startReplayHost({ archives: { "poison.warc.gz": poisonArchive() } });
  browser = await launchReplay(browserName as BrowserName);
  page = browser.page;
  await openViewer(page, host, "poison.warc.gz");
});

test.afterAll(async () => {
  await browser.close();
  await host.close();
});

/** What the page tells that is shown next. Nothing is evaluated in it, since drivers need what it replaces. */
const told = async (act: () => Promise<unknown>): Promise<unknown> => {
  const telling = page.evaluate(() => new Promise<string>((resolve) => addEventListener("message", ({ data }) => {
    const found = (data as { found?: unknown } | null)?.found;
    if (typeof found === "string") resolve(found);
  })));
  await act();
  return JSON.parse(await telling) as unknown;
};

/** The page goes on when it is told to. */
const go = () => page.evaluate(() => document.querySelector<HTMLIFrameElement>("iframe[name=replayed]")?.contentWindow?.postMessage("go", "*"));

for (const kind of Object.keys(kinds)) {
  test(`a page that replaces ${kind} is replayed as any other`, async () => {
    const url = `https://evil.example/${kind}`;
    expect(await told(() => page.evaluate((wanted) => viewer.show(wanted), url))).toEqual(expected(url));
    // By a link to the same, and from there by an address that it sets.
    expect(await told(go)).toEqual(expected(`${url}/next`));
    await go();
    await expect(page.frameLocator("iframe[name=replayed]").locator("h1")).toHaveText("There");
  });
}
