/**
 * Tabs of one browser context that share an owner: their server, and ways in which an owner goes.
 * Crashing and freezing are done to the tab's process, from outside: a stopped process is frozen as no page can feign,
 * main thread, workers and all. Processes can be told apart on Linux; elsewhere tabs are closed, and workers kept busy.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../browser.mjs";

const LIBRARY = fileURLToPath(new URL("../../../dist/lib/", import.meta.url));
const PAGES = fileURLToPath(new URL("./", import.meta.url));
const MEDIA_TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const home = (script) => `<!doctype html><title>tab</title><link rel="icon" href="data:,"><input type="file"><script type="module" src="${script}"></script>`;
const HOMES = { "/": home("/tabs-page.js"), "/kills": home("/kills-page.js") };

/** Quick enough for a test, slow enough for a busy machine. */
export const PACE = { beatMs: 150, frozenMs: 1200, linkMs: 1000, graceMs: 2000, ownerlessMs: 15_000, lockedMs: 8000, frozenLockedMs: 300 };

/** @param {(told: any) => void} heard takes what pages post to /heard */
export async function serveTabs(heard = () => undefined) {
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams } = new URL(request.url, "http://localhost");
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      heard(JSON.parse(body));
      return void response.writeHead(204).end();
    }
    if (searchParams.has("after")) await new Promise((resolve) => setTimeout(resolve, Number(searchParams.get("after"))));
    const file = path.startsWith("/lib/") ? join(LIBRARY, path.slice(5)) : join(PAGES, path.slice(1));
    try {
      const html = HOMES[path];
      const body = html ?? readFileSync(file);
      response.writeHead(200, { "Content-Type": MEDIA_TYPES[html ? ".html" : extname(path)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://localhost:${server.address().port}/`, close };
}

/**
 * @param {"chromium" | "firefox"} name
 * @param {Record<string, number>} firefoxPrefs
 */
export async function launch(name, firefoxPrefs = {}) {
  const { channel, launchOptions } = driverOptions(name);
  const aside = mkdtempSync(join(tmpdir(), "tabs-"));
  let { executablePath } = launchOptions;
  if (name === "firefox" && isLinux) {
    // The driver has Firefox shut down whole when a tab's process dies; as users have it, the other tabs live on.
    const script = join(aside, "firefox");
    writeFileSync(script, `#!/bin/sh\nunset MOZ_CRASHREPORTER_SHUTDOWN\nexec "${executablePath}" "$@"\n`);
    chmodSync(script, 0o755);
    executablePath = script;
  }
  const prefs = name === "firefox" ? { firefoxUserPrefs: { "dom.ipc.processCount.webIsolated": 16, ...firefoxPrefs } } : {};
  const browser = await { chromium, firefox }[name].launch({ ...(channel && { channel }), ...launchOptions, executablePath, ...prefs });
  const close = async () => {
    // A test that failed may have left one; a stopped process ends no more than it runs.
    for (const pid of stopped) goOn(pid);
    await browser.close();
    rmSync(aside, { recursive: true, force: true });
  };
  return { browser, close };
}

/**
 * A browser in which sites have little room. In Chromium its profile is on disk, since those in memory are not held to
 * it, and the test sets the limit; in Firefox it is a preference of the whole browser.
 * @param {"chromium" | "firefox"} name
 */
export async function launchSmall(name, quotaBytes) {
  if (name === "firefox") {
    const { browser, close } = await launch(name, { "dom.quotaManager.temporaryStorage.fixedLimit": quotaBytes / 1000 });
    return { context: await browser.newContext(), close };
  }
  const profile = mkdtempSync(join(tmpdir(), "profile-"));
  const { launchOptions } = driverOptions(name);
  const context = await chromium.launchPersistentContext(profile, launchOptions);
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}

/**
 * How much room the site of a page has; all there is, where it is left out. In Firefox a preference sees to that, for good.
 * @param {import("@playwright/test").Page} page
 * @param {number} [quotaSize]
 */
export async function limitRoom(page, quotaSize) {
  if (page.context().browser()?.browserType().name() === "firefox") return;
  const client = await page.context().newCDPSession(page);
  await client.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, ...(quotaSize !== undefined && { quotaSize }) });
}

const stopped = new Set();

function goOn(pid) {
  stopped.delete(pid);
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // It ended meanwhile.
  }
}

const isLinux = process.platform === "linux";

function statusOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), cpu: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return { parent: 0, cpu: 0 };
  }
}

/** Processes of tabs, of browsers that this process started. */
function tabProcesses() {
  const isOurs = (pid) => {
    for (let up = pid; up > 1; up = statusOf(up).parent) if (up === process.pid) return true;
    return false;
  };
  const isTab = (pid) => {
    try {
      return /-contentproc|--type=renderer/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  };
  return readdirSync("/proc").map(Number).filter((pid) => pid > 1 && isTab(pid) && isOurs(pid));
}

const withoutAnswer = (promise, ms) => Promise.race([promise.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, ms))]);

/** Keeps the page's thread busy, and its worker's. */
const spin = (page, ms) =>
  page.evaluate(async (busyMs) => {
    const worker = globalThis.tabs.isOwner() && globalThis.tabs.ask("spin", { ms: busyMs });
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    await worker;
  }, ms);

/** The page's process: the one whose CPU time grows while the page spins. */
async function processOf(page) {
  if (!isLinux) return undefined;
  const before = new Map(tabProcesses().map((pid) => [pid, statusOf(pid).cpu]));
  await spin(page, 500);
  const grown = tabProcesses().map((pid) => ({ pid, cpu: statusOf(pid).cpu - (before.get(pid) ?? 0) }));
  grown.sort((a, b) => b.cpu - a.cpu);
  return grown[0]?.pid;
}

/**
 * Whether a transaction was begun and not committed. Browsers freeze a tab between its tasks, where ours has none such;
 * a signal may stop it in the middle of one.
 */
async function isDatabaseLocked() {
  const name = "stackroom/test";
  if (!(await indexedDB.databases()).some((one) => one.name === name)) return false;
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const probe = database.transaction("epochs", "readwrite");
  const done = new Promise((resolve) => (probe.oncomplete = () => resolve(false)));
  const late = new Promise((resolve) => setTimeout(() => resolve(true), 700));
  const isLocked = await Promise.race([done, late]);
  database.close();
  return isLocked;
}

/** Tabs that share one owner; the first opened is the first owner. */
export class Tabs {
  constructor(context, url, options = {}) {
    this.context = context;
    this.url = url;
    this.options = options;
    this.pages = [];
    this.opened = 0;
  }

  async open(options = {}) {
    const page = await this.context.newPage();
    this.opened += 1;
    const query = new URLSearchParams({ pace: JSON.stringify(PACE), keys: String(this.opened * 1_000_000), ...this.options, ...options });
    await page.goto(`${this.url}?${query}`);
    // By the clock, not by frames: a stopped process may hold up the drawing of others.
    const hasOwner = page.waitForFunction(() => globalThis.tabs?.owners.length > 0, undefined, { timeout: 30_000, polling: 50 });
    await hasOwner.catch(async (error) => {
      const state = page.evaluate(async () => ({ epoch: globalThis.tabs?.tab.epoch, locks: await navigator.locks.query() }));
      throw new Error(`a tab found no owner: ${JSON.stringify(await withoutAnswer(state, 2000))}`, { cause: error });
    });
    this.pages.push(page);
    return page;
  }

  /** Who is the owner, as the tabs that still answer see it. */
  async owner() {
    for (const page of this.pages) {
      if (await withoutAnswer(page.evaluate(() => globalThis.tabs.isOwner()), 2000)) return page;
    }
    return undefined;
  }

  drop(page) {
    this.pages = this.pages.filter((one) => one !== page);
  }

  async prepareProcess(page) {
    return { page, pid: await processOf(page) };
  }

  /** Ends the tab's process at once. Other tabs in it go too: returns those that are left. */
  async crash({ page, pid }) {
    const at = Date.now();
    if (pid) process.kill(pid, "SIGKILL");
    else await page.close();
    this.drop(page);
    return at;
  }

  /** Stops the tab's process, until what it returns is called. */
  async freeze({ page, pid }, busyMs = 6000) {
    const at = Date.now();
    if (pid) {
      const others = this.pages.filter((one) => one !== page);
      do {
        goOn(pid);
        await new Promise((resolve) => setTimeout(resolve, 20));
        process.kill(pid, "SIGSTOP");
        stopped.add(pid);
      } while (others[0] && (await withoutAnswer(others[0].evaluate(isDatabaseLocked), 5000)));
      return { at, thaw: async () => goOn(pid) };
    }
    const busy = spin(page, busyMs);
    return { at, thaw: async () => void (await busy) };
  }

  /** Leaves out the tabs that died with another's process. */
  async keepLiving() {
    const answers = await Promise.all(this.pages.map((page) => withoutAnswer(page.evaluate(() => true), 3000)));
    this.pages = this.pages.filter((_, idx) => answers[idx] === true);
  }

  load() {
    return Promise.all(this.pages.map((page) => page.evaluate(() => globalThis.tabs.load())));
  }

  /** Every request of every tab that is left. */
  rest() {
    return Promise.all(this.pages.map((page) => page.evaluate(() => globalThis.tabs.rest())));
  }

  /** When each tab first heard from an owner after this epoch. */
  async answeredAfter(epoch, timeout = 30_000) {
    return Promise.all(
      this.pages.map(async (page) => {
        const found = await page.waitForFunction(
          (old) => globalThis.tabs.results.find((one) => one.name === "epoch" && one.value > old)?.ended,
          epoch,
          { timeout, polling: 50 },
        );
        return found.jsonValue();
      }),
    );
  }
}
