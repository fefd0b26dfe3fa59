/** Archived pages in the viewer as built, and in ReplayWeb.page: how each is told to show one, and where in it that is. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { at } from "../../web/build/place.mjs";
import { hostFolder } from "../bench/hosting.mjs";
import { replayWebPage } from "../bench/peers.mjs";

/** A host as labels spell it, without the secret at their end. */
const hostOf = (label) => label.replace(/-[a-z2-7]{6}$/, "").replace(/-p(\d+)$/, ":$1").replace(/--|-/g, (dashes) => (dashes === "-" ? "." : "-"));

/** Each: `link` to a URL at a time in an archive, whether an address `isIt`, and the URL that it stands for, without scheme. */
export const programs = {
  async stackroom() {
    const { startServer } = await import(pathToFileURL(join(at("dist/serve"), "server.js")).href);
    const server = await startServer({ root: at("dist/app"), port: 0 });
    const address = /^http:\/\/([\w-]+-[a-z2-7]{6})\.localhost:\d+(\/.*)$/s;
    return {
      link: (archive, url, ts) => `${server.url}#archive=${encodeURIComponent(archive)}&url=${encodeURIComponent(url)}&ts=${ts}`,
      isIt: (url) => address.test(url) && !url.includes("/.wa/") && !url.includes("//probe-"),
      archived: (url) => url.replace(address, (_, label, rest) => hostOf(label) + rest),
      close: () => server.close(),
    };
  },
  /** Undefined where it cannot be had. */
  async replaywebpage() {
    const folder = replayWebPage();
    if (!folder) return undefined;
    const host = await hostFolder(folder);
    const address = /^http:\/\/localhost:\d+\/w\/[^/]+\/\d*\w\w_\/(?:https?:)?\/\//;
    return {
      link: (archive, url, ts) => `${host.url}?source=${encodeURIComponent(archive)}#view=resources&url=${encodeURIComponent(url)}&ts=${ts}`,
      isIt: (url) => /\/w\/[^/]+\/\d*mp_\//.test(url),
      archived: (url) => url.replace(address, ""),
      close: () => host.close(),
    };
  },
};

/** The frame that the archived page is in, once it is there. */
export async function frameOf(page, { isIt }, patience) {
  for (const end = performance.now() + patience; performance.now() < end; await pause(50)) {
    for (const frame of page.frames()) {
      if (frame === page.mainFrame() || !isIt(frame.url())) continue;
      // The page that stands in until there is a service worker has this title.
      const isThere = await frame.evaluate(() => document.title !== "Stackroom" && document.documentElement !== null).catch(() => false);
      if (isThere) return frame;
    }
  }
  throw new Error("the page does not come");
}
