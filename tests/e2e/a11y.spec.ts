/** No state of the viewer has a fault that axe-core can find, in light and in dark. What the keyboard can do is in viewer.spec.ts. */
import { expect, test } from "@playwright/test";
import { cutArchive, pagesArchive, smallArchive, widelyArchive } from "./archives.js";
import { faults } from "./faults.js";
import { Viewer, type TabName } from "./viewer.js";

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.beforeEach(async ({ page }) => {
      await page.addInitScript((chosen) => localStorage.setItem("stackroom.theme", chosen), theme);
    });

    test("start page, refusal and shortcuts", async ({ page }) => {
      const viewer = new Viewer(page);
      await viewer.visit();
      expect.soft(await faults(page)).toEqual([]);
      await viewer.pick({ name: "list.warc.gz", bytes: Buffer.from("milk, bread and lamp oil\n".repeat(40)) });
      await expect(page.getByRole("alert")).toBeVisible();
      expect.soft(await faults(page)).toEqual([]);
      await page.keyboard.press("?");
      await expect(page.getByRole("dialog")).toBeVisible();
      expect.soft(await faults(page)).toEqual([]);
    });

    test("list, filter, menus and every view of a record", async ({ page }) => {
      const viewer = new Viewer(page);
      await viewer.visit();
      await viewer.pick({ name: "small.warc.gz", bytes: smallArchive() });
      await viewer.ready();
      expect.soft(await faults(page)).toEqual([]);
      await viewer.openRecord("boxes.json");
      for (const view of ["Preview", "Headers", "Text", "JSON", "Hex"] satisfies TabName[]) {
        await viewer.show(view);
        await expect(viewer.panel).not.toContainText("Reading the body");
        expect.soft(await faults(page), view).toEqual([]);
      }
      await viewer.detail.getByRole("button", { name: "Copy", exact: true }).click();
      await expect(page.getByRole("menuitem", { name: "Copy URL" })).toBeVisible();
      expect.soft(await faults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await viewer.show("Preview");
      await viewer.openRecord("map.png");
      await expect(viewer.panel.getByRole("img")).toBeVisible();
      expect.soft(await faults(page)).toEqual([]);
      await viewer.filter.fill("/nowhere");
      await expect(viewer.count).toContainText("0 of");
      expect.soft(await faults(page)).toEqual([]);
    });

    test("the library, and the views that it brings", async ({ page }) => {
      const viewer = new Viewer(page);
      await viewer.visit();
      await viewer.hasLibrary();
      expect.soft(await faults(page), "empty").toEqual([]);
      await viewer.pick({ name: "widely.warc.gz", bytes: widelyArchive() });
      await viewer.kept();
      await page.getByRole("button", { name: "Browse", exact: true }).click();
      for (const way of ["Time", "Hosts", "Media types", "Status", "Record types"]) {
        await page.getByRole("tab", { name: way, exact: true }).click();
        const item = page.locator("stackroom-browse").getByRole(way === "Hosts" ? "treeitem" : "option").first();
        await item.click();
        await expect(item, way).toHaveAttribute("aria-selected", "true");
        expect.soft(await faults(page), way).toEqual([]);
      }
      await page.getByRole("button", { name: "Show all records again" }).click();
      await viewer.list.getByRole("columnheader", { name: "Size" }).click();
      await expect(viewer.rows.first()).toContainText("page-02");
      expect.soft(await faults(page), "sorted").toEqual([]);
      await viewer.filter.fill("/again");
      await expect(viewer.count).toContainText("3 of 63");
      await viewer.openRecord("again");
      await expect(viewer.detail.locator("stackroom-captures")).toContainText("of 3");
      expect.soft(await faults(page), "captures").toEqual([]);
      await viewer.visit();
      await expect(page.locator("stackroom-shelf").getByRole("listitem")).toHaveCount(1);
      expect.soft(await faults(page), "list").toEqual([]);
      for (const question of ["Rename, tag, note", "Remove from the library"]) {
        await page.getByRole("button", { name: "What to do with widely.warc.gz" }).click();
        await page.getByRole("menuitem", { name: question }).click();
        await expect(page.getByRole("dialog")).toBeVisible();
        expect.soft(await faults(page), question).toEqual([]);
        await page.keyboard.press("Escape");
        await expect(page.getByRole("dialog")).toHaveCount(0);
      }
    });

    test("web pages that were found, and what one of them says", async ({ page }) => {
      const viewer = new Viewer(page);
      await viewer.visit();
      await viewer.hasLibrary();
      await viewer.pick({ name: "pages.warc.gz", bytes: pagesArchive(40) });
      await viewer.kept();
      await page.getByRole("button", { name: "Pages 40" }).click();
      await page.locator("stackroom-found").locator("#item-4").click();
      await viewer.leavePage();
      await viewer.show("Page");
      await expect(viewer.panel).toContainText("Links (3)");
      expect.soft(await faults(page)).toEqual([]);
    });

    test("problems", async ({ page }) => {
      const viewer = new Viewer(page);
      await viewer.visit();
      await viewer.pick({ name: "cut.warc.gz", bytes: cutArchive() });
      await viewer.ready();
      await page.getByRole("button", { name: /^\d+ problems?/ }).click();
      await expect(page.locator("stackroom-problems tbody tr").first()).toBeVisible();
      expect.soft(await faults(page)).toEqual([]);
    });
  });
}
