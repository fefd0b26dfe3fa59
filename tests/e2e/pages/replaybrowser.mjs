// How replay is tested in each browser: the drivers' own settings would hide what users get.
import { driverOptions } from "../browser.mjs";

/**
 * Playwright turns off storage partitioning in Chromium, without which a framed site gets no service worker; the last
 * list of features wins. WebDriver turns off Firefox's speculative connections, which leak tests are about.
 * @param {"chromium" | "firefox"} name
 * @param {Record<string, string | number | boolean>} firefoxPrefs
 */
export function replayLaunch(name, firefoxPrefs = {}) {
  const { launchOptions, ...rest } = driverOptions(name);
  const channel = "channel" in rest ? { channel: rest.channel } : {};
  if (name === "chromium") {
    return { ...launchOptions, args: [...launchOptions.args, "--disable-features=Translate,MediaRouter,HttpsUpgrades", "--autoplay-policy=no-user-gesture-required"] };
  }
  const firefoxUserPrefs = {
    "remote.prefs.recommended": false,
    "network.http.speculative-parallel-limit": 20,
    "network.dns.disablePrefetch": false,
    "media.autoplay.default": 0,
    ...firefoxPrefs,
  };
  return { ...launchOptions, ...channel, firefoxUserPrefs };
}
