/**
 * Ends what a page needs, from outside and at any moment: its worker, itself, or the browser with all its processes.
 * A browser that is to come back with what it kept has a profile on disk.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../browser.mjs";

/** Where processes of a browser can be told from others. */
export const canKillBrowsers = process.platform === "linux";

/** @param {"chromium" | "firefox"} name */
export class KillableBrowser {
  constructor(name) {
    this.name = name;
    this.profile = mkdtempSync(join(tmpdir(), "kills-"));
  }

  async start() {
    const { channel, launchOptions } = driverOptions(this.name);
    this.context = await { chromium, firefox }[this.name].launchPersistentContext(this.profile, { ...(channel && { channel }), ...launchOptions });
    return this.context;
  }

  /** All its processes at once, as when the machine's memory runs out: nothing is flushed, nobody is told. */
  async kill() {
    const pids = processesWith(this.profile);
    if (pids.length === 0) throw new Error("the browser's processes are not found");
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended with another.
      }
    }
    await this.context.close().catch(() => {});
    while (processesWith(this.profile).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async close() {
    await this.context?.close().catch(() => {});
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Its own processes name the profile; those that they started are below them. */
function processesWith(profile) {
  const parents = new Map();
  const found = new Set();
  for (const pid of readdirSync("/proc").map(Number).filter((one) => one > 1)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z") continue;
      parents.set(pid, Number(parent));
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(profile)) found.add(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  for (const pid of parents.keys()) for (let up = pid; up > 1; up = parents.get(up) ?? 0) if (found.has(up)) found.add(pid);
  return [...found];
}
