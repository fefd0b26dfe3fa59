/** What the viewer makes of the kept index: the list in any order, hosts, times, values, and all captures of a URL. */
import { expect, test, type Locator, type Page } from "@playwright/test";
import { exchange, warcGz } from "../fixtures/warc.js";
import { widelyArchive } from "./archives.js";
import { keepNothing, Viewer } from "./viewer.js";

const widely = { name: "widely.warc.gz", bytes: widelyArchive() };

/** Open and in the library. */
async function openKept(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(widely);
  await viewer.kept();
  return viewer;
}

async function browse(page: Page, way: string): Promise<void> {
  const button = page.getByRole("button", { name: "Browse", exact: true });
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  await page.getByRole("tab", { name: way, exact: true }).click();
}

const head = (viewer: Viewer, name: string): Locator => viewer.list.getByRole("columnheader", { name });

test("a click on a column sorts all records, another one turns them round, a third one gives the file's order back", async ({ page }) => {
  const viewer = await openKept(page);
  const url = head(viewer, "URL");
  await expect(viewer.rows.first()).toContainText("a.example.org/page-00");
  await url.click();
  await expect(url).toHaveAttribute("aria-sort", "ascending");
  await expect(viewer.rows.first()).toContainText("other.net/page-02");
  await url.click();
  await expect(url).toHaveAttribute("aria-sort", "descending");
  await expect(viewer.rows.first()).toContainText("b.example.org/page-58");
  await url.click();
  await expect(url).not.toHaveAttribute("aria-sort");
  await viewer.list.press("Home");
  await expect(viewer.rows.first()).toContainText("a.example.org/page-00");
});

test("the order is chosen by keys alone, and a filter takes its place", async ({ page }) => {
  const viewer = await openKept(page);
  await page.getByRole("button", { name: "Sort the list" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitemradio", { name: "Order of the file" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(head(viewer, "Captured")).toHaveAttribute("aria-sort", "ascending");
  await expect(viewer.rows.first()).toContainText("2012-01-11 10:00:00");
  await viewer.filter.fill("other.net");
  await expect(viewer.count).toContainText("20 of 63");
  await expect(head(viewer, "Captured")).not.toHaveAttribute("aria-sort");
});

test("hosts are a tree with counts, and a host lists its records and those below it", async ({ page }) => {
  const viewer = await openKept(page);
  await browse(page, "Hosts");
  const tree = page.getByRole("tree", { name: "Hosts" });
  await tree.focus();
  await page.keyboard.press("End");
  await expect(tree.getByRole("treeitem", { name: "org" })).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowRight");
  await expect(tree.getByRole("treeitem", { name: "example.org" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(tree.getByRole("treeitem", { name: "b.example.org" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await expect(tree.getByRole("treeitem", { name: "b.example.org" })).toContainText("20");
  await page.keyboard.press("Enter");
  await expect(viewer.count).toContainText("20 of 63");
  await expect(viewer.rows.first()).toContainText("b.example.org/page-01");
  await tree.getByRole("treeitem", { name: "a.example.org" }).click();
  await expect(viewer.count).toContainText("23 of 63");
  await page.getByRole("button", { name: "Show all records again" }).click();
  await expect(viewer.count).toHaveText("63");
});

test("times go from years down to minutes, and what is selected in them is listed", async ({ page }) => {
  const viewer = await openKept(page);
  await browse(page, "Time");
  const bars = page.getByRole("listbox", { name: /Records over time/ });
  await expect(bars.getByRole("option").first()).toHaveAccessibleName(/^2012-01: /);
  await bars.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await expect(viewer.count).toContainText("63 of 63");
  await page.keyboard.press("Home");
  for (let at = 0; at < 11; at += 1) await page.keyboard.press("Shift+ArrowRight");
  await expect(viewer.count).toContainText("13 of 63");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect(bars.getByRole("option").first()).toHaveAccessibleName(/^2012-01-01: /);
  const day = bars.getByRole("option", { name: /^2012-01-11: [1-9]/ });
  await day.click();
  await expect(viewer.rows.first()).toContainText("2012-01-11");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.keyboard.press("Tab");
  await expect(bars.getByRole("option", { name: /^2012-01-11 10:00: [1-9]/ })).toHaveCount(1);
  await bars.getByRole("option", { name: /^2012-01-11 10:00: / }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect(bars.getByRole("option", { name: /^2012-01-11 10:00: [1-9]/ })).toHaveCount(1);
  await expect(bars.getByRole("option")).toHaveCount(60);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect(bars.getByRole("option")).toHaveCount(24);
});

test("a drag over the bars selects them", async ({ page }) => {
  const viewer = await openKept(page);
  await browse(page, "Time");
  const bars = page.getByRole("listbox", { name: /Records over time/ });
  const [first, last] = [await bars.getByRole("option").first().boundingBox(), await bars.getByRole("option").nth(11).boundingBox()];
  if (first === null || last === null) throw new Error("the bars are not drawn");
  await page.mouse.move(first.x + first.width / 2, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(last.x + last.width / 2, last.y + 20, { steps: 6 });
  await page.mouse.up();
  await expect(viewer.count).toContainText("13 of 63");
});

test("media types and statuses have counts, and a chosen one can be sorted by any column", async ({ page }) => {
  const viewer = await openKept(page);
  await browse(page, "Media types");
  await page.getByRole("option", { name: "image/png" }).click();
  await expect(viewer.count).toContainText("15 of 63");
  await head(viewer, "URL").click();
  await expect(head(viewer, "URL")).toHaveAttribute("aria-sort", "ascending");
  await expect(viewer.count).toContainText("15 of 63");
  await browse(page, "Status");
  const statuses = page.getByRole("listbox", { name: "Status" });
  await expect(statuses.getByRole("option").first()).toContainText("200");
  await statuses.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(viewer.count).toContainText("6 of 63");
  await expect(viewer.rows.first()).toContainText("404");
});

test("a record leads to the captures of its URL before and after it, and to a list of them", async ({ page }) => {
  const viewer = await openKept(page);
  await viewer.filter.fill("/again");
  await viewer.openRecord("again");
  const captures = viewer.detail.locator("stackroom-captures");
  await expect(captures).toContainText("Capture 1 of 3");
  await expect(captures.getByRole("button", { name: "Previous capture" })).toBeDisabled();
  await captures.getByRole("button", { name: "Next capture" }).click();
  await expect(captures).toContainText("Capture 2 of 3");
  await expect(viewer.panel).toContainText("2014-06-01");
  await captures.getByRole("button", { name: "List all" }).click();
  await expect(viewer.count).toContainText("3 of 63");
  await viewer.filter.fill("/page-01");
  await viewer.openRecord("page-01");
  await expect(captures).toBeHidden();
});

test("the captures of a URL are a calendar that is gone through by mouse and by keys", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  const at = (date: string): Uint8Array => warcGz(exchange({ url: "http://often.test/", date, headers: { "Content-Type": "text/html" }, body: date })[0] ?? new Uint8Array());
  const dates = ["2019-12-31T23:59:59Z", "2020-02-29T00:00:00Z", "2020-02-29T11:30:05Z", "2020-02-29T23:59:59Z", "2024-07-01T08:00:00Z"];
  await viewer.pick({ name: "often.warc.gz", bytes: Buffer.concat(dates.map(at)) });
  await viewer.kept();
  await viewer.rows.nth(2).click();
  await viewer.detail.getByRole("button", { name: "Calendar" }).click();
  const calendar = page.getByRole("dialog", { name: "5 captures" });
  await expect(calendar.getByRole("button", { name: "2020", exact: true })).toHaveAttribute("aria-pressed", "true");
  const leapDay = calendar.getByRole("button", { name: "February 29, 2020: 3 captures" });
  await expect(leapDay).toHaveAttribute("aria-pressed", "true");
  await expect(calendar.getByRole("button", { name: /^11:30:05/ })).toHaveAttribute("aria-current", "true");
  await leapDay.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(calendar.getByRole("button", { name: "December 31, 2019: 1 capture" })).toBeFocused();
  await expect(calendar.getByRole("button", { name: "2019", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("End");
  await expect(calendar.getByRole("button", { name: "July 1, 2024: 1 capture" })).toBeFocused();
  // The second of a month, a Tuesday, stands under it.
  const july = calendar.getByRole("table", { name: "July" });
  await expect(july.getByRole("row").nth(1).getByRole("cell").nth(1)).toHaveText("2");
  await calendar.getByRole("button", { name: "2020", exact: true }).click();
  await calendar.getByRole("button", { name: /^23:59:59/ }).click();
  await expect(calendar).toBeHidden();
  await expect(viewer.detail.locator("stackroom-captures")).toContainText("Capture 4 of 5");
});

test("what waits for the library says so", async ({ page }) => {
  await keepNothing(page);
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(widely);
  await viewer.ready();
  await page.getByRole("button", { name: "Browse", exact: true }).click();
  await expect(page.locator("stackroom-browse")).toContainText("when the archive is in the library");
  await head(viewer, "URL").click();
  await expect(viewer.notice).toContainText("when the archive is in the library");
  await page.getByRole("button", { name: "Keep in the library" }).click();
  await viewer.kept();
  await head(viewer, "URL").click();
  await expect(head(viewer, "URL")).toHaveAttribute("aria-sort", "ascending");
});
