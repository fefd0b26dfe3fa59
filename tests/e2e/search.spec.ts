/** Searching: typed, completed, narrowed down, opened at the place, kept, linked, saved, in one archive and in all. */
import { expect, test, type Locator, type Page } from "@playwright/test";
import { bodiesArchive, pdfArchive, searchedArchive } from "./archives.js";
import { faults } from "./faults.js";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { keepSaves, sendArchive, startOrigin, Viewer } from "./viewer.js";

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

const notes = { name: "notes.warc.gz", bytes: searchedArchive() };
const list = (page: Page): Locator => page.getByRole("listbox", { name: "What was found" });
const hits = (page: Page): Locator => list(page).getByRole("option");
const count = (page: Page): Locator => page.getByTestId("hits");
const suggestions = (page: Page): Locator => page.getByRole("listbox", { name: "Completions and searches" }).getByRole("option");
const facet = (page: Page, name: RegExp | string): Locator => page.locator("stackroom-facets").getByRole("button", { name, exact: typeof name === "string" });
const field = (page: Page): Locator => page.getByRole("combobox", { name: "Search text, fields and URLs" });

/** Waits until all that the pages say can be searched. */
async function searchable(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Pages 61" })).toBeVisible({ timeout: 60_000 });
}

async function open(page: Page): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(notes);
  await viewer.kept();
  await searchable(page);
  return viewer;
}

async function search(page: Page, query: string, found: string): Promise<void> {
  await field(page).fill(query);
  await expect(count(page)).toContainText(found);
}

test("what is typed is searched for: titles, passages and dates, with its words marked", async ({ page }) => {
  await open(page);
  await search(page, "harbour", "16 hits in");
  await expect(hits(page).first()).toContainText("Notes on the harbour");
  await expect(hits(page).first().locator("mark").first()).toHaveText(/harbour/i);
  await expect(hits(page).first()).toContainText(/20\d\d-\d\d-\d\d/);
  await search(page, "harbour ledger", "16 hits in");
  await search(page, '"ledger of the council"', "15 hits in");
  await search(page, "quay*", "1 hit in");
  await expect(hits(page).first()).toContainText("quayside");
  await search(page, "body:/ledger of (the )?c\\w+/", "15 hits in");
  await expect(hits(page).first().locator("mark").first()).toHaveText("ledger of the council");
  await search(page, "nothing-of-that", "0 hits in");
  await expect(page.getByText("Nothing was found for nothing-of-that")).toBeVisible();
  // A piece of a URL lists records, as ever.
  const viewer = new Viewer(page);
  await field(page).fill("/notes-1");
  await expect(viewer.count).toHaveText("11 of 63 records");
  await field(page).fill("");
  await expect(page.getByRole("button", { name: /^Hits/ })).toHaveCount(0);
  await expect.poll(() => viewer.list.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
});

test("a hit is opened at its place, with all places marked, in the archived page and as text", async ({ page }) => {
  const viewer = await open(page);
  await search(page, "ledger council", "15 hits in");
  await hits(page).first().click();
  const archived = page.locator("stackroom-replay");
  await expect(archived).toContainText(/place 1 of \d+/);
  await archived.getByRole("button", { name: "Next place" }).click();
  await expect(archived).toContainText(/place 2 of \d+/);
  await archived.getByRole("button", { name: "As text" }).click();
  await expect(viewer.tab("Page")).toHaveAttribute("aria-selected", "true");
  const marks = viewer.panel.locator("mark");
  await expect(marks.first()).toHaveText("council");
  const total = await marks.count();
  expect(total).toBeGreaterThan(40);
  await expect(viewer.panel).toContainText(`1 of ${total}`);
  await list(page).focus();
  await page.keyboard.press("n");
  await expect(viewer.panel).toContainText(`2 of ${total}`);
  await page.keyboard.press("Shift+N");
  await page.keyboard.press("Shift+F3");
  await expect(viewer.panel).toContainText(`${total} of ${total}`);
  // The last one lies below what is shown of the text at first, and is gone to.
  await expect(viewer.panel.locator("mark.here")).toBeInViewport();
});

test("what an expression matches is marked wherever it is in the text", async ({ page }) => {
  const viewer = await open(page);
  // Lines 30 to 39 of 40, each with a text of its own, of which passages show a few.
  await search(page, "body:/ine 3\\d of the coun/", "15 hits in");
  await expect(hits(page).first().locator("mark").first()).toHaveText("ine 30 of the coun");
  await hits(page).first().click();
  const archived = page.locator("stackroom-replay");
  await expect(archived).toContainText("place 1 of 10");
  await archived.getByRole("button", { name: "As text" }).click();
  await expect(viewer.panel.locator("mark")).toHaveText(Array.from({ length: 10 }, (_, n) => `ine ${30 + n} of the coun`));
});

test("values narrow hits down: only these, all again, none of these", async ({ page }) => {
  await open(page);
  await search(page, "harbour", "16 hits in");
  await facet(page, /^a\.example\.org/).click();
  await expect(field(page)).toHaveValue("harbour host:a.example.org");
  await expect(count(page)).toContainText("11 hits in");
  await expect(facet(page, /^a\.example\.org/)).toHaveAttribute("aria-pressed", "true");
  await facet(page, /^a\.example\.org/).click();
  await expect(count(page)).toContainText("16 hits in");
  await facet(page, /^a\.example\.org/).click({ modifiers: ["Alt"] });
  await expect(field(page)).toHaveValue("harbour -host:a.example.org");
  await expect(count(page)).toContainText("5 hits in");
  await facet(page, "None of a.example.org").click();
  await facet(page, /^German/).click();
  await expect(field(page)).toHaveValue("harbour lang:de");
  await expect(count(page)).toContainText("3 hits in");
});

test("times are selected among the hits, with keys and with the mouse", async ({ page }) => {
  await open(page);
  await search(page, "weather", "15 hits in");
  const bars = page.getByRole("listbox", { name: /^Hits over time/ });
  await expect(bars.getByRole("option")).toHaveCount(5);
  await bars.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue(/^weather date:201\d\.\.201\d$/);
  await page.getByRole("button", { name: "All times" }).click();
  await expect(field(page)).toHaveValue("weather");
  await expect(count(page)).toContainText("15 hits in");
  const box = await bars.getByRole("option").first().boundingBox();
  if (box === null) throw new Error("no bar");
  await page.mouse.move(box.x + 3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 6, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(field(page)).toHaveValue(/^weather date:2011\.\.2012$/);
});

test("columns, values and URLs are completed", async ({ page }) => {
  await open(page);
  await field(page).focus();
  await page.keyboard.type("harbour ho");
  await expect(suggestions(page)).toHaveText([/host:/]);
  await page.keyboard.press("ArrowDown");
  await expect(field(page)).toHaveAttribute("aria-activedescendant", "suggestion-0");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("harbour host:");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(suggestions(page)).toHaveText([/a\.example\.org\s*11/, /b\.example\.org\s*5/]);
  await page.keyboard.type("b");
  await expect(suggestions(page)).toHaveText([/b\.example\.org/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await expect(field(page)).toHaveValue("harbour host:b.example.org ");
  await expect(count(page)).toContainText("5 hits in");
  await field(page).fill("a.example.org/quay");
  await expect(suggestions(page)).toHaveText(["https://a.example.org/quay.html"]);
});

test("a URL opens the capture that the archive has", async ({ page }) => {
  const viewer = await open(page);
  await field(page).fill("a.example.org/quay.html");
  await page.keyboard.press("Enter");
  await expect(viewer.detail).toContainText("https://a.example.org/quay.html");
});

test("what is wrong with a query is said below the place where it is", async ({ page }) => {
  await open(page);
  await field(page).fill("harbour status:abc");
  const wrong = page.getByRole("alert").filter({ hasText: "The query is not understood" });
  await expect(wrong).toBeVisible();
  await expect(field(page)).toHaveAttribute("aria-invalid", "true");
  const mark = await wrong.locator("i").boundingBox();
  const box = await field(page).boundingBox();
  expect((mark?.x ?? 0) - (box?.x ?? 0)).toBeGreaterThan(60);
  await field(page).fill("harbour status:404");
  await expect(wrong).toHaveCount(0);
});

test("searches are remembered, kept and forgotten", async ({ page }) => {
  await open(page);
  await search(page, "lighthouse", "14 hits in");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Keep this search" }).click();
  await search(page, "weather", "15 hits in");
  await page.keyboard.press("Enter");
  await expect(list(page)).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await field(page).fill("");
  await expect(suggestions(page)).toHaveText([/lighthouse/, /weather/]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(count(page)).toContainText("14 hits in");
  await expect(field(page)).toHaveValue("lighthouse");
  await page.keyboard.press("/");
  await field(page).fill("");
  await expect(suggestions(page)).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Delete");
  await expect(suggestions(page)).toHaveText([/weather/]);
});

test("the address says what is searched for, and steps go back and forth", async ({ page }) => {
  const origin = await startOrigin((request, response) => sendArchive(notes.bytes, request, response));
  const archive = encodeURIComponent(`${origin.address}/notes.warc.gz`);
  await page.goto(`/#archive=${archive}&search=${encodeURIComponent("harbour host:a.example.org")}`);
  await expect(count(page)).toContainText("11 hits in", { timeout: 60_000 });
  await expect(field(page)).toHaveValue("harbour host:a.example.org");
  await facet(page, /^a\.example\.org/).click();
  await expect(count(page)).toContainText("16 hits in");
  expect(new URL(page.url()).hash).toContain("search=harbour");
  await page.goBack();
  await expect(field(page)).toHaveValue("harbour host:a.example.org");
  await expect(count(page)).toContainText("11 hits in");
  await page.goForward();
  await expect(field(page)).toHaveValue("harbour");
  await page.reload();
  await expect(count(page)).toContainText("16 hits in", { timeout: 60_000 });
  await origin.close();
});

test("orders, and hits that are alike folded", async ({ page }) => {
  await open(page);
  await search(page, "harbour", "16 hits in");
  await page.getByRole("combobox", { name: "Order of the hits" }).selectOption("Latest first");
  await expect(hits(page).first()).toContainText("2016-01-02");
  await page.getByRole("combobox", { name: "Fold hits that are alike" }).selectOption("One for each host");
  await expect(hits(page)).toHaveCount(2);
  await expect(hits(page).first()).toContainText("+10 the same");
  await page.getByRole("button", { name: "How it was found" }).click();
  await expect(page.getByRole("dialog", { name: "How it was found" }).getByRole("row")).not.toHaveCount(0);
});

test("what was found is saved: exactly these records", async ({ page }) => {
  await page.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
  const saves = await keepSaves(page);
  await open(page);
  await search(page, "harbour host:b.example.org", "5 hits in");
  for (const [form, name] of [["CSV table", "notes-part.csv"], ["JSON", "notes-part.json"], ["WARC", "notes-part.warc"]] as const) {
    await page.getByRole("button", { name: "Save what was found" }).click();
    const dialog = page.getByRole("dialog", { name: "Save records" });
    await expect(dialog).toContainText("All that are listed (5)");
    await dialog.getByRole("radio", { name: form, exact: false }).and(dialog.locator(`[value="${name.split(".").at(-1)}"]`)).check();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await expect(dialog).toHaveCount(0);
  }
  const [csv, json, warc] = await saves();
  expect(csv?.text.trim().split("\n")).toHaveLength(6);
  const rows = JSON.parse(json?.text ?? "") as { url: string }[];
  expect(rows).toHaveLength(5);
  expect(rows.every(({ url }) => url.startsWith("https://b.example.org/"))).toBe(true);
  expect(warc?.text.match(/^WARC\/1\.\d\r$/gm)).toHaveLength(5);
});

test("while it goes on hits come, and it can be stopped and gone on with", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("stackroom.facets", "on"));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  // A search that takes as long as this test likes.
  await page.evaluate(() => {
    type Found = Record<string, unknown>;
    type Index = { search(asked: object): Promise<Found> };
    const { library } = (document.querySelector("stackroom-app") as unknown as { store: { library: { library: { index(id: number): Index } } } }).store.library;
    const { index } = library;
    const slow = { isSlow: true, searched: 20 };
    Object.assign(globalThis, { slow });
    library.index = (id) => {
      const real = index.call(library, id);
      const search = real.search.bind(real);
      real.search = async (asked) => {
        const found = await search(asked);
        await new Promise((resolve) => setTimeout(resolve, 60));
        return slow.isSlow ? { ...found, isDone: false, read: 3, toRead: 9, facets: [] } : found;
      };
      return real;
    };
  });
  await viewer.pick(notes);
  await viewer.kept();
  await searchable(page);
  await field(page).fill("body:/ledger of the \\w+/");
  await expect(count(page)).toContainText("so far");
  await expect(count(page)).toContainText("read: 3 of 9");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(count(page)).toContainText("Stopped: there may be more.");
  await page.evaluate(() => ((globalThis as unknown as { slow: { isSlow: boolean } }).slow.isSlow = false));
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(count(page)).toContainText("60 hits in");
  // What was stopped before it found anything may find something yet.
  await page.evaluate(() => ((globalThis as unknown as { slow: { isSlow: boolean } }).slow.isSlow = true));
  await field(page).fill("body:/ledger of no \\w+/");
  await expect(count(page)).toContainText("0 hits so far");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(count(page)).toContainText("Stopped: there may be more.");
  await expect(page.getByText("Nothing was found")).toHaveCount(0);
});

test("pages that are still to come are said to lack, and found when they are there", async ({ page }) => {
  const isBlocked = /documents_bg/;
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  await page.route(isBlocked, (route) => route.abort());
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(notes);
  await viewer.kept();
  await field(page).fill("harbour");
  await expect(page.getByText(/records \d+ can be searched/)).toBeVisible();
  await page.unroute(isBlocked);
  await page.getByRole("button", { name: "Index again" }).click();
  await expect(count(page)).toContainText("16 hits in", { timeout: 60_000 });
});

test("an archive whose pages were never read is not said to have nothing", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
  await page.route(/documents_bg/, (route) => route.abort());
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick(notes);
  await viewer.kept();
  await viewer.visit();
  await page.getByRole("textbox", { name: "Search the library" }).fill("harbour");
  await page.keyboard.press("Enter");
  const region = page.getByRole("region", { name: "notes.warc.gz" });
  await expect(region).toContainText("Of 63 records 0 can be searched. The rest is read when it is open.");
  await expect(region.getByRole("button", { name: "Open notes.warc.gz" })).toBeVisible();
});

test("a phrase in a PDF is found, and read where it stands", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick({ name: "report.warc.gz", bytes: pdfArchive() });
  await viewer.kept();
  await expect(page.getByRole("button", { name: "Pages 2" })).toBeVisible();
  await search(page, '"seawater in the cellar"', "1 hit in");
  await expect(hits(page).first()).toContainText("Report of the harbour master");
  await hits(page).first().click();
  const text = page.locator("stackroom-said");
  await expect(text).toContainText("PDF");
  await expect(text).toContainText("was seawater in the cellar again");
  await expect(text.getByRole("link", { name: "http://a.test/linked" }).or(text.getByText("http://a.test/linked"))).toBeVisible();
});

test("all of it goes by keys", async ({ page }) => {
  const viewer = await open(page);
  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("lighthouse");
  await expect(count(page)).toContainText("14 hits in");
  await page.keyboard.press("Enter");
  await expect(list(page)).toBeFocused();
  await page.keyboard.press("End");
  await expect(list(page)).toHaveAttribute("aria-activedescendant", "hit-13");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await viewer.leavePage();
  await expect(viewer.tab("Page")).toHaveAttribute("aria-selected", "true");
  await list(page).focus();
  // The next one follows while a record is open.
  await page.keyboard.press("ArrowDown");
  await expect(hits(page).nth(2)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(viewer.detail).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(field(page)).toHaveValue("");
  await expect(field(page)).toBeFocused();
});

test("all archives are searched from the start page, and a hit opens its archive", async ({ page }) => {
  const origin = await startOrigin((request, response) => sendArchive(notes.bytes, request, response));
  const viewer = new Viewer(page);
  await viewer.visit(`/?src=${encodeURIComponent(`${origin.address}/notes.warc.gz`)}`);
  await viewer.kept();
  await searchable(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await page.getByRole("textbox", { name: "Search the library" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("quayside");
  await page.keyboard.press("Enter");
  const found = page.getByRole("region", { name: "notes.warc.gz" });
  await expect(found).toContainText("1 hit");
  await expect(page.getByText("Archives searched: 1 of 1")).toBeVisible();
  expect.soft(await faults(page)).toEqual([]);
  await found.getByRole("button", { name: /quayside/ }).click();
  await expect(count(page)).toContainText("1 hit in", { timeout: 60_000 });
  await expect(page.locator("stackroom-replay, stackroom-detail").first()).toBeVisible();
  await origin.close();
});

for (const scheme of ["light", "dark"] as const) {
  test(`nobody is kept out, in ${scheme} colours, on wide screens and narrow ones`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page);
    await search(page, "harbour -host:nowhere.example", "16 hits in");
    expect.soft(await faults(page), "hits").toEqual([]);
    await field(page).fill("harbour ho");
    await expect(suggestions(page).first()).toBeVisible();
    expect.soft(await faults(page), "completions").toEqual([]);
    await field(page).fill("status:abc");
    await expect(page.getByRole("alert")).toBeVisible();
    expect.soft(await faults(page), "wrong").toEqual([]);
    await search(page, "quayside", "1 hit in");
    await hits(page).first().click();
    await page.getByRole("button", { name: "As text" }).click();
    await expect(page.getByRole("tabpanel").locator("mark").first()).toBeVisible();
    expect.soft(await faults(page), "text").toEqual([]);
    await page.setViewportSize({ width: 390, height: 780 });
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByRole("button", { name: "Narrow down" }).click();
    expect.soft(await faults(page), "narrow").toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
}

test("records are read for what only they tell: hits come, it is told how far that is, and it stops", async ({ page }) => {
  test.slow();
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  await viewer.pick({ name: "bodies.warc.gz", bytes: bodiesArchive() });
  await viewer.kept();
  await field(page).fill("heade");
  await expect(suggestions(page).first()).toContainText("header.");
  await field(page).fill("raw:/needle-\\d*5 $/");
  await expect(count(page)).toContainText(/^\s*[1-9]\d* hits? so far \u00b7 read: \d+ of 120/, { timeout: 60_000 });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(count(page)).toContainText("Stopped");
  await expect(hits(page).first()).toContainText("bodies.example.org/5.bin");
  await page.getByRole("button", { name: "Go on", exact: true }).click();
  await expect(count(page)).toContainText("12 hits in", { timeout: 60_000 });
  await page.getByRole("button", { name: "How it was found" }).click();
  await expect(page.getByRole("dialog")).toContainText("records: 120 of 120 read");
  await page.keyboard.press("Escape");
  await search(page, "header.server:nginx* url:*/1*", "3 hits in");
  await search(page, "-header.server:nginx*", "108 hits in");
  await search(page, "words or raw:/x/", "");
  await expect(page.getByText('records are read for this; expected "and"')).toBeVisible();
});
