/** Archives of our own sites, made for the occasion: the boxes, and the site of many hosts as a browser saw it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boxArchive } from "../e2e/pages/boxes.mjs";
import { settled } from "../e2e/pages/likeness.mjs";
import { pages } from "../e2e/pages/manyhosts.mjs";
import { recorded, startLive } from "../e2e/pages/recorder.mjs";

const PATIENCE_MS = 15_000;

async function recordedBy(browser, live) {
  const context = await browser.newContext({ proxy: { server: live.address }, ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
    for (const { url, isLong } of pages) {
      await page.goto(url);
      if (isLong) await page.waitForFunction(() => document.title.endsWith(" done"), undefined, { timeout: PATIENCE_MS });
      await settled(page.mainFrame(), PATIENCE_MS);
    }
    return recorded(live.all());
  } finally {
    await context.close();
  }
}

/** A folder with them, their names in it with the proxy that has the site live, and how to be rid of it. */
export async function makeOwnArchives(browser) {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-own-"));
  const live = await startLive();
  writeFileSync(join(folder, "boxes.warc.gz"), boxArchive());
  writeFileSync(join(folder, "manyhosts.warc.gz"), await recordedBy(browser, live));
  return {
    folder,
    archives: [{ name: "boxes.warc.gz" }, { name: "manyhosts.warc.gz", live: live.address }],
    async close() {
      await live.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
