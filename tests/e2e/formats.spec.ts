/** Files of other formats than WARC, as people drop them on the viewer. */
import { expect, test, type Locator } from "@playwright/test";
import { allCases } from "../fixtures/cases.mjs";
import { warcGz, warcRecord } from "../fixtures/warc.mjs";
import { Viewer } from "./viewer.js";

const fixture = (name: string): { name: string; bytes: Uint8Array } => {
  const found = allCases().find((one) => one.name.endsWith(name));
  if (found === undefined) throw new Error(`there is no fixture ${name}`);
  return { name, bytes: found.bytes };
};

test("a WACZ file opens with its pages and its manifest", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.drop([fixture("deflated.wacz")]);
  await viewer.ready();
  await page.getByRole("button", { name: /^Pages/ }).click();
  await page.getByRole("list", { name: "Pages of the archive" }).getByRole("button").first().click();
  await expect(page.getByRole("region", { name: "Archived page" })).toBeVisible();

  await page.getByRole("button", { name: "Archive: deflated.wacz" }).click();
  await page.getByRole("menuitem", { name: "About this archive" }).first().click();
  await expect(page.getByRole("dialog")).toContainText("Manifest");
});

/** Opens a fixture, and the dialog about it. */
async function about(viewer: Viewer, name: string): Promise<Locator> {
  const { page } = viewer;
  await viewer.drop([fixture(name)]);
  await viewer.ready();
  await page.getByRole("button", { name: `Archive: ${name}` }).click();
  await page.getByRole("menuitem", { name: "About this archive" }).first().click();
  return page.getByRole("dialog");
}

for (const [name, verdict, words] of [
  ["signed.wacz", "The signature fits.", "since it was signed, the manifest was not changed"],
  ["signature-of-something-else.wacz", "The signature does not fit.", "one of them was changed"],
] as const) {
  test(`the signature in ${name} is verified`, async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    const dialog = await about(viewer, name);
    await expect(dialog).toContainText(verdict);
    await expect(dialog).toContainText(words);
  });
}

for (const [name, verdict, more] of [
  ["signed.wacz", "No problem was found.", /Records read: [1-9].* Digests that hold: [1-9]/],
  ["wrong-hash.wacz", "One problem was found.", "archive/data.warc.gz"],
] as const) {
  test(`every byte of ${name} is checked on demand`, async ({ page }) => {
    const viewer = new Viewer(page);
    await viewer.visit();
    const dialog = await about(viewer, name);
    await dialog.getByRole("button", { name: "Check everything" }).click();
    await expect(dialog).toContainText(verdict);
    await expect(dialog).toContainText(more);
    // Another archive was not checked yet.
    await page.keyboard.press("Escape");
    await about(viewer, "deflated.wacz");
    await expect(dialog).not.toContainText(verdict);
  });
}

/** A file of 4 MB that takes a while: each record has zeros, which are many in few bytes, and bytes that do not compress. */
function longArchive(): { name: string; bytes: Uint8Array } {
  let state = 1;
  const noise = Uint8Array.from({ length: 330_000 }, () => (state = (state * 48_271) % 0x7fff_ffff) >>> 8);
  const block = new Uint8Array(12_000_000);
  block.set(noise);
  const record = (at: number): Uint8Array => warcRecord({ type: "resource", url: `https://stack.example/${at}`, headers: { "Content-Type": "application/octet-stream" }, block });
  return { name: "long.warc.gz", bytes: warcGz(...Array.from({ length: 12 }, (_, at) => record(at))) };
}

test("a check says how much is read, and stops when asked", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  const { name, bytes } = longArchive();
  await viewer.drop([{ name, bytes }]);
  await viewer.ready();
  await page.getByRole("button", { name: `Archive: ${name}` }).click();
  await page.getByRole("menuitem", { name: "About this archive" }).first().click();
  const dialog = page.getByRole("dialog");
  const bar = dialog.getByRole("progressbar");
  /** Every state of the bar, as it is drawn; stops the check in the middle if that is asked for. */
  const watched = (mustStop: boolean): Promise<number[]> =>
    dialog.locator("stackroom-check").evaluate(async (check, stops) => {
      const part = (within: string): HTMLElement | null => check.shadowRoot?.querySelector(within) ?? null;
      const seen: number[] = [];
      part("button")?.click();
      for (let hasBegun = false; ; ) {
        await new Promise(requestAnimationFrame);
        const progress = part("progress") as HTMLProgressElement | null;
        if (progress === null && hasBegun) return seen;
        hasBegun ||= progress !== null;
        if (progress === null || progress.position <= 0) continue;
        if (seen.at(-1) !== progress.position) seen.push(progress.position);
        if (stops) part("button")?.click();
      }
    }, mustStop);
  expect(await watched(true)).not.toEqual([]);
  await expect(dialog).toContainText("Stopped before the end.");
  const parts = await watched(false);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts).toEqual([...parts].sort((one, other) => one - other));
  expect(parts.at(-1)).toBeLessThanOrEqual(1);
  await expect(dialog).toContainText("No problem was found.");
  await expect(bar).toHaveCount(0);
});

test("a file compressed with Zstandard opens with a module that only then is fetched", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.drop([fixture("binding.warc.zst")]);
  await viewer.ready();
  await expect(viewer.rows.first()).toBeVisible();
  expect(asked.filter((path) => /tools_bg.*\.wasm$/.test(path))).toHaveLength(1);
});
