/** The library of the viewer: what is opened is kept, listed on the start page, opened again, described and removed. */
import { writeFileSync } from "node:fs";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { cutArchive, longArchive, smallArchive, widelyArchive } from "./archives.js";
import { launchSmall, limitRoom } from "./pages/tabs.mjs";
import { Viewer, sendArchive, startOrigin } from "./viewer.js";

const shelf = (page: Page): Locator => page.locator("stackroom-shelf");
const entry = (page: Page, name: string): Locator => shelf(page).getByRole("listitem").filter({ hasText: name });

async function start(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  return viewer;
}

/** Writes a file whose date and place are a real file's. */
function file(name: string, bytes: Uint8Array): string {
  const path = test.info().outputPath(name);
  writeFileSync(path, bytes);
  return path;
}

async function openAndKeep(page: Page, path: string): Promise<Viewer> {
  const viewer = await start(page);
  await viewer.pick(path);
  await viewer.kept();
  return viewer;
}

/** A browser without the picker that gives handles, as Firefox is. */
async function withoutHandles(page: Page): Promise<void> {
  await page.addInitScript(() => Object.assign(globalThis, { showOpenFilePicker: undefined }));
}

/** Clicks and hands a file to the picker that opens. */
async function choose(page: Page, click: () => Promise<void>, path: string): Promise<void> {
  const picker = page.waitForEvent("filechooser");
  await click();
  await (await picker).setFiles(path);
}

test("what was opened is on the start page, the latest first, with what is known of it", async ({ page }) => {
  await openAndKeep(page, file("widely.warc.gz", widelyArchive()));
  const viewer = await openAndKeep(page, file("cut.warc.gz", cutArchive()));
  await viewer.visit();
  const entries = shelf(page).getByRole("listitem");
  await expect(entries).toHaveCount(2);
  await expect(entries.first()).toContainText("cut.warc.gz");
  await expect(entries.first()).toContainText(/damaged: \d problem/);
  await expect(entries.last()).toContainText("widely.warc.gz");
  await expect(entries.last()).toContainText("63 records");
  await expect(entries.last()).toContainText("captured 2012-01-11 to 2016-");
  await expect(entries.last()).toContainText("ready");
  await expect(shelf(page).getByRole("meter", { name: "Room used in this browser" })).toBeVisible();
});

test("a file that the browser has no handle of is asked for, and opens if it is the one", async ({ page }) => {
  await withoutHandles(page);
  const path = file("small.warc.gz", smallArchive());
  const viewer = await openAndKeep(page, path);
  await viewer.visit();
  await expect(entry(page, "small.warc.gz")).toContainText("file needed");
  await choose(page, () => entry(page, "small.warc.gz").getByRole("button", { name: /small/ }).first().click(), path);
  await viewer.kept();
  await expect(viewer.count).toHaveText("16");
  await viewer.visit();
  await expect(shelf(page).getByRole("listitem")).toHaveCount(1);
});

test("a copy opens without its file, and with its deletion the file is needed again", async ({ page }) => {
  await withoutHandles(page);
  const viewer = await openAndKeep(page, file("small.warc.gz", smallArchive()));
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: /^Keep a copy in this browser \(/ }).click();
  await expect(viewer.status).toContainText("In the library, with a copy");
  await viewer.visit();
  const small = entry(page, "small.warc.gz");
  await expect(small).toContainText("copy ");
  await expect(small).not.toContainText("file needed");
  await small.getByRole("button", { name: /small/ }).first().click();
  await expect(viewer.count).toHaveText("16");
  await viewer.rows.nth(1).click();
  await page.getByRole("tab", { name: "Hex" }).click();
  await expect(viewer.panel).toContainText("00000000");
  await viewer.visit();
  await small.getByRole("button", { name: "What to do with small.warc.gz" }).click();
  await page.getByRole("menuitem", { name: /^Delete the copy \(/ }).click();
  await expect(small).toContainText("file needed");
});

test("another file than the one asked for is told apart before anything is opened", async ({ page }) => {
  await withoutHandles(page);
  const viewer = await openAndKeep(page, file("small.warc.gz", smallArchive()));
  await viewer.visit();
  const other = file("other.warc", longArchive(5));
  await choose(page, () => entry(page, "small.warc.gz").getByRole("button", { name: /small/ }).first().click(), other);
  const alert = shelf(page).getByRole("alert");
  await expect(alert).toContainText("This is another file");
  await expect(alert).toContainText("other.warc");
  await expect(viewer.list).toHaveCount(0);
  await alert.getByRole("button", { name: "Open it as another archive" }).click();
  await viewer.kept();
  await expect(viewer.count).toHaveText("5");
  await viewer.visit();
  await expect(shelf(page).getByRole("listitem")).toHaveCount(2);
});

test("a file with a handle opens again by one click, and is missed where it is no more", async ({ page }) => {
  // What a picker gives cannot be chosen by a test; a handle of the private file system is as good as any.
  await page.addInitScript((base64) => {
    const make = async (): Promise<FileSystemFileHandle> => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("handled.warc.gz", { create: true });
      if ((await handle.getFile()).size > 0) return handle;
      const stream = await handle.createWritable();
      await stream.write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      await stream.close();
      return handle;
    };
    Object.assign(globalThis, { showOpenFilePicker: async () => [await make()] });
  }, Buffer.from(smallArchive()).toString("base64"));
  const viewer = await start(page);
  await page.getByRole("button", { name: "Choose files" }).click();
  await viewer.kept();
  await viewer.visit();
  const found = entry(page, "handled.warc.gz");
  await expect(found).toContainText("ready");
  await expect(found).not.toContainText("file needed");
  await found.getByRole("button", { name: /handled/ }).first().click();
  await viewer.kept();
  await expect(viewer.count).toHaveText("16");
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("handled.warc.gz"));
  await viewer.visit();
  await found.getByRole("button", { name: /handled/ }).first().click();
  await expect(shelf(page).getByRole("alert")).toContainText("The file is not where it was");
});

test("a file that the browser was not allowed to read again says so, and is asked for", async ({ page }) => {
  await page.addInitScript((base64) => {
    const make = async (): Promise<FileSystemFileHandle> => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle("guarded.warc.gz", { create: true });
      const stream = await handle.createWritable();
      await stream.write(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
      await stream.close();
      return handle;
    };
    // As of a file outside of the private file system, after a restart, where the person says no.
    const asked = { queryPermission: async () => "prompt", requestPermission: async () => "denied" };
    Object.assign(FileSystemFileHandle.prototype, asked);
    Object.assign(globalThis, { showOpenFilePicker: async () => [await make()] });
  }, Buffer.from(smallArchive()).toString("base64"));
  const viewer = await start(page);
  await page.getByRole("button", { name: "Choose files" }).click();
  await viewer.kept();
  await viewer.visit();
  await entry(page, "guarded.warc.gz").getByRole("button", { name: /guarded/ }).first().click();
  await expect(shelf(page).getByRole("alert")).toContainText("The browser was not allowed to read the file.");
  await expect(viewer.list).toHaveCount(0);
  await expect(entry(page, "guarded.warc.gz")).toBeVisible();
});

test("room that runs short is said from four fifths on, until there is some again", async ({ browserName, baseURL }) => {
  const quota = 20_000_000;
  const small = await launchSmall(browserName as "chromium" | "firefox", quota);
  try {
    const page = await small.context.newPage();
    const viewer = new Viewer(page);
    await viewer.visit(baseURL ?? "");
    await viewer.hasLibrary();
    await limitRoom(page, quota);
    await viewer.pick({ name: "small.warc.gz", bytes: smallArchive() });
    await viewer.kept();
    await viewer.visit(baseURL ?? "");
    const meter = page.getByRole("meter", { name: "Room used in this browser" });
    await expect(meter).toBeVisible();
    await expect(page.getByText("Room runs short.")).toHaveCount(0);
    const { usage = 0, quota: told = 0 } = await page.evaluate(async (limit) => {
      const root = await navigator.storage.getDirectory();
      const { quota: most = 0 } = await navigator.storage.estimate();
      const wanted = Math.min(most, limit) * 0.83;
      // A little at a time: what is written takes its room twice until it is closed, and the viewer keeps its files meanwhile.
      for (let n = 0; n < 100 && ((await navigator.storage.estimate()).usage ?? 0) < wanted; n += 1) {
        const stream = await (await root.getFileHandle(`filler-${n}`, { create: true })).createWritable();
        await stream.write(new Uint8Array(limit / 40));
        await stream.close();
      }
      return navigator.storage.estimate();
    }, quota);
    await viewer.visit(baseURL ?? "");
    if (browserName === "chromium") {
      // Whatever there is, Chromium says that it is what is used and some GiB: sites must not know people by their disks.
      expect(told - usage).toBeGreaterThan(quota);
      await expect(meter).toHaveAttribute("aria-valuenow", "0");
      return;
    }
    await expect(page.getByRole("alert")).toContainText("Room runs short. Remove archives that you do not need.");
    expect(Number(await meter.getAttribute("aria-valuenow"))).toBeGreaterThanOrEqual(80);
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const names: string[] = [];
      for await (const name of root.keys()) names.push(name);
      for (const name of names) if (name.startsWith("filler-")) await root.removeEntry(name);
    });
    await viewer.visit(baseURL ?? "");
    await expect(meter).toBeVisible();
    await expect(page.getByText("Room runs short.")).toHaveCount(0);
  } finally {
    await small.close();
  }
});

test("an address opens again with Enter, and is kept anew where it changed", async ({ page }) => {
  let bytes = longArchive(7);
  const origin = await startOrigin((request, response) => sendArchive(bytes, request, response));
  try {
    const viewer = await start(page);
    await page.getByRole("textbox", { name: "Address of an archive" }).fill(`${origin.address}/served.warc`);
    await page.keyboard.press("Enter");
    await viewer.kept();
    await viewer.visit();
    await expect(entry(page, "served.warc")).toContainText("7 records");
    await expect(entry(page, "served.warc")).not.toContainText("file needed");
    bytes = longArchive(9);
    await entry(page, "served.warc").getByRole("button", { name: /served/ }).first().focus();
    await page.keyboard.press("Enter");
    await expect(viewer.notice).toContainText("not what it was");
    await viewer.kept();
    await expect(viewer.count).toHaveText("9");
    await viewer.visit();
    await expect(entry(page, "served.warc")).toContainText("9 records");
  } finally {
    await origin.close();
  }
});

test("a link on a first visit is kept, and so is what is opened before the library is there", async ({ page, context }) => {
  const origin = await startOrigin((request, response) => sendArchive(longArchive(11), request, response));
  try {
    const viewer = new Viewer(page);
    await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/linked.warc`)}`);
    await viewer.kept();
    await expect(viewer.count).toHaveText("11");
    const other = new Viewer(await context.newPage());
    await other.visit();
    await other.pick({ name: "early.warc.gz", bytes: smallArchive() });
    await other.kept();
  } finally {
    await origin.close();
  }
});

test("where nothing is kept yet, nothing that is opened waits for the library, and it is kept when that comes", async ({ page }) => {
  const origin = await startOrigin((request, response) => sendArchive(longArchive(11), request, response));
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(/\/shelf-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  const viewer = new Viewer(page);
  await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/linked.warc`)}`);
  await viewer.ready();
  await expect(viewer.count).toHaveText("11");
  letGo();
  await viewer.kept();
  await origin.close();
});

test("where something is kept the library starts while the viewer is still on its way", async ({ page }) => {
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.addInitScript(() => localStorage.setItem("stackroom.kept", "some"));
  await page.route(/\/index-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  const begun = page.waitForRequest(/\/owner-[^/]*\.js$/);
  await page.goto("/", { waitUntil: "commit" });
  await begun;
  letGo();
  await expect(page.getByRole("heading", { name: "Open a web archive" })).toBeVisible();
});

test("what is in the library opens without being read again", async ({ page }) => {
  const bytes = longArchive(4_000);
  let isSilent = false;
  const origin = await startOrigin((request, response) => {
    const [, start = "0", end] = /^bytes=(\d+)-(\d+)?/.exec(request.headers.range ?? "") ?? [];
    if (!isSilent || end !== undefined) return sendArchive(bytes, request, response);
    // A few records from where it is asked for, and then silence: who reads all waits for ever.
    const from = Number(start);
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Content-Range", "Content-Length": bytes.length - from };
    response.writeHead(206, { ...headers, "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    response.write(bytes.subarray(from, from + 32_768));
  });
  try {
    const viewer = await start(page);
    await page.getByRole("textbox", { name: "Address of an archive" }).fill(`${origin.address}/served.warc`);
    await page.keyboard.press("Enter");
    await viewer.kept();
    isSilent = true;
    await viewer.visit();
    await entry(page, "served.warc").getByRole("button", { name: /served/ }).first().click();
    await viewer.kept();
    await viewer.ready();
    await expect(viewer.count).toHaveText("4,000");
    await viewer.filter.fill("/item-3999");
    await viewer.openRecord("item-3999");
    await viewer.show("Text");
    await expect(viewer.panel).toContainText("item 3999");
  } finally {
    await origin.close();
  }
});

test("a signed link is not kept, and another one to the same archive opens it without reading it", async ({ page }) => {
  const bytes = longArchive(4_000);
  let asked = 0;
  const origin = await startOrigin((request, response) => {
    const signature = new URL(request.url ?? "", "http://a.test").searchParams.get("X-Amz-Signature");
    if (signature !== "first" && signature !== "second") {
      response.writeHead(403, { "Access-Control-Allow-Origin": "*" });
      response.end();
      return;
    }
    asked += 1;
    sendArchive(bytes, request, response);
  });
  try {
    const viewer = await start(page);
    const link = (signature: string): string => `${origin.address}/bucket/signed.warc?X-Amz-Credential=someone&X-Amz-Expires=60&versionId=7&X-Amz-Signature=${signature}`;
    const address = page.getByRole("textbox", { name: "Address of an archive" });
    await address.fill(link("first"));
    await page.keyboard.press("Enter");
    await viewer.kept();
    await viewer.visit();
    await expect(entry(page, "signed.warc")).toContainText("link needed");
    await entry(page, "signed.warc").getByRole("button", { name: /signed/ }).first().click();
    await expect(shelf(page).getByRole("alert")).toContainText("Open it by a fresh one");
    const before = asked;
    await address.fill(link("second"));
    await page.keyboard.press("Enter");
    await viewer.kept();
    await expect(viewer.count).toHaveText("4,000");
    expect(asked - before).toBeLessThan(4);
    await viewer.filter.fill("/item-3999");
    await viewer.openRecord("item-3999");
    await viewer.show("Text");
    await expect(viewer.panel).toContainText("item 3999");
    await viewer.visit();
    await expect(shelf(page).getByRole("listitem")).toHaveCount(1);
  } finally {
    await origin.close();
  }
});

test("an address of S3 is asked for at Amazon's, is known by it, and opens again from the library", async ({ page, context }) => {
  const bytes = Buffer.from(longArchive(4_000));
  const asked: string[] = [];
  await context.route("https://crawls.s3.amazonaws.com/**", async (route) => {
    asked.push(route.request().url());
    const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec((await route.request().headerValue("range")) ?? "") ?? [];
    const end = Math.min(bytes.length, to === "" ? bytes.length : Number(to) + 1);
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "range", "Access-Control-Expose-Headers": "Content-Range, ETag", ETag: '"one"', "Content-Range": `bytes ${from}-${end - 1}/${bytes.length}` };
    await route.fulfill({ status: 206, headers, body: bytes.subarray(Number(from), end) });
  });
  const viewer = await start(page);
  await page.getByRole("textbox", { name: "Address of an archive" }).fill("s3://crawls/2024/long crawl.warc");
  await page.keyboard.press("Enter");
  await viewer.kept();
  await expect(viewer.count).toHaveText("4,000");
  expect(new Set(asked)).toEqual(new Set(["https://crawls.s3.amazonaws.com/2024/long%20crawl.warc"]));
  expect(new URL(page.url()).searchParams.get("src")).toBe("s3://crawls/2024/long%20crawl.warc");
  await viewer.visit();
  const before = asked.length;
  await entry(page, "long crawl.warc").getByRole("button", { name: /long crawl/ }).first().click();
  await expect(viewer.count).toHaveText("4,000");
  expect(asked.length - before).toBeLessThan(4);
});

test("three tabs open the same archive, one keeps it, and all have its views", async ({ page, context }) => {
  const path = file("widely.warc.gz", widelyArchive());
  const tabs = [page, await context.newPage(), await context.newPage()];
  const viewers = await Promise.all(tabs.map(start));
  await Promise.all(viewers.map((viewer) => viewer.pick(path)));
  for (const viewer of viewers) {
    await viewer.kept();
    await viewer.list.getByRole("columnheader", { name: "URL" }).click();
    await expect(viewer.rows.first()).toContainText("other.net/page-02");
  }
  await viewers[0]?.visit();
  await expect(shelf(page).getByRole("listitem")).toHaveCount(1);
});

test("an archive has a title, tags and a note, in all tabs at once", async ({ page, context }) => {
  const viewer = await openAndKeep(page, file("small.warc.gz", smallArchive()));
  await viewer.visit();
  const second = await context.newPage();
  await start(second);
  await entry(page, "small").getByRole("button", { name: "What to do with small.warc.gz" }).click();
  await page.getByRole("menuitem", { name: "Rename, tag, note" }).click();
  const dialog = page.getByRole("dialog", { name: "About small.warc.gz" });
  await dialog.getByRole("textbox", { name: "Title" }).fill("The stack site");
  await dialog.getByRole("textbox", { name: "Tags" }).fill("site, trial , site");
  await dialog.getByRole("textbox", { name: "Note" }).fill("From the reading room");
  await dialog.getByRole("button", { name: "Save" }).click();
  for (const tab of [page, second]) {
    await expect(entry(tab, "The stack site")).toContainText("From the reading room");
    await expect(entry(tab, "The stack site").locator(".tag")).toHaveText(["site", "trial"]);
  }
});

test("an index is checked, and made again with all that was said of the archive", async ({ page }) => {
  const viewer = await openAndKeep(page, file("widely.warc.gz", widelyArchive()));
  await viewer.visit();
  const widely = entry(page, "widely.warc.gz");
  await widely.getByRole("button", { name: "What to do with widely.warc.gz" }).click();
  await page.getByRole("menuitem", { name: "Check the index" }).click();
  await expect(viewer.notice).toHaveText("The index is as it was written.");
  await widely.getByRole("button", { name: "What to do with widely.warc.gz" }).click();
  await page.getByRole("menuitem", { name: "Rename, tag, note" }).click();
  await page.getByLabel("Title").fill("Widely");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await viewer.pick(test.info().outputPath("widely.warc.gz"));
  await viewer.kept();
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: "Index again" }).click();
  await viewer.kept();
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: "Check the index" }).click();
  await expect(viewer.notice).toHaveText("The index is as it was written.");
  await viewer.visit();
  await expect(shelf(page).getByRole("listitem")).toHaveCount(1);
  await expect(entry(page, "Widely")).toContainText("63");
});

test("an archive is removed from the start page and from the open archive, after a question", async ({ page }) => {
  const path = file("small.warc.gz", smallArchive());
  const viewer = await openAndKeep(page, path);
  await page.getByRole("button", { name: "This archive is in the library" }).click();
  await page.getByRole("menuitem", { name: "Remove from the library" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByRole("button", { name: "Keep in the library" })).toBeVisible();
  await expect(viewer.count).toHaveText("16");
  await openAndKeep(page, path);
  await viewer.visit();
  await entry(page, "small").getByRole("button", { name: "What to do with small.warc.gz" }).click();
  await page.getByRole("menuitem", { name: "Remove from the library" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(entry(page, "small")).toBeVisible();
  await entry(page, "small").getByRole("button", { name: "What to do with small.warc.gz" }).click();
  await page.getByRole("menuitem", { name: "Remove from the library" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(shelf(page)).toContainText("Archives that you open are kept here");
});

test("keeping is turned off in the menu, and stays off", async ({ page }) => {
  const viewer = await start(page);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Keep what is opened in the library" }).click();
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(file("small.warc.gz", smallArchive()));
  await viewer.ready();
  await expect(page.getByRole("button", { name: "Keep in the library" })).toBeVisible();
  await viewer.visit();
  await expect(shelf(page)).toContainText("Archives that you open are kept here");
});

test("without storage or locks the viewer is as it would be without a library", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
    Object.defineProperty(Navigator.prototype, "storage", { value: undefined });
    Object.defineProperty(globalThis, "indexedDB", { value: undefined });
  });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick(file("small.warc.gz", smallArchive()));
  await viewer.ready();
  await expect(viewer.count).toHaveText("16");
  await viewer.openRecord("boxes.json");
  await expect(page.getByRole("button", { name: "Browse" })).toHaveCount(0);
  await expect(shelf(page)).toHaveCount(0);
  expect(complaints).toEqual([]);
});
