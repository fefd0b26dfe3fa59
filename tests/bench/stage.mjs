// One browser with one program in it: launched afresh for every run, measured from a calm page to the archive's last record.
// A program under test is { home, prepare?, open(page, source), close? }, where `open` starts opening and resolves when
// every record is listed, and `source` is { url } or { path }.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../e2e/browser.mjs";
import { cpuReading, cpuSeconds, isMeasurable, pssBytes, watchMemory } from "./processes.mjs";

const SETTLE_MS = 2_000;
/** A peer that takes longer is entered as having taken this long. */
export const PATIENCE_MS = 600_000;

/** Chromium keeps its profile on disk, as for a user; a private one would keep storage in memory. */
async function launch(browserName) {
  const { launchOptions, channel } = driverOptions(browserName);
  const options = { ...launchOptions, ...(channel ? { channel } : {}) };
  if (browserName === "firefox") {
    const browser = await firefox.launch(options);
    const context = await browser.newContext();
    return { page: await context.newPage(), close: () => browser.close() };
  }
  const profile = mkdtempSync(join(tmpdir(), "stackroom-bench-"));
  const context = await chromium.launchPersistentContext(profile, options);
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens `source` once. Memory is sampled only when asked: sampling takes time itself. */
export async function run(browserName, program, source, { sampleEveryMs = 0 } = {}) {
  const { page, close } = await launch(browserName);
  try {
    page.setDefaultTimeout(PATIENCE_MS);
    await program.prepare?.(page, source);
    await page.goto(program.home);
    await pause(SETTLE_MS);
    const idle = isMeasurable ? pssBytes(process.pid) : 0;
    const stopWatching = sampleEveryMs > 0 && isMeasurable ? watchMemory(process.pid, sampleEveryMs) : undefined;
    const cpuBefore = isMeasurable ? cpuReading(process.pid) : new Map();
    const start = performance.now();
    let facts;
    let isTimeout = false;
    try {
      facts = await program.open(page, source);
    } catch (error) {
      if (error.name !== "TimeoutError") throw error;
      isTimeout = true;
    }
    const wallSeconds = (performance.now() - start) / 1000;
    const cpu = isMeasurable ? cpuSeconds(cpuBefore, cpuReading(process.pid)) : undefined;
    const peakBytes = stopWatching ? stopWatching() - idle : undefined;
    return { wallSeconds, cpuSeconds: cpu, peakBytes, isTimeout, ...facts };
  } finally {
    await close();
  }
}
