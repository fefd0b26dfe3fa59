/** Many files as one collection, as people drop them on the viewer. */
import { expect, test } from "@playwright/test";
import { httpResponse, warcGz, warcRecord } from "../fixtures/warc.js";
import { longArchive, smallArchive } from "./archives.js";
import { Viewer } from "./viewer.js";

const small = { name: "small.warc.gz", bytes: smallArchive() };
const long = { name: "long.warc", bytes: longArchive(5) };
const diary = { name: "diary.txt", bytes: new TextEncoder().encode("Dear diary, nothing happened.") };

test("files that are dropped together are one collection, told apart by file", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.drop([small, long, diary]);
  await viewer.ready();
  await expect(viewer.count).toHaveText("21");
  await expect(viewer.row("item-3")).toContainText("long.warc");
  await expect(viewer.status).toContainText("1 problem");

  await page.getByRole("combobox", { name: "Records of which file" }).selectOption("long.warc");
  await expect(viewer.count).toContainText("5 of 21");
  await viewer.openRecord("item-3");
  await expect(viewer.panel).toContainText("long.warc");
  await viewer.show("Text");
  await expect(viewer.panel).toContainText("item 3");

  await viewer.status.getByRole("button", { name: /1 problem/ }).click();
  await expect(page.getByRole("table", { name: "One file was not read" })).toContainText("diary.txt");
});

test("a dropped folder opens with all that is in it", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.dropFolder("crawl", [small, { name: "later/long.warc", bytes: long.bytes }, { name: ".hidden", bytes: diary.bytes }]);
  await viewer.ready();
  await expect(viewer.count).toHaveText("21");
  await expect(page).toHaveTitle(/^crawl/);
  await expect(page.getByRole("combobox", { name: "Records of which file" })).toContainText("crawl/later/long.warc");
});

test("a revisit shows the body of a capture in another file", async ({ page }) => {
  const url = "https://again.example/";
  const date = "2020-02-02T02:02:02Z";
  const first = warcGz(warcRecord({ url, date, block: httpResponse({ headers: { "Content-Type": "text/plain" }, body: "kept once" }) }));
  const headers = { "WARC-Refers-To-Target-URI": url, "WARC-Refers-To-Date": date };
  const again = warcGz(warcRecord({ type: "revisit", url, date: "2021-01-01T00:00:00Z", headers, block: httpResponse({ headers: { "Content-Length": null } }) }));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.drop([{ name: "again.warc.gz", bytes: again }, { name: "first.warc.gz", bytes: first }]);
  await viewer.ready();
  await viewer.openRecord("revisit");
  await expect(viewer.panel).toContainText("the capture of 2020-02-02 02:02:02, in first.warc.gz");
  await expect(viewer.panel).toContainText("kept once");
});
