/** Archived pages where their sites have no origin each: one for all, none but the viewer's own, no service worker at all. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Frame, type Page } from "@playwright/test";
import { concat, gzipMember, httpResponse, warcRecord } from "../fixtures/warc.mjs";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { openViewer, show } from "./pages/replayviewer.js";
import { chronicle, chronicleArchive } from "./pages/replaysite.mjs";
import { sendArchive, startOrigin, Viewer, type Origin } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

const bytes = chronicleArchive();
const own = "localStorage.setItem('owned', '1'); document.documentElement.dataset.ran = '1'; try { top.document.title = 'owned'; top.localStorage.setItem('owned', '1') } catch {} ";
/** Every way to have a script run that a document has by itself. */
const hostile = `<!doctype html><meta http-equiv="refresh" content="1;url=javascript:${own}"><title>Hostile</title><base target="_top"><h1>Hostile page</h1>
<script>${own}</script><script type="module">${own}</script><script src="/own.js"></script><script type="module" src="/own.js"></script>
<body onload="${own}" onpageshow="${own}"><img src="/nothing.png" onerror="${own}"><svg onload="${own}"><script>${own}</script></svg><details open ontoggle="${own}">x</details>
<iframe srcdoc="<script>${own}</script><body onload=&quot;${own}&quot;>"></iframe><iframe src="javascript:${own}"></iframe><iframe src="data:text/html,<script>parent.document.title='owned'</script>"></iframe>
<iframe sandbox="allow-scripts allow-same-origin allow-top-navigation" src="/inner"></iframe><iframe src="/picture.svg"></iframe><object data="/inner" type="text/html"></object><embed src="/inner" type="text/html">
<iframe id="away" src="https://live.example/"></iframe><link rel="stylesheet" href="/own.css"><a id="script" href="javascript:${own}" target="_self">a</a><a id="top" href="/second">b</a><a id="new" href="/second" target="_blank">c</a>
<form id="form" action="/second" target="_top"><input autofocus onfocus="${own}"></form>`;
const of = (path: string, type: string, body: string) => warcRecord({ url: `https://evil.example${path}`, date: "2014-05-03T10:00:00Z", block: httpResponse({ headers: { "Content-Type": type, "Content-Security-Policy": "script-src *", "Service-Worker-Allowed": "/" }, body }) });
const hostileBytes = gzipMember(concat([
  of("/", "text/html", hostile), of("/own.js", "text/javascript", own), of("/inner", "text/html", `<h1>inner</h1><script>${own}</script>`), of("/own.css", "text/css", "h1 { color: rgb(1, 2, 3) }"),
  of("/picture.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" onload="${own.replace(/"/g, "&quot;")}"><script>${own}</script></svg>`), of("/second", "text/html", "<h1>Second</h1>"),
]));
let origin: Origin;

test.beforeAll(async () => {
  origin = await startOrigin((request, response) => sendArchive(request.url?.includes("evil") ? hostileBytes : bytes, request, response));
});

test.afterAll(() => origin.close());

const view = (page: Page) => page.locator("stackroom-replay");
const way = (page: Page) => view(page).locator(".way");
const button = (page: Page, name: string) => view(page).getByRole("button", { name, exact: true });
const link = (name = "chron.warc.gz", url = chronicle.url) => `/#archive=${encodeURIComponent(`${origin.address}/${name}`)}&url=${encodeURIComponent(url)}&ts=2014`;

/** What is in the frame, once it has what is wanted: it may be another document by then. */
async function frameWith(page: Page, heading: string): Promise<Frame> {
  let found: Frame | null | undefined;
  await expect.poll(async () => {
    found = await (await view(page).locator(".page:not([hidden]) iframe[title]").elementHandle({ timeout: 1000 }).catch(() => null))?.contentFrame();
    return found?.locator("h1").innerText({ timeout: 500 }).catch(() => "");
  }).toBe(heading);
  return found as Frame;
}

const press = (frame: Frame, selector: string) => frame.locator(selector).evaluate((element) => (element as HTMLElement).click());
const color = (frame: Frame) => frame.locator("h1").evaluate((element) => getComputedStyle(element).color);
const pictureWidth = (frame: Frame) => frame.evaluate(() => (document.querySelector("#pic") as HTMLImageElement).naturalWidth);

test.describe("one origin for all archived sites", () => {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-hosted-"));
  let server: { readonly url: string; readonly port: number; close(): Promise<void> };

  test.beforeAll(async () => {
    const dist = new URL("../../dist/serve/", import.meta.url);
    const { startServer } = await import(new URL("server.js", dist).href);
    const { writeHosting } = await import(new URL("hosting.js", dist).href);
    mkdirSync(join(folder, "viewer"));
    server = await startServer({ root: join(folder, "viewer"), port: 0 });
    await writeHosting(folder, { viewer: server.url, single: `http://replay.localhost:${server.port}` });
  });

  test.afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  test("a page runs there, leads on to other hosts and back, and its address is the archived one", async ({ page }) => {
    await page.goto(new URL(link(), server.url).href);
    const frame = await frameWith(page, "Chronicle of 2014");
    await expect(way(page)).toContainText("share one address");
    await expect(frame.locator("#told")).toHaveText("script of 2014");
    await expect(frame.locator("body")).toHaveAttribute("data-calls", "data two one");
    expect([await color(frame), await pictureWidth(frame)]).toEqual(["rgb(20, 14, 0)", 14]);
    await press(frame, "#second");
    await frameWith(page, "Second page");
    await button(page, "Back").click();
    await press(await frameWith(page, "Chronicle of 2014"), "#other");
    await press(await frameWith(page, "Another site"), "a");
    await frameWith(page, "Chronicle of 2014");
    await expect(view(page).getByRole("textbox", { name: "Archived address" })).toHaveValue(chronicle.url);
  });

  test("it serves one archive at a time, in whatever tab, and the next one finds nothing of the last", async ({ page, context }) => {
    await page.goto(new URL(link(), server.url).href);
    const frame = await frameWith(page, "Chronicle of 2014");
    await frame.evaluate(async () => {
      localStorage.setItem("kept", "of the first archive");
      await new Promise((resolve) => (indexedDB.open("kept").onsuccess = resolve));
    });
    const other = await context.newPage();
    await other.goto(new URL(link("again.warc.gz"), server.url).href);
    const second = await frameWith(other, "Chronicle of 2014");
    expect(await second.evaluate(async () => [localStorage.length, (await indexedDB.databases()).length])).toEqual([0, 0]);
    await expect(view(page)).toContainText("Another archive is shown in another tab");
    await expect(view(page).locator("iframe[title]")).toHaveCount(0);
    await button(page, "Show this one again").click();
    await frameWith(page, "Chronicle of 2014");
    await expect(view(other)).toContainText("Another archive is shown in another tab");
  });
});

test.describe("no origin but the viewer's own", () => {
  test("a page is there without scripts, and leads on", async ({ page, baseURL }) => {
    // No name lies below an address of numbers.
    await page.goto(new URL(link(), (baseURL ?? "").replace("localhost", "127.0.0.1")).href);
    const frame = await frameWith(page, "Chronicle of 2014");
    await expect(way(page)).toContainText("Scripts are off");
    await expect(frame.locator("#told")).toHaveText("no script");
    expect(await frame.evaluate(() => document.cookie)).toBe("");
    await expect.poll(() => pictureWidth(frame)).toBe(14);
    expect(await color(frame)).toBe("rgb(20, 14, 0)");
    await press(frame, "#second");
    const second = await frameWith(page, "Second page");
    expect(await second.evaluate(() => document.body.dataset["cookie"])).toBe(undefined);
    await button(page, "Back").click();
    await press(await frameWith(page, "Chronicle of 2014"), "#other");
    await frameWith(page, "Another site");
    await button(page, "More").click();
    await expect(page.getByRole("menuitemcheckbox", { name: /^Scripts run/ })).toBeDisabled();
  });

  test("nothing of a hostile page runs, or leads out of its frame", async ({ page, baseURL, context }) => {
    const address = link("evil.warc.gz", "https://evil.example/");
    // On an origin of its own it does run.
    await page.goto(address);
    await expect(view(page).locator("iframe[title]").contentFrame().locator("html")).toHaveAttribute("data-ran", "1");
    await page.goto(new URL(address, (baseURL ?? "").replace("localhost", "127.0.0.1")).href);
    const frame = await frameWith(page, "Hostile page");
    await expect.poll(() => color(frame)).toBe("rgb(1, 2, 3)");
    // Whatever would run by itself has had the time to.
    await page.waitForTimeout(1_500);
    await frame.evaluate(() => {
      for (const id of ["script", "top", "new"]) document.getElementById(id)?.click();
      (document.querySelector("#form") as HTMLFormElement).submit();
    });
    await page.waitForTimeout(500);
    const ran = await Promise.all(page.frames().map((one) => {
      const told = one.evaluate(() => document.documentElement.dataset["ran"] ?? "nothing");
      // Of a frame that was kept from loading nothing is told, in Chromium not even that.
      return Promise.race([told.catch(() => "nothing"), new Promise((resolve) => setTimeout(resolve, 2_000, "nothing"))]);
    }));
    expect(ran.length).toBeGreaterThan(4);
    expect(new Set(ran)).toEqual(new Set(["nothing"]));
    expect(await page.evaluate(() => [localStorage.getItem("owned"), document.title])).toEqual([null, "evil.warc.gz - Stackroom"]);
    expect([new URL(page.url()).pathname, context.pages().length]).toEqual(["/", 1]);
    await expect(view(page).locator("iframe[title]")).toHaveAttribute("sandbox", "allow-same-origin");
  });

  test("a page that is opened outside its frame is not answered", async ({ page, baseURL, context }) => {
    await page.goto(new URL(link(), (baseURL ?? "").replace("localhost", "127.0.0.1")).href);
    const frame = await frameWith(page, "Chronicle of 2014");
    const alone = await context.newPage();
    // Chromium fails, Firefox shows a page of its own.
    await alone.goto(frame.url()).catch(() => undefined);
    await expect(alone.getByText("Chronicle")).toHaveCount(0);
  });
});

test.describe("no service worker", () => {
  test.use({ serviceWorkers: "block" });

  test("a page is a still view, in which nothing runs", async ({ page }) => {
    await page.goto(link());
    const frame = await frameWith(page, "Chronicle of 2014");
    await expect(way(page)).toContainText("still view");
    await expect(frame.locator("#told")).toHaveText("no script");
    expect([await color(frame), await pictureWidth(frame)]).toEqual(["rgb(20, 14, 0)", 14]);
    expect(await frame.evaluate(() => [document.scripts.length, document.links.length, origin])).toEqual([0, 0, "null"]);
    await expect(view(page).getByRole("status")).toContainText("1 picture or style left out");
    await view(page).getByRole("textbox", { name: "Archived address" }).fill("https://other.example/");
    await view(page).getByRole("textbox", { name: "Archived address" }).press("Enter");
    await frameWith(page, "Another site");
    await button(page, "Open its record").click();
    await expect(new Viewer(page).detail).toContainText("https://other.example/");
  });
});

test("a still view can be chosen for any page", async ({ page }) => {
  await page.goto(link());
  await frameWith(page, "Chronicle of 2014");
  for (const told of ["no script", "script of 2014"]) {
    await button(page, "More").click();
    await page.getByRole("menuitemcheckbox", { name: /^Still view/ }).click();
    await expect((await frameWith(page, "Chronicle of 2014")).locator("#told")).toHaveText(told);
  }
});

test("labels that tell no host lead to hosts that only a script has named", async ({ page }) => {
  const page1 = `<!doctype html><h1>Maker</h1><script>
const host = ["made", "by", "script", "example"].join(".");
fetch("https://" + host + "/data").then((answer) => answer.text()).then((text) => (document.body.dataset.fetched = text));
document.body.append(Object.assign(document.createElement("iframe"), { src: "https://framed." + host + "/" }));
addEventListener("message", ({ data }) => (document.body.dataset.framed = data));
</script>`;
  const at = (url: string, type: string, body: string) => warcRecord({ url, date: "2014-05-03T10:00:00Z", block: httpResponse({ headers: { "Content-Type": type }, body }) });
  const archive = gzipMember(concat([
    at("https://maker.example/", "text/html", page1), at("https://made.by.script.example/data", "text/plain", "archived"),
    at("https://framed.made.by.script.example/", "text/html", "<script>parent.postMessage(location.host, '*')</script>"),
  ]));
  const host = await startReplayHost({ archives: { "maker.warc.gz": archive }, viewerName: "app.localhost" });
  await openViewer(page, host, "maker.warc.gz", { mode: "wildcard", template: `http://{label}.replay.localhost:${host.port}`, labels: "hash" });
  const frame = await show(page, "https://maker.example/", "h1");
  await expect(frame.locator("body")).toHaveAttribute("data-fetched", "archived");
  await expect(frame.locator("body")).toHaveAttribute("data-framed", "framed.made.by.script.example");
  expect(page.frames().map((one) => new URL(one.url()).hostname).filter((name) => /made|maker/.test(name))).toEqual([]);
  await host.close();
});
