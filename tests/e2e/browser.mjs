/**
 * The browsers of the tests: where they are, how to get them, how to drive them. The only file that names any of it.
 * Chromium and stock Firefox, in this order: CHROMIUM_BIN / FIREFOX_BIN, where systems put them, Playwright's own.
 * WebKitGTK where a Linux has it: it is driven by a program of its own, and draws on a display that another one makes.
 */
import { existsSync, readFileSync } from "node:fs";
import { chromium, firefox } from "@playwright/test";
import { ask, run } from "../../web/build/command.mjs";
import { say, step, stop } from "../../web/build/say.mjs";

/** @typedef {"chromium" | "firefox"} BrowserName */

const programs = process.env.PROGRAMFILES ?? "C:\\Program Files";

/** @type {Record<BrowserName, { variable: string, places: string[], debian: string, own: () => string }>} */
const known = {
  chromium: {
    variable: "CHROMIUM_BIN",
    places: [
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      `${programs}\\Google\\Chrome\\Application\\chrome.exe`,
    ],
    debian: "chromium",
    own: () => chromium.executablePath(),
  },
  firefox: {
    variable: "FIREFOX_BIN",
    places: [
      "/usr/bin/firefox-esr",
      "/usr/bin/firefox",
      "/Applications/Firefox.app/Contents/MacOS/firefox",
      `${programs}\\Mozilla Firefox\\firefox.exe`,
    ],
    debian: "firefox-esr",
    own: () => firefox.executablePath(),
  },
};

const machine = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[process.arch] ?? process.arch;

const webkit = {
  places: {
    driver: ["/usr/bin/WebKitWebDriver"],
    browser: [`/usr/lib/${machine}/webkit2gtk-4.1/MiniBrowser`, "/usr/libexec/webkit2gtk-4.1/MiniBrowser", "/usr/lib/webkit2gtk-4.1/MiniBrowser"],
    display: ["/usr/bin/Xvfb"],
  },
  debian: ["webkit2gtk-driver", "xvfb"],
};

/**
 * The programs of WebKitGTK, or null where one is missing.
 * @returns {{ driver: string, browser: string, display: string } | null}
 */
export function findWebKit() {
  const [driver, browser, display] = Object.values(webkit.places).map((places) => places.find((place) => existsSync(place)));
  return driver && browser && display ? { driver, browser, display } : null;
}

/**
 * @param {BrowserName} name
 * @returns {{ path: string, isStock: boolean } | null}
 */
function find(name) {
  const { variable, places, own } = known[name];
  const stated = process.env[variable];
  if (stated && !existsSync(stated)) throw stop(`${variable} is ${stated}`, "there is no such file", "Correct or unset it.");
  const path = stated || places.find((place) => existsSync(place));
  if (path) return { path, isStock: true };
  return existsSync(own()) ? { path: own(), isStock: false } : null;
}

const isDebian = () => existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));

const canInstall = () => isDebian() && process.getuid?.() === 0 && ask("apt-get", ["--version"]) !== null;

/** @param {string[]} packages */
const install = (packages) =>
  step(`installing ${packages.join(" and ")}`, "a few minutes", async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update"], { env });
    await run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], { env });
  });

/** As `installBrowsers`, for the one that not every system has: where it is missing, its tests are skipped. */
export async function installWebKit() {
  if (findWebKit() === null && canInstall()) await install(webkit.debian).catch((error) => say(error.message));
  if (findWebKit() === null) say(`WebKitGTK is missing, its tests are skipped: it takes WebKitWebDriver, MiniBrowser and Xvfb (${webkit.debian.join(" and ")} on Debian).`);
}

/**
 * Finds the browsers; on Debian as root installs those that are absent; else says what is missing and how to get it.
 * @param {BrowserName[]} names
 */
export async function installBrowsers(names = ["chromium", "firefox"]) {
  let absent = names.filter((name) => find(name) === null);
  if (absent.length > 0 && canInstall()) {
    await install(absent.map((name) => known[name].debian));
    absent = names.filter((name) => find(name) === null);
  }
  if (absent.length === 0) return;
  const variables = absent.map((name) => known[name].variable).join(" and ");
  const be = absent.length > 1 ? "are" : "is";
  const how = `Install what is missing, set ${variables}, or run \`npx playwright install ${absent.join(" ")}\`.`;
  throw stop(`${absent.join(" and ")} ${be} missing`, "the viewer is tested in both browsers", how);
}

/**
 * What Playwright needs to start one of them: goes into a project's `use`, or its `launchOptions` into `launch()`.
 * @param {BrowserName} name
 */
export function driverOptions(name) {
  const found = find(name);
  if (found === null) throw stop(`${name} is missing`, "this test runs in it", "Run `npm test`, which says how to get it.");
  // Chromium's sandbox refuses to run as root, as which containers run.
  const args = name === "chromium" && process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  // A stock Firefox speaks WebDriver BiDi only; Playwright's own speaks its own protocol.
  const channel = name === "firefox" && found.isStock ? { channel: "moz-firefox" } : {};
  return { browserName: name, ...channel, launchOptions: { executablePath: found.path, args } };
}
