/** What somebody looks for in real archives is found: as often as other readers find it, and shown at its place. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type Frame, type Locator, type Page } from "@playwright/test";
import { having, pagesOf } from "./otherreader.js";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { sendArchive, startOrigin, Viewer } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

const corpus = process.env["STACKROOM_CORPUS"] ?? "";
const file = (path: string): string => join(corpus, "files", path);
const iana = file("pywb/iana.warc.gz");
const twitter = file("replayweb.page/netpreserve-twitter.warc");
const government = ["BL-20140325121225068-00000-32090-opera-8443.warc.gz", "BL-20140325122341434-00000-32090-opera-8443.warc.gz"].map((name) => file(`webarchive-discovery/${name}`));

const field = (page: Page): Locator => page.getByRole("combobox", { name: "Search text, fields and URLs" });
const hits = (page: Page): Locator => page.getByRole("listbox", { name: "What was found" }).getByRole("option");

async function finds(page: Page, query: string, count: number): Promise<void> {
  await field(page).fill(query);
  await expect(page.getByTestId("hits"), query).toHaveText(new RegExp(`^${count} hits? in`));
}

async function keep(page: Page, paths: string[]): Promise<void> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await page.locator("#files").setInputFiles(paths);
  await viewer.kept();
}

/** Where in the archived page the viewer has gone to, and whether that is to be seen. */
const placeIn = (frame: Frame): Promise<{ text: string; isSeen: boolean }> =>
  frame.evaluate(() => {
    const { highlights } = CSS as unknown as { highlights?: Map<string, Set<Range>> };
    const range = [...(highlights?.get("wa-here") ?? [])][0] ?? getSelection()?.getRangeAt(0);
    const box = range?.getBoundingClientRect();
    return { text: range?.toString() ?? "", isSeen: box !== undefined && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight };
  });

test.describe("researcher", () => {
  test.skip(corpus === "", "corpus not found");

  test("phrases, columns and expressions find as many pages as other readers do", async ({ page }) => {
    const pages = await pagesOf(iana);
    await keep(page, [iana]);
    for (const [phrase, count] of [["root zone", 16], ["top-level domains", 5], ["number resources", 16], ["delegation of the internet", 0]] as const) {
      expect(having(pages, phrase), phrase).toHaveLength(count);
      await finds(page, `"${phrase}"`, count);
    }
    const domains = having(pages, "root zone").filter(({ url }) => url.includes("/domains/"));
    await finds(page, '"root zone" url:*/domains/* mime:text/html', domains.length);
    const standards = pages.filter(({ words }) => / rfc ?\d{4}/.test(words));
    expect(standards).toHaveLength(6);
    await finds(page, "body:/RFC ?[0-9]{4}/", standards.length);
    await finds(page, "title:zone -title:database", pages.filter(({ title }) => /\bzone\b/i.test(title) && !/database/i.test(title)).length);

    // Two files of a crawl, the second one of revisits of the first.
    const said = [...(await pagesOf(government[0] ?? "")), ...(await pagesOf(government[1] ?? ""))];
    await keep(page, government);
    await finds(page, '"open data"', having(said, "open data").length);
    await finds(page, '"open data" url:*/blog*', having(said, "open data").filter(({ url }) => url.includes("/blog")).length);
  });

  test("values narrow it down, all archives are searched at once, and a hit is opened at its place", async ({ page }) => {
    const [named, pages] = [having(await pagesOf(twitter), "web archive"), await pagesOf(iana)];
    const origin = await startOrigin((request, response) => sendArchive(readFileSync(request.url === "/iana.warc.gz" ? iana : twitter), request, response));
    const viewer = new Viewer(page);
    const servers = having(pages, "root servers").length;
    for (const [name, phrase, count] of [["iana.warc.gz", "root servers", servers], ["twitter.warc", "web archive", named.length]] as const) {
      await viewer.visit();
      await viewer.hasLibrary();
      await page.getByRole("textbox", { name: "Address of an archive" }).fill(`${origin.address}/${name}`);
      await page.keyboard.press("Enter");
      await viewer.kept();
      await finds(page, `"${phrase}"`, count);
    }
    const hosts = page.locator("stackroom-facets").getByRole("button", { name: /^twitter\.com\s*\d/ });
    const cards = named.filter(({ url }) => new URL(url).hostname === "twitter.com").length;
    await expect(hosts).toHaveText(new RegExp(`${cards}\\s*$`));
    await hosts.click();
    await expect(field(page)).toHaveValue('"web archive" host:twitter.com');
    await expect(page.getByTestId("hits")).toHaveText(new RegExp(`^${cards} hits? in`));

    await viewer.visit();
    await page.getByRole("textbox", { name: "Search the library" }).fill('"root servers"');
    await page.keyboard.press("Enter");
    await expect(page.getByText("Archives searched: 2 of 2")).toBeVisible();
    const found = page.getByRole("region", { name: "iana.warc.gz" });
    await expect(found).toContainText(`${servers} hits`);
    await expect(page.locator("stackroom-everywhere").getByRole("region")).toHaveCount(1);
    await found.getByRole("button", { name: /Root Servers/ }).first().click();
    const archived = page.locator("stackroom-replay");
    await expect(archived).toContainText(/place 1 of \d+/, { timeout: 60_000 });
    const frame = page.frames().find((one) => new URL(one.url()).pathname === "/domains/root/servers");
    if (frame === undefined) throw new Error("no archived page");
    for (let place = 2; place < 4; place += 1) {
      await expect.poll(() => placeIn(frame)).toMatchObject({ text: expect.stringMatching(/^root\s+servers$/i), isSeen: true });
      await archived.getByRole("button", { name: "Next place" }).click();
      await expect(archived).toContainText(`place ${place} of`);
    }
    await expect(hits(page).first()).toContainText("Root Servers");
    await origin.close();
  });
});
