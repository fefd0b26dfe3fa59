/** Boxes that archives are known to leave empty: in replay each is filled. */
import { expect, test } from "@playwright/test";
import { boxArchive, boxNames, boxPage } from "./pages/boxes.mjs";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { openViewer, show } from "./pages/replayviewer.js";

declare const judged: () => Promise<boolean[]>;

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

test("every box of the acid test and of the reconstruction test is filled", async ({ page }) => {
  const host = await startReplayHost({ archives: { "boxes.warc.gz": boxArchive() } });
  try {
    await openViewer(page, host, "boxes.warc.gz");
    const frame = await show(page, boxPage, ".box");
    await frame.waitForFunction(() => "judged" in globalThis);
    await expect.poll(async () => {
      const filled = await frame.evaluate(() => judged());
      return boxNames.filter((_, n) => !filled[n]);
    }).toEqual([]);
    expect(boxNames.length).toBe(31);
  } finally {
    await host.close();
  }
});
