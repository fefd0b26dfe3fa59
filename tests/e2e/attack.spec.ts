/** Archived pages that turn against who looks at them: they read nothing, damage nothing, and the viewer goes on. */
import { expect, test, type Frame, type Page } from "@playwright/test";
import { attackArchive } from "./pages/attacks.mjs";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { Viewer, sendArchive, startOrigin, type Origin } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName, { "dom.max_script_run_time": 0 })), { scope: "worker" }] });

declare let beats: number;

let origin: Origin;
const bytes = attackArchive();

test.beforeAll(async () => {
  origin = await startOrigin((request, response) => sendArchive(bytes, request, response));
});

test.afterAll(() => origin.close());

const view = (page: Page) => page.locator("stackroom-replay");
const address = (page: Page) => view(page).getByRole("textbox", { name: "Archived address" });

async function framed(page: Page): Promise<Frame> {
  const frame = await (await view(page).locator("iframe[title]").elementHandle())?.contentFrame();
  if (!frame) throw new Error("no frame");
  return frame;
}

/** Opens the viewer at an attacking page; what the viewer keeps is put there first. */
async function attacked(page: Page, name: string): Promise<Frame> {
  await page.goto("/");
  await page.evaluate(async () => {
    localStorage.setItem("secret", "of the viewer");
    sessionStorage.setItem("secret", "of the viewer");
    document.cookie = "secret=viewer";
    await caches.open("secret");
    await new Promise((resolve) => (indexedDB.open("secret").onsuccess = resolve));
    await (await navigator.storage.getDirectory()).getFileHandle("secret", { create: true }).catch(() => undefined);
  });
  await page.goto(`/#archive=${encodeURIComponent(`${origin.address}/attack.warc.gz`)}&url=${encodeURIComponent(`https://evil.example/${name}`)}`);
  await page.reload();
  await page.evaluate(() => {
    beats = 0;
    setInterval(() => (beats += 1), 50);
  });
  // The viewer tells it; some of these pages answer nobody any more.
  await expect(view(page).getByRole("status").first()).toContainText("Archived page from");
  return framed(page);
}

const found = async (frame: Frame): Promise<unknown> => {
  const handle = await frame.waitForSelector("body[data-found]", { state: "attached" });
  return JSON.parse((await handle.getAttribute("data-found")) ?? "null");
};

/** Timers of the viewer go on, it leaves by a key, and what it keeps is as it was. */
async function goesOn(page: Page): Promise<void> {
  const before = await page.evaluate(() => beats);
  await page.waitForTimeout(1_500);
  // 30 where nothing else has the processor.
  expect(await page.evaluate(() => beats) - before).toBeGreaterThan(10);
  await address(page).press("Escape");
  await expect(new Viewer(page).list).toBeVisible();
  const kept = await page.evaluate(async () => [localStorage.getItem("secret"), sessionStorage.getItem("secret"), document.cookie.includes("secret=viewer"), (await caches.keys()).includes("secret"), (await indexedDB.databases()).some(({ name }) => name === "secret")]);
  expect(kept).toEqual(["of the viewer", "of the viewer", true, true, true]);
}

test("a page that looks for what others have finds nothing", { tag: "@alone" }, async ({ page }) => {
  const frame = await attacked(page, "reads");
  expect(await found(frame)).toEqual({
    storage: "SecurityError",
    document: "SecurityError",
    global: "SecurityError",
    navigate: "SecurityError",
    own: "got null",
    session: "got null",
    databases: "got ",
    caches: "got ",
    files: "got ",
    cookies: "got ",
    locks: expect.stringMatching(/^got 0$|Error$/),
    workers: expect.stringMatching(/SecurityError/),
    viewerFramed: expect.stringMatching(/Error$|nothing$/),
    otherHost: expect.stringMatching(/Error$/),
    otherArchive: expect.stringMatching(/Error$/),
    fetchViewer: "TypeError",
    fetchOtherArchive: expect.stringMatching(/Error$|^got 404$/),
    channel: "got nothing",
    opener: "null",
    frameElement: expect.stringMatching(/Error$|^got null$/),
  });
  await goesOn(page);
});

test("a page that speaks without end and makes no sense is not heard", { tag: "@alone" }, async ({ page }) => {
  const frame = await attacked(page, "floods");
  expect(await found(frame)).toBe("through");
  // It speaks for its own host alone.
  await expect(address(page)).toHaveValue(/^https:\/\/evil\.example\//);
  await goesOn(page);
});

test("a page that wants the screen, a window or a place gets none of them", { tag: "@alone" }, async ({ page }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    dialog.dismiss().catch(() => undefined);
  });
  const frame = await attacked(page, "takes");
  expect(await found(frame)).toEqual({
    fullscreen: expect.stringMatching(/Error$|nothing$/),
    window: "null",
    notify: "got denied",
    place: expect.stringMatching(/refused|Error$/),
    camera: expect.stringMatching(/Error$/),
    // Firefox asks its user, who does not answer here.
    clipboard: expect.stringMatching(/Error$|nothing$/),
  });
  test.info().annotations.push({ type: "dialogs", description: dialogs.join() || "none" });
  await goesOn(page);
});

for (const name of ["loops", "hoards"]) {
  test(`a page that ${name} keeps only itself busy`, { tag: "@alone" }, async ({ page }) => {
    await attacked(page, name);
    await page.waitForTimeout(1_000);
    await goesOn(page);
  });
}

test("a page that leads in circles is left as any other", { tag: "@alone" }, async ({ page }) => {
  await attacked(page, "circles");
  await page.waitForTimeout(1_500);
  await goesOn(page);
});

test("a page whose process dies takes nothing with it", { tag: "@alone" }, async ({ page, browserName }) => {
  test.skip(browserName === "firefox", "its driver cannot end the process of a frame");
  const frame = await attacked(page, "quiet");
  const [viewer, doomed] = [await page.context().newCDPSession(page), await page.context().newCDPSession(frame)];
  // The driver takes it for the death of the whole page: what is left is asked without it.
  const ask = async (expression: string): Promise<unknown> => (await viewer.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value;
  doomed.send("Page.crash").catch(() => undefined);
  await ask("new Promise((resolve) => setTimeout(resolve, 1000))");
  const before = await ask("beats");
  await ask("new Promise((resolve) => setTimeout(resolve, 1500))");
  expect(Number(await ask("beats")) - Number(before)).toBeGreaterThan(10);
  expect(await ask("localStorage.getItem('secret')")).toBe("of the viewer");
});
