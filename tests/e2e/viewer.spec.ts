/** The viewer from the outside: every way in, the list, the filter, the record and its views, what goes out, what goes wrong. */
import { readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { concat } from "../fixtures/warc.js";
import { cutArchive, json, longArchive, smallArchive } from "./archives.js";
import { Viewer, keepCopies, keepNothing, keepSaves, sendArchive, startOrigin } from "./viewer.js";

const small = { name: "small.warc.gz", bytes: smallArchive() };

async function openSmall(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick(small);
  await viewer.ready();
  return viewer;
}

test.describe("ways in", () => {
  test("the start page says what it is and that nothing is uploaded", async ({ page }) => {
    await new Viewer(page).visit();
    await expect(page.getByRole("heading", { name: "Open a web archive" })).toBeVisible();
    await expect(page.getByText("Nothing is uploaded.")).toBeVisible();
  });

  test("the sample archive is one click away", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await page.getByRole("button", { name: "Open the sample archive" }).click();
    await viewer.ready();
    expect(await viewer.rows.count()).toBeGreaterThan(10);
    await expect(viewer.status).toContainText("No problems");
    expect(new URL(page.url()).searchParams.get("src")).toContain("sample.warc.gz");
  });

  test("a picked file is listed and ready for the keyboard", async ({ page }) => {
    const viewer = await openSmall(page);
    await expect(viewer.count).toHaveText("16");
    await expect(viewer.list).toBeFocused();
    await expect(viewer.list).toHaveAttribute("aria-rowcount", "17");
    await expect(viewer.row("map.png")).toContainText("image/png");
    await expect(viewer.row("gone")).toContainText("404");
  });

  test("a dropped file opens, wherever it falls", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.drop([small]);
    await viewer.ready();
    await expect(viewer.count).toHaveText("16");
  });

  test("an address opens from another origin, and the address bar carries it", async ({ page }) => {
    const origin = await startOrigin((request, response) => sendArchive(small.bytes, request, response));
    try {
      const viewer = new Viewer(page);
      await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/small.warc.gz`)}`);
      await viewer.ready();
      await expect(viewer.count).toHaveText("16");
      await viewer.openRecord("boxes.json");
      await viewer.show("Text");
      await expect(viewer.panel).toContainText("Catalogue");

      await viewer.visit();
      await page.getByRole("textbox", { name: "Address of an archive" }).fill(`${origin.address}/again.warc.gz`);
      await page.keyboard.press("Enter");
      await viewer.ready();
      expect(new URL(page.url()).searchParams.get("src")).toBe(`${origin.address}/again.warc.gz`);
      await page.goBack();
      await expect(page.getByRole("heading", { name: "Open a web archive" })).toBeVisible();
    } finally {
      await origin.close();
    }
  });

  test("a new archive replaces the open one", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("map.png");
    await viewer.drop([{ name: "long.warc", bytes: longArchive(30) }]);
    await viewer.ready();
    await expect(viewer.count).toHaveText("30");
    await expect(viewer.detail).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Archive: long.warc" })).toBeVisible();
  });
});

test.describe("what goes wrong", () => {
  const refused = (page: Page) => page.getByRole("alert");

  test("a text file with the name of an archive is refused in plain words", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.pick({ name: "list.warc.gz", bytes: Buffer.from("milk, bread and lamp oil\n".repeat(40)) });
    await expect(refused(page)).toContainText("This is not a web archive");
    await expect(refused(page)).toContainText("open/not-an-archive");
    await viewer.pick(small);
    await viewer.ready();
  });

  test("an empty file is refused as such", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.pick({ name: "empty.warc", bytes: new Uint8Array() });
    await expect(refused(page)).toContainText("This file is empty");
  });

  test("an address with nothing behind it says so, and keeps the link", async ({ page }) => {
    await new Viewer(page).visit("/?src=./nothing-here.warc.gz");
    await expect(refused(page)).toContainText("There is no file at this address");
    expect(page.url()).toContain("nothing-here");
  });

  test("a server that does not share its files is told apart", async ({ page }) => {
    const origin = await startOrigin((_, response) => void response.end("closed to others"));
    try {
      await new Viewer(page).visit(`/?src=${encodeURIComponent(`${origin.address}/private.warc.gz`)}`);
      await expect(refused(page)).toContainText("The address cannot be read from here");
    } finally {
      await origin.close();
    }
  });

  for (const address of ["javascript:globalThis.pwned=1", "data:text/html,x", "file:///etc/hostname", "http://"]) {
    test(`${address} is no address of an archive`, async ({ page }) => {
      await new Viewer(page).visit(`/?src=${encodeURIComponent(address)}`);
      await expect(refused(page)).toContainText("This address cannot be opened");
      expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
    });
  }

  test("a file that was cut off shows what it has and says where it breaks", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.pick({ name: "cut.warc.gz", bytes: cutArchive() });
    await viewer.ready();
    await expect(viewer.row("boxes.json")).toBeVisible();
    const problems = page.getByRole("button", { name: /^\d+ problems?/ });
    await expect(problems).toContainText(/at byte [\d,.]+: \w+/);
    await problems.click();
    const panel = page.locator("stackroom-problems");
    await expect(panel.getByRole("heading", { name: "Problems in this archive" })).toBeVisible();
    await expect(panel.locator("tbody tr").last()).toContainText(/(gzip|warc)\/truncated/);
    await page.keyboard.press("Escape");
    await expect(panel).toHaveCount(0);
  });

  test("cancelled half-way, it leaves nothing behind and says so", async ({ page }) => {
    const bytes = longArchive(4_000);
    const origin = await startOrigin((_, response) => {
      response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Length": bytes.length });
      // Half of it, and then silence.
      response.write(bytes.subarray(0, bytes.length / 2));
    });
    try {
      const viewer = new Viewer(page);
      await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/slow.warc`)}`);
      await expect(viewer.status).toContainText("Reading");
      await expect(viewer.row("item-3")).toBeVisible();
      await viewer.filter.fill("item-19");
      await expect(viewer.count).toContainText("still looking");
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(page.getByRole("status").filter({ hasText: "Stopped reading slow.warc. Nothing of it was kept." })).toBeVisible();
      await expect(viewer.list).toHaveCount(0);
      expect(page.url()).not.toContain("slow.warc");
      await expect.poll(() => origin.dropped).toEqual(origin.asked);
      // That of the library stays.
      await viewer.hasLibrary();
      await expect.poll(() => page.workers().filter((worker) => !worker.url().includes("/owner-")).length).toBe(0);
      await expect(page.locator("stackroom-shelf")).toContainText("Archives that you open are kept here");
      // The viewer itself may be kept by now, to open without its server.
      const kept = await page.evaluate(async () => [localStorage.length, (await caches.keys()).filter((name) => !name.startsWith("stackroom shell ")).length]);
      expect(kept).toEqual([0, 0]);
      await viewer.pick(small);
      await viewer.ready();
      await expect(viewer.count).toHaveText("16");
    } finally {
      await origin.close();
    }
  });

  test("a connection that breaks half-way leaves what was read, and says so", async ({ page }) => {
    test.slow();
    const bytes = longArchive(4_000);
    const origin = await startOrigin((request, response) => {
      // Taking up again where it broke fails as well.
      if (/^bytes=[1-9]/.test(request.headers.range ?? "")) return void response.destroy();
      response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Length": bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => setTimeout(() => response.destroy(), 500));
    });
    try {
      const viewer = new Viewer(page);
      await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/broken.warc`)}`);
      await expect(viewer.status).toContainText("Stopped at", { timeout: 60_000 });
      await expect(viewer.status).toContainText("source/interrupted");
      // All that came before the break is there, to the last record of it.
      const kept = Number((await viewer.count.innerText()).replaceAll(",", ""));
      expect(kept).toBeGreaterThan(1_500);
      await viewer.list.press("End");
      await expect(viewer.row(`item-${kept - 1}`)).toBeVisible();
    } finally {
      await origin.close();
    }
  });
});

test.describe("list and filter", () => {
  test("without a library the field finds by any part of the URL, in any case, and clears", async ({ page }) => {
    await keepNothing(page);
    const viewer = await openSmall(page);
    await page.keyboard.press("/");
    await expect(viewer.filter).toBeFocused();
    await page.keyboard.type("BOXES");
    await expect(viewer.count).toHaveText("2 of 16 records");
    await expect(viewer.rows).toHaveCount(2);
    await page.keyboard.press("Enter");
    await expect(viewer.list).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(viewer.count).toHaveText("16");
    await viewer.filter.fill("no such thing");
    await expect(page.getByText('No URL contains "no such thing".')).toBeVisible();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect(viewer.count).toHaveText("16");
  });

  test("the filter reaches records that are not loaded", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.pick({ name: "long.warc", bytes: longArchive(6_000) });
    await viewer.ready();
    await viewer.filter.fill("/item-5999");
    await expect(viewer.count).toHaveText("1 of 6,000 records");
    await expect(viewer.row("item-5999")).toBeVisible();
    // Clearing it stays at the record that was found.
    await viewer.row("item-5999").click();
    await viewer.filter.fill("");
    await expect(viewer.count).toHaveText("6,000");
    await expect(viewer.row("item-5999")).toBeVisible();
    await expect(viewer.row("item-5998")).toBeVisible();
  });

  test("every row can be reached by wheel and keys", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    await viewer.pick({ name: "long.warc", bytes: longArchive(6_000) });
    await viewer.ready();
    await viewer.list.hover();
    await page.mouse.wheel(0, 28_000);
    await expect(viewer.row("item-1001")).toBeVisible();
    await viewer.list.press("End");
    await expect.poll(() => viewer.activeRow()).toContain("item-5999");
    await viewer.list.press("k");
    await expect.poll(() => viewer.activeRow()).toContain("item-5998");
    await viewer.list.press("Home");
    await viewer.list.press("j");
    await expect.poll(() => viewer.activeRow()).toContain("item-1");
    await viewer.list.press("PageDown");
    await viewer.list.press("PageUp");
    await expect.poll(() => viewer.activeRow()).toContain("item-1");
  });
});

test.describe("a record", () => {
  test("headers are shown as the record has them", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("latin.txt");
    await viewer.show("Headers");
    const warc = page.getByRole("table", { name: "WARC headers" });
    await expect(warc.getByRole("row", { name: /WARC-Target-URI/ })).toContainText("https://stack.example/latin.txt");
    const http = page.getByRole("table", { name: "HTTP headers" });
    await expect(http.getByRole("row", { name: /Content-Type/ })).toContainText("text/plain; charset=windows-1252");
  });

  test("text is decoded as stated, and otherwise on demand", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("latin.txt");
    await viewer.show("Text");
    await expect(viewer.panel.locator("pre").first()).toHaveText("Caf\u00e9 open\n", { useInnerText: false });
    await viewer.panel.getByLabel("Character set").selectOption("koi8-r");
    await expect(viewer.panel.locator("pre").first()).toContainText("Caf\u0418 open");
  });

  test("a long text comes in steps", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("long.js");
    await viewer.show("Text");
    await viewer.panel.getByRole("button", { name: /more$/ }).click();
    await expect(viewer.panel.getByRole("button", { name: /more$/ })).toHaveCount(0);
    const length = () => viewer.panel.locator("#text").evaluate((box) => box.textContent?.length);
    await expect.poll(length).toBe(8 * 220_000);
  });

  test("a picture is drawn from its own bytes", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("map.png");
    const image = viewer.panel.getByRole("img", { name: "The archived image" });
    await expect(image).toBeVisible();
    await expect(viewer.panel).toContainText("PNG image, 40 \u00d7 30 pixels");
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(40);
    expect(await image.getAttribute("src")).toMatch(/^blob:/);
  });

  test("JSON unfolds, in ranges where it is long, with numbers as they are written", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("boxes.json");
    await viewer.show("JSON");
    const tree = page.getByRole("tree");
    await expect(tree).toContainText("12345678901234567890");
    await tree.getByRole("treeitem", { name: /boxes:/ }).click();
    await tree.getByRole("treeitem", { name: /200 \u2013 249/ }).click();
    await tree.getByRole("treeitem", { name: /249:/ }).focus();
    await page.keyboard.press("ArrowRight");
    await expect(tree).toContainText("Box 249");
  });

  test("hex pages through the bytes", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("bytes.bin");
    await viewer.show("Hex");
    await expect(viewer.panel).toContainText("00 07 0e 15");
    await viewer.panel.getByRole("button", { name: "Next 64 KiB" }).click();
    await viewer.panel.getByRole("button", { name: "Next 64 KiB" }).click();
    await expect(viewer.panel).toContainText("Bytes 131,072 to 149,999");
    await expect(viewer.panel).toContainText("00020000");
    await expect(viewer.panel.getByRole("button", { name: "Next 64 KiB" })).toBeDisabled();
    await viewer.panel.getByLabel("Bytes of").selectOption("raw record");
    await expect(viewer.panel).toContainText("WARC/1.1");
  });

  test("a revisit says why it has no body", async ({ page }) => {
    const viewer = await openSmall(page);
    await viewer.openRecord("revisit");
    await expect(viewer.panel).toContainText("not stored again");
  });

  test("copies are exact", async ({ page }) => {
    const copies = await keepCopies(page);
    const viewer = await openSmall(page);
    await viewer.openRecord("boxes.json");
    await viewer.choose("Copy", "Copy URL");
    await expect(viewer.notice).toContainText("URL copied.");
    await viewer.choose("Copy", "Copy headers");
    await expect(viewer.notice).toContainText("Headers copied.");
    await viewer.choose("Copy", "Copy body as text");
    await expect(viewer.notice).toContainText("Text copied.");
    const [url, headers, text] = await copies();
    expect(url).toBe("https://stack.example/api/boxes.json");
    expect(headers).toMatch(/^WARC\/1\.1\nWARC-Type: response\n[^]*\n\nHTTP\/1\.1 200 OK\n[^]*Content-Type: application\/json/);
    expect(text).toBe(json);
  });

  test("what is saved is what was archived, and nothing that a browser would run", async ({ page, context, browserName }) => {
    const saves = await keepSaves(page);
    const viewer = await openSmall(page);
    await viewer.openRecord("boxes.json");
    await viewer.choose("Save", /Save payload/);
    await expect(viewer.notice).toContainText("Saved boxes.json.");
    await viewer.choose("Save", /Save raw record/);
    await expect(viewer.notice).toContainText(/Saved record-\d+\.warc\./);
    const [body, raw] = await saves();
    expect(body).toEqual({ name: "boxes.json", type: "application/octet-stream", text: json });
    expect(raw?.type).toBe("application/octet-stream");
    expect(raw?.text).toMatch(/^WARC\/1\.1\r\n/);
    expect(raw?.text).toContain(json);

    // A stock Firefox tells its driver nothing of downloads, so the file itself is looked at in the other one.
    if (browserName === "firefox") return;
    const other = await openSmall(await context.newPage());
    await other.openRecord("boxes.json");
    const [file] = await Promise.all([other.page.waitForEvent("download"), other.choose("Save", /Save payload/)]);
    expect(file.suggestedFilename()).toBe("boxes.json");
    expect(readFileSync(await file.path(), "utf8")).toBe(json);
  });
});

test.describe("hands and eyes", () => {
  test("everything can be done from the keyboard", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    const sample = page.getByRole("button", { name: "Open the sample archive" });
    for (let step = 0; step < 12 && !(await sample.evaluate((element) => element.matches(":focus"))); step += 1) await page.keyboard.press("Tab");
    await expect(sample).toBeFocused();
    await page.keyboard.press("Enter");
    await viewer.ready();
    await expect(viewer.list).toBeFocused();

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(viewer.detail).toBeVisible();
    await expect(viewer.list).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(viewer.tab("Preview")).toBeFocused();
    await page.keyboard.press("ArrowRight");
    await expect(viewer.tab("Headers")).toBeFocused();
    await expect(page.getByRole("table", { name: "WARC headers" })).toBeVisible();

    await page.keyboard.press("F6");
    await expect(viewer.list).toBeFocused();
    const before = await viewer.detail.getByRole("heading").first().innerText();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(viewer.detail.getByRole("heading").first()).not.toHaveText(before);

    const divider = page.getByRole("separator");
    await divider.focus();
    const share = Number(await divider.getAttribute("aria-valuenow"));
    await page.keyboard.press("ArrowLeft");
    await expect(divider).toHaveAttribute("aria-valuenow", String(share - 2));

    await page.keyboard.press("Escape");
    await expect(viewer.detail).toHaveCount(0);
    await expect(viewer.list).toBeFocused();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(help).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(help).toBeHidden();

    await page.getByRole("button", { name: "Menu" }).focus();
    await page.keyboard.press("Enter");
    const items = page.getByRole("menuitem");
    await expect(items.filter({ hasText: "Open another archive" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(items.filter({ hasText: "folder" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(items.filter({ hasText: "Keyboard shortcuts" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "Menu" })).toBeFocused();

    const menu = page.getByRole("button", { name: /^Archive: / });
    await menu.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: "About this archive" }).first()).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(menu).toBeFocused();
  });

  test("Ctrl-O asks for a file", async ({ page }) => {
    await new Viewer(page).visit();
    await page.evaluate(() => {
      // Some browsers have a picker that a test cannot see.
      Object.assign(globalThis, { showOpenFilePicker: undefined });
      HTMLInputElement.prototype.click = function () {
        document.title = `asked for ${this.type}`;
      };
    });
    await page.keyboard.press("Control+o");
    await expect(page).toHaveTitle("asked for file");
  });

  test("light and dark are both chosen and kept", async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    const brightness = () =>
      page.evaluate(() => {
        const [red = 0, green = 0, blue = 0] = (getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
        return (red + green + blue) / 3;
      });
    const choose = async (theme: string) => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("menuitemradio", { name: theme }).click();
    };
    await choose("Dark");
    expect(await brightness()).toBeLessThan(60);
    await page.reload();
    expect(await brightness()).toBeLessThan(60);
    await choose("Light");
    expect(await brightness()).toBeGreaterThan(220);
    await choose("As the system");
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  test("a small screen shows one pane at a time", async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    const viewer = await openSmall(page);
    await viewer.row("map.png").click();
    await expect(viewer.detail).toBeVisible();
    await expect(viewer.list).toBeHidden();
    await page.getByRole("button", { name: "Back to the list" }).click();
    await expect(viewer.list).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

test("a part of the viewer that cannot be fetched is said to lack", async ({ page }) => {
  // What is kept for when the network is gone would be there all the same.
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  const viewer = await openSmall(page);
  const lack = page.getByText("This part of the viewer could not be loaded");
  await page.route(/\/(?:dialog|dialogs|view)-[^/]*\.js$/, (route) => route.abort());
  await page.keyboard.press("?");
  await expect(lack).toBeVisible();
  await expect(lack).toBeHidden({ timeout: 10_000 });
  await viewer.list.press("s");
  await expect(lack).toBeVisible();
  await expect(viewer.list).toBeVisible();
});

test("bytes that are no record are told and passed over", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "junk.warc", bytes: concat(longArchive(3), "not a record at all\r\n", longArchive(3)) });
  await viewer.ready();
  await expect(page.getByRole("button", { name: /^\d+ problems?/ })).toBeVisible();
  await expect(viewer.row("item-2")).toBeVisible();
});
