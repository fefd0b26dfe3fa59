// How replay is tested in each browser: the drivers' own settings would hide what users get.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../browser.mjs";

const FEATURES_OFF = "Translate,MediaRouter,HttpsUpgrades,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup";

/** @typedef {"chromium" | "firefox"} BrowserName */

/**
 * Playwright turns off storage partitioning in Chromium, without which a framed site gets no service worker; the last
 * list of features wins. What hangs from Chromium's address bar is a page of its own, made with each tab: half a second of
 * processor. WebDriver turns off Firefox's speculative connections, which leak tests are about.
 * @param {BrowserName} name
 * @param {Record<string, string | number | boolean>} firefoxPrefs
 */
export function replayLaunch(name, firefoxPrefs = {}) {
  const { launchOptions, ...rest } = driverOptions(name);
  const channel = "channel" in rest ? { channel: rest.channel } : {};
  if (name === "chromium") {
    return { ...launchOptions, args: [...launchOptions.args, `--disable-features=${FEATURES_OFF}`, "--autoplay-policy=no-user-gesture-required"] };
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

/**
 * One page of a browser of its own. Chromium gets a profile: in private windows, as drivers open them, it never
 * preconnects and keeps storage in memory.
 * @param {BrowserName} name
 * @param {Record<string, string | number | boolean>} firefoxPrefs
 */
export async function launchReplay(name, firefoxPrefs = {}) {
  const options = replayLaunch(name, firefoxPrefs);
  if (name === "firefox") {
    const browser = await firefox.launch(options);
    return { page: await browser.newPage(), close: () => browser.close() };
  }
  const profile = mkdtempSync(join(tmpdir(), "stackroom-replay-"));
  const context = await chromium.launchPersistentContext(profile, options);
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { page: context.pages()[0] ?? (await context.newPage()), close };
}

/**
 * The same; Firefox is driven by a process of its own. Its driver dies where a frame that is gone still tells where it
 * went, and would take the test with it: here it tells that it is gone.
 * @param {BrowserName} name
 * @param {Record<string, string | number | boolean>} firefoxPrefs
 */
export async function launchApart(name, firefoxPrefs = {}) {
  if (name !== "firefox") return { ...(await launchReplay(name, firefoxPrefs)), isGone: () => false };
  const program = fileURLToPath(new URL("driver.mjs", import.meta.url));
  const driver = spawn(process.execPath, [program, JSON.stringify(replayLaunch(name, firefoxPrefs))], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => driver.once("exit", resolve));
  const endpoint = await new Promise((resolve, reject) => {
    driver.stdout.once("data", (line) => resolve(String(line).trim()));
    driver.once("exit", () => reject(new Error("the browser did not start")));
  });
  const browser = await firefox.connect(endpoint);
  const close = async () => {
    await browser.close().catch(() => undefined);
    driver.stdin.end();
    await ended;
  };
  return { page: await browser.newPage(), close, isGone: () => !browser.isConnected() };
}
