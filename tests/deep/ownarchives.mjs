/** Archives of our own sites, made for the occasion: the boxes, and as a browser saw them the site of many hosts and pages that use libraries. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boxArchive } from "../e2e/pages/boxes.mjs";
import { settled } from "../e2e/pages/likeness.mjs";
import { pages } from "../e2e/pages/manyhosts.mjs";
import { recorded, startLive } from "../e2e/pages/recorder.mjs";
import { libraries } from "./libraries.mjs";

const PATIENCE_MS = 15_000;
/** More than what the pages are shown at: what is further down comes with it. */
const WIDE = { width: 1600, height: 1600 };

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

/** Archives of pages that use libraries, each by itself; none where the packages cannot be had. */
async function librariesBy(browser, folder) {
  const { pages, answerOf } = libraries() ?? { pages: [] };
  const live = await startLive(answerOf);
  const archives = [];
  for (const { name, url } of pages) {
    const context = await browser.newContext({ viewport: WIDE, proxy: { server: live.address }, ignoreHTTPSErrors: true });
    try {
      live.take();
      const page = await context.newPage();
      await page.goto(url);
      await settled(page.mainFrame(), PATIENCE_MS);
      writeFileSync(join(folder, `${name}.warc.gz`), recorded(live.take()));
      archives.push({ name: `${name}.warc.gz`, live: live.address, pages: [url] });
    } finally {
      await context.close();
    }
  }
  return { archives, close: () => live.close() };
}

/** A folder with them, their names in it with the proxy that has the site live, and how to be rid of it. */
export async function makeOwnArchives(browser) {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-own-"));
  const live = await startLive();
  writeFileSync(join(folder, "boxes.warc.gz"), boxArchive());
  writeFileSync(join(folder, "manyhosts.warc.gz"), await recordedBy(browser, live));
  const used = await librariesBy(browser, folder);
  return {
    folder,
    archives: [{ name: "boxes.warc.gz" }, { name: "manyhosts.warc.gz", live: live.address }, ...used.archives],
    async close() {
      await Promise.all([live.close(), used.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
