/** The small viewer of the replay tests as the specs see it. */
import type { Frame, Page } from "@playwright/test";
import type { ReplaySetting } from "stackroom/replay";
import type { startReplayHost } from "./replayhost.mjs";

export const SALT = "k3vq7a";

export interface TestViewer {
  show(url: string): Promise<string>;
  counts(): Promise<{ ports: number; gets: number; messagesIn: number; messagesOut: number }>;
}
declare const viewer: TestViewer;

export async function openViewer(page: Page, host: Awaited<ReturnType<typeof startReplayHost>>, archive: string, setting?: ReplaySetting): Promise<void> {
  await page.goto(host.viewer(archive, SALT, setting));
  await page.waitForFunction(() => document.body.dataset["opened"]);
}

/** The frame, once the document of the archive is in it and not the boot page. */
export async function replayed(page: Page, selector: string): Promise<Frame> {
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  if (!frame) throw new Error("no frame");
  await frame.waitForSelector(`html:not(:has(title:text-is("Stackroom"))) ${selector}`, { state: "attached" });
  return frame;
}

export async function show(page: Page, url: string, selector = "body > *"): Promise<Frame> {
  await page.evaluate((wanted) => viewer.show(wanted), url);
  return replayed(page, selector);
}
