/** Web pages that the viewer finds in an archive: listed in orders and languages, opened, read, and their links followed. */
import { expect, test, type Locator, type Page } from "@playwright/test";
import { zip } from "../fixtures/zip.mjs";
import { hostileTitles, pagesArchive } from "./archives.js";
import { Viewer } from "./viewer.js";

const crawl = { name: "crawl.warc.gz", bytes: pagesArchive() };
const list = (page: Page): Locator => page.getByRole("listbox", { name: "Web pages that were found in the archive" });
const items = (page: Page): Locator => list(page).getByRole("option");
const order = (page: Page): Locator => page.getByRole("combobox", { name: "Sort the list" });

async function openKept(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(crawl);
  await viewer.kept();
  return viewer;
}

async function openPages(page: Page): Promise<Viewer> {
  const viewer = await openKept(page);
  await page.getByRole("button", { name: "Pages 120" }).click();
  await expect(items(page).first()).toContainText("page-0");
  return viewer;
}

test("pages of a plain WARC file are listed by file, title and time, in all languages or one", async ({ page }) => {
  const viewer = await openPages(page);
  await expect(list(page)).toBeVisible();
  await expect(viewer.list).toBeHidden();
  await order(page).selectOption("Title, A to Z");
  await expect(items(page).first()).toContainText("<img src=x onerror=alert(1)>");
  await order(page).selectOption("Title, Z to A");
  // Those without a title are behind all others, by their URL.
  await expect(items(page).first()).toContainText("https://b.example.org/page-87");
  await order(page).selectOption("Captured, latest first");
  await expect(items(page).first()).toContainText("2016-");
  await order(page).selectOption("Captured, oldest first");
  await expect(items(page).first()).toContainText("2010-01-11");
  await page.getByRole("combobox", { name: "Language" }).selectOption("German (40)");
  await expect(items(page).first()).toHaveAttribute("aria-setsize", "40");
  await expect(items(page).first()).toContainText("German");
  await page.getByRole("button", { name: "Records", exact: true }).click();
  await expect(viewer.list).toBeVisible();
});

test("by keys alone the list is gone through, and a page is opened and read", async ({ page }) => {
  const viewer = await openPages(page);
  await list(page).focus();
  await page.keyboard.press("End");
  await expect(items(page).last()).toContainText("page-119");
  await expect(list(page)).toHaveAttribute("aria-activedescendant", "item-119");
  await page.keyboard.press("Home");
  for (let n = 0; n < 8; n += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await viewer.leavePage();
  await expect(viewer.detail).toContainText("https://a.example.org/page-8");
  await expect(list(page).locator("#item-8")).toHaveAttribute("aria-selected", "true");
  await viewer.show("Page");
  await expect(viewer.panel).toContainText("Report 008");
  await expect(viewer.panel).toContainText("What is on page 8");
  await expect(viewer.panel).toContainText("Paragraph of page 8.");
  // The next one follows while a record is open, on the same tab.
  await list(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(viewer.panel).toContainText("Paragraph of page 9.");
});

test("links lead to captures in the archive, nearest in time, or it is said that there is none", async ({ page }) => {
  const viewer = await openPages(page);
  await list(page).locator("#item-4").click();
  await viewer.leavePage();
  await viewer.show("Page");
  const links = viewer.panel.getByRole("list", { name: "Links of the page" });
  await expect(links.getByRole("listitem")).toHaveCount(3);
  await links.getByRole("button", { name: "https://nowhere.example/" }).click();
  await expect(viewer.notice).toContainText("no capture of https://nowhere.example/");
  await viewer.panel.getByRole("combobox", { name: "Kind of link" }).selectOption("image or media");
  await links.getByRole("button", { name: "https://a.example.org/map.png" }).click();
  await expect(viewer.detail).toContainText("https://a.example.org/map.png");
  // An image says nothing.
  await expect(viewer.tab("Page")).toHaveCount(0);
  await page.getByRole("button", { name: "Records", exact: true }).click();
  await viewer.list.press("End");
  await viewer.openRecord("https://a.example.org/old");
  await viewer.show("Page");
  await viewer.panel.getByRole("button", { name: "https://a.example.org/page-2" }).click();
  await expect(viewer.panel).toContainText("Paragraph of page 2.");
});

test("titles are text, whatever they want to be", async ({ page }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const viewer = await openPages(page);
  for (const at of hostileTitles.keys()) {
    await list(page).locator(`#item-${at}`).click();
    await viewer.leavePage();
    await viewer.show("Page");
    await expect(viewer.panel).toContainText(`Paragraph of page ${at}.`);
  }
  await expect(items(page).nth(1)).toContainText("\u27e8U+202E\u27e9gnp.exe");
  await expect(items(page).nth(2)).toContainText("zero\u27e8U+200B\u27e9width");
  expect(await list(page).locator("img, script, iframe").count()).toBe(0);
  expect(dialogs).toEqual([]);
});

test("pages that could not be read are said to lack, and come when the archive is opened or indexed again", async ({ page }) => {
  const isBlocked = /documents_bg/;
  // What the viewer keeps for when the network is gone would be there all the same.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  await page.route(isBlocked, (route) => route.abort());
  const viewer = await openKept(page);
  const lack = page.getByText("reading them was broken off");
  await page.getByRole("button", { name: "Pages 0", exact: true }).click();
  await expect(lack).toBeVisible();
  await expect(viewer.list).toBeHidden();
  await page.unroute(isBlocked);
  await page.getByRole("button", { name: "Index again" }).click();
  await page.getByRole("button", { name: "Pages 120" }).click();
  await expect(items(page).first()).toContainText("page-0");

  const other = { name: "other.warc.gz", bytes: pagesArchive(50) };
  await page.route(isBlocked, (route) => route.abort());
  await viewer.pick(other);
  await viewer.kept();
  await page.getByRole("button", { name: "Pages 0", exact: true }).click();
  await expect(lack).toBeVisible();
  await page.unroute(isBlocked);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(other);
  await page.getByRole("button", { name: "Pages 50" }).click();
  await expect(lack).toBeHidden();
});

test("a package has its own list of pages, and beside it all that were found", async ({ page }) => {
  const stated = [{ format: "json-pages-1.0", id: "pages", title: "All" }, { url: "https://b.example.org/page-5", ts: "2015-06-11T10:05:00Z", title: "Chosen" }];
  const bytes = zip([
    { name: "datapackage.json", content: JSON.stringify({ profile: "data-package", wacz_version: "1.1.1", resources: [] }) },
    { name: "archive/data.warc.gz", content: pagesArchive(30) },
    { name: "pages/pages.jsonl", content: stated.map((line) => `${JSON.stringify(line)}\n`).join("") },
  ]);
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick({ name: "crawl.wacz", bytes });
  await viewer.kept();
  await page.getByRole("button", { name: "Pages 1", exact: true }).click();
  await expect(page.getByRole("list", { name: "Pages of the archive" }).getByRole("button")).toHaveText(/Chosen/);
  await page.getByRole("button", { name: "All pages 30" }).click();
  await expect(items(page).first()).toHaveAttribute("aria-setsize", "30");
  // The next archive begins with its records.
  await viewer.pick(crawl);
  await expect(viewer.list).toBeVisible();
});
