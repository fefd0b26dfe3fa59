/** The viewer with the network gone: what was visited opens again, a kept archive too, and its pages as far as they can. */
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { chronicle, chronicleArchive } from "./pages/replaysite.mjs";
import { Viewer } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

interface Server {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), "stackroom-offline-"));
const root = join(folder, "viewer");
let start: (port: number) => Promise<Server>;
let write: (viewer: string) => Promise<void>;

test.beforeAll(async () => {
  const dist = new URL("../../dist/serve/", import.meta.url);
  const { startServer } = await import(new URL("server.js", dist).href);
  const { writeHosting } = await import(new URL("hosting.js", dist).href);
  mkdirSync(root);
  start = (port) => startServer({ root, port });
  write = (viewer) => writeHosting(folder, { viewer, wildcard: viewer.replace("://", "://{label}.").replace(/\/$/, "") });
});

test.afterAll(() => rmSync(folder, { recursive: true }));

/** Until all of the viewer is kept. */
async function isKept(page: Page): Promise<void> {
  const states = (): Promise<unknown> => page.evaluate(() => Promise.all(["/", "/replayed/"].map(async (scope) => (await navigator.serviceWorker.getRegistration(scope))?.active?.state)));
  await expect.poll(states).toEqual(["activated", "activated"]);
}

async function replayed(page: Page): Promise<string> {
  await page.evaluate((url) => (location.hash = `url=${encodeURIComponent(url)}&ts=2014`), chronicle.url);
  const frame = page.locator("stackroom-replay iframe[title]").contentFrame();
  await expect(frame.locator("h1")).toHaveText("Chronicle of 2014");
  await expect.poll(() => frame.locator("#pic").evaluate((picture) => (picture as HTMLImageElement).naturalWidth)).toBe(14);
  return frame.locator("#told").innerText();
}

test("after one visit the viewer opens with its server gone, a kept archive too, and its pages without scripts", async ({ page }) => {
  const server = await start(0);
  await write(server.url);
  await page.goto(server.url);
  await isKept(page);
  const viewer = new Viewer(page);
  await viewer.hasLibrary();
  await viewer.pick({ name: "chron.warc.gz", bytes: chronicleArchive() });
  await viewer.kept();
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: /^Keep a copy in this browser \(/ }).click();
  await expect(viewer.status).toContainText("In the library, with a copy");
  expect(await replayed(page)).toBe("script of 2014");
  await server.close();

  await page.goto("about:blank");
  await page.goto(server.url);
  await page.locator("stackroom-shelf").getByRole("button", { name: /chron/ }).first().click();
  await expect(viewer.count).toHaveText("15");
  await viewer.rows.nth(2).click();
  await expect(viewer.detail).toContainText(chronicle.url);
  // Origins that were never visited cannot start without their server: what needs none is left.
  expect(await replayed(page)).toBe("no script");
  await expect(page.locator("stackroom-replay .way")).toContainText("Scripts are off");
});

test("a site that was never visited is said to be out of reach, and is there as a still view", async ({ page }) => {
  const server = await start(0);
  await write(server.url);
  await page.goto(server.url);
  await isKept(page);
  const viewer = new Viewer(page);
  await viewer.pick({ name: "chron.warc.gz", bytes: chronicleArchive() });
  await viewer.ready();
  expect(await replayed(page)).toBe("script of 2014");
  await server.close();
  const view = page.locator("stackroom-replay");
  await view.locator("iframe[title]").contentFrame().locator("#other").evaluate((link) => (link as HTMLElement).click());
  await expect(view).toContainText("cannot be reached");
  await expect(view.getByRole("textbox", { name: "Archived address" })).toHaveValue("https://other.example/");
  await view.getByRole("button", { name: "Show a still view" }).click();
  await expect(view.locator("iframe[sandbox='']").contentFrame().locator("h1")).toHaveText("Another site");
  // What was visited is still there.
  await view.getByRole("button", { name: "Back", exact: true }).click();
  await expect(view.locator("iframe[title]:not([sandbox=''])").contentFrame().locator("h1")).toHaveText("Chronicle of 2014");
});

test("a new version takes the place of the old one at the next load, and says so; archives are never kept by it", async ({ page }) => {
  const server = await start(0);
  await write(server.url);
  await page.goto(`${server.url}?src=sample.warc.gz`);
  await isKept(page);
  const kept = await page.evaluate(async () => {
    const addresses: string[] = [];
    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) addresses.push(new URL(url).pathname);
    return addresses;
  });
  expect(kept).toContain("/index.html");
  expect(kept.filter((path) => /warc|replayed/.test(path))).toEqual([]);
  await page.reload();
  await writeFile(join(root, "index.html"), (await readFile(join(root, "index.html"), "utf8")).replace("<title>", () => '<meta name="version" content="next"><title>'));
  await appendFile(join(root, "shell.js"), "// the next version\n");
  // It is said for some seconds, in which a busy page may still be at its question.
  const said = expect(new Viewer(page).notice).toContainText("new version");
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration("/"))?.update());
  await said;
  await expect(page.locator('meta[name="version"]')).toHaveCount(0);
  await page.reload();
  await expect(page.locator('meta[name="version"]')).toHaveCount(1);
  await server.close();
});
