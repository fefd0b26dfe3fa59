// One browser with one program in it: launched afresh for every run, measured from a calm page to the archive's last record.
// A program under test is { home, prepare?, open(page, source) }, where `open` starts opening and resolves when every
// record is listed, and `source` is { url } or { path, copyFrom }.

import { setTimeout as pause } from "node:timers/promises";
import { launch } from "./driver.mjs";
import { cpuReading, cpuSeconds, isMeasurable, pssBytes, watchMemory } from "./processes.mjs";

const SETTLE_MS = 2_500;
/** A peer that takes longer is entered as having taken this long. */
export const PATIENCE_MS = 600_000;

/** Opens `source` once. Memory is sampled only when asked: sampling takes time itself. */
export async function run(browserName, program, source, { sampleEveryMs = 0 } = {}) {
  const page = await launch(browserName);
  let stopWatching;
  try {
    await program.prepare?.(page, source);
    await page.navigate(program.home);
    await pause(SETTLE_MS);
    const idle = isMeasurable ? pssBytes(process.pid) : 0;
    if (sampleEveryMs > 0 && isMeasurable) stopWatching = watchMemory(process.pid, sampleEveryMs);
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
    stopWatching?.();
    await page.close();
  }
}
