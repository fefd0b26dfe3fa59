/**
 * Five kinds of attack that are known of replay systems: content that takes over the viewer, that shares what other
 * sites keep, that mixes in the live web, that forges the viewer's word, and that shows together what never was.
 */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { gamesArchive } from "./pages/games.mjs";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startCanary } from "./pages/replayhost.mjs";
import { Viewer, sendArchive, startOrigin, type Origin } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

let origin: Origin;
let canary: Awaited<ReturnType<typeof startCanary>>;

test.beforeAll(async () => {
  canary = await startCanary();
  const bytes = gamesArchive(canary.address);
  origin = await startOrigin((request, response) => sendArchive(bytes, request, response));
});

test.afterAll(async () => {
  await origin.close();
  await canary.close();
});

const view = (page: Page) => page.locator("stackroom-replay");
const banner = (page: Page) => view(page).getByRole("status").first();
const address = (page: Page) => view(page).getByRole("textbox", { name: "Archived address" });

async function play(page: Page, url: string, heading: string): Promise<Frame> {
  await page.goto("/");
  await page.goto(`/#archive=${encodeURIComponent(`${origin.address}/games.warc.gz`)}&url=${encodeURIComponent(url)}&ts=2014`);
  await page.reload();
  return replayed(page, heading);
}

async function replayed(page: Page, heading: string): Promise<Frame> {
  const frame = await (await view(page).locator("iframe[title]").elementHandle())?.contentFrame();
  if (!frame) throw new Error("no frame");
  await frame.waitForSelector(heading, { state: "attached" });
  return frame;
}

/** On to another page of the same archive, in the same viewer. */
async function go(page: Page, url: string, heading: string): Promise<Frame> {
  await address(page).fill(url);
  await address(page).press("Enter");
  return replayed(page, heading);
}

const found = async (frame: Frame): Promise<unknown> => {
  const handle = await frame.waitForSelector("body[data-found]", { state: "attached" });
  return JSON.parse((await handle.getAttribute("data-found")) ?? "null");
};

test("a page takes nothing of the viewer into its hands", async ({ page }) => {
  const frame = await play(page, "https://evil.example/controls", "h1:text-is('controls')");
  expect(await found(frame)).toEqual({
    buttons: "SecurityError",
    place: "SecurityError",
    name: "SecurityError",
    written: "SecurityError",
    // It may ask, and nothing comes of it.
    closed: "got undefined",
    // Of all the frames of the viewer its own at most.
    siblings: expect.stringMatching(/^got (?:controls)?$|SecurityError/),
    history: "SecurityError",
    blurred: "got undefined",
  });
  await frame.evaluate(() => (document.querySelector("a") as HTMLElement).click());
  await expect(address(page)).toHaveValue("https://bank.example/");
  // What is said to be there is there.
  await replayed(page, "h1:text-is('bank')");
  expect(new URL(page.url()).pathname).toBe("/");
  await address(page).press("Escape");
  await expect(new Viewer(page).list).toBeVisible();
});

test("a page that says it is another site is shown as what it is", async ({ page }) => {
  await play(page, "https://evil.example/controls", "body[data-found]");
  await expect(address(page)).toHaveValue("https://evil.example/controls");
  await page.waitForTimeout(5_000);
  // It said that it left: as long as it is believed, nothing of it is seen.
  const isHidden = await view(page).locator("iframe[title]").isHidden();
  expect(isHidden || (await address(page).inputValue()).startsWith("https://evil.example/")).toBe(true);
});

test("what one archived site keeps no other one finds", async ({ page }) => {
  expect(await found(await play(page, "https://one.shared.example/leaves", "h1:text-is('leaves')"))).toBe("left");
  const nothing = { local: "got null", session: "got null", caches: "got ", databases: "got ", channel: "got nothing" };
  // Cookies that a page tells are as on the web: they are a sister's too where they were for both, and nobody else's.
  const sisters = expect.stringMatching(/^got (?:told=one)?$/) as unknown;
  expect(await found(await go(page, "https://two.shared.example/looks", "h1:text-is('looks')"))).toEqual({ ...nothing, native: sisters, told: sisters });
  expect(await found(await go(page, "https://bank.example/looks", "h1:text-is('looks')"))).toEqual({ ...nothing, native: "got ", told: "got " });
});

test("nothing of the live web is mixed into a page, and what lacks is told", async ({ page }) => {
  const frame = await play(page, "https://evil.example/mixes", "body[data-found]");
  expect(await found(frame)).toEqual({ fetched: expect.stringMatching(/^got 404$|Error$/), native: expect.stringMatching(/Error$|^got (?:nothing|basic)$/), beacon: expect.stringMatching(/^got (?:true|false)$/), replaced: "undefined" });
  await expect.poll(() => frame.evaluate(() => (document.querySelector("#own") as HTMLImageElement).naturalWidth)).toBe(14);
  await expect(banner(page)).toContainText(/[3-9] resources missing/);
  await page.waitForTimeout(1_000);
  expect(canary.seen.hits).toEqual([]);
});

test("a page covers nothing of what the viewer says of it", async ({ page }) => {
  const frame = await play(page, "https://evil.example/forges", "#forged");
  const tried = (await found(frame)) as Record<string, string>;
  expect(tried["full"]).toMatch(/Error$|nothing$/);
  expect(tried["framed"]).toMatch(/Error$/);
  const [bar, box] = await Promise.all([address(page).boundingBox(), view(page).locator("iframe[title]").boundingBox()]);
  if (!bar || !box) throw new Error("not shown");
  expect(box.y).toBeGreaterThanOrEqual(bar.y + bar.height);
  // Whoever takes a picture of the window sees the viewer's words, and not the page's.
  const on = await page.evaluate(([x, y]) => document.elementFromPoint(x as number, y as number)?.tagName, [bar.x + bar.width / 2, bar.y + bar.height / 2]);
  expect(on).not.toBe("IFRAME");
  await expect(address(page)).toHaveValue("https://evil.example/forges");
  await expect(banner(page)).toContainText("Archived page from 2014-05-03 10:00:00");
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test("a page that shows what is years younger says so", async ({ page }) => {
  const frame = await play(page, "https://news.example/", "h1:text-is('news')");
  await expect.poll(() => frame.evaluate(() => (document.querySelector("#far") as HTMLImageElement).naturalWidth)).toBe(16);
  await expect(banner(page)).toContainText("Archived page from 2014-05-03 10:00:00");
  await expect(banner(page)).toContainText("2 resources of another time, up to 2 years later");
  await view(page).getByRole("button", { name: /^3 resources/ }).click();
  const list = view(page).getByRole("list", { name: "What this page loaded" });
  await expect(list.getByRole("listitem").filter({ hasText: "far.svg" })).toContainText("2 years later");
  await expect(list.getByRole("listitem").filter({ hasText: "near.svg" })).toContainText("5 seconds later");
});
