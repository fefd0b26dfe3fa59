/** Files of other formats than WARC, as people drop them on the viewer. */
import { expect, test, type Locator } from "@playwright/test";
import { allCases } from "../fixtures/cases.mjs";
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
  await expect(viewer.detail).toBeVisible();

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
