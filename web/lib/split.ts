/**
 * Reads an archive in ranges, by several workers at once: sends jobs out and reports in. Which ranges are right,
 * and what becomes of those that are not, is decided in the engine (`split.rs` in the crate).
 *
 * What waits for its turn is bounded: jobs are given out no further ahead than the engine allows, a job tells a few
 * megabytes at most, and the one at the front, which may tell more, waits for its reports to be taken.
 */

import { checkAbort } from "./errors.js";
import type { Client } from "./port.js";
import type { LentFile } from "./protocol.js";
import type { Index } from "./wasm/engine.js";
import type { Splitting } from "./wasm/tools.js";

const RANGE_BYTES_MAX = 8 << 20;
const RANGE_BYTES_MIN = 16 << 10;
/** Small archives are cut too, where workers are asked for. */
const RANGES_PER_WORKER = 4;

export function rangeBytes(size: number, workers: number): number {
  return Math.min(RANGE_BYTES_MAX, Math.max(RANGE_BYTES_MIN, Math.ceil(size / (workers * RANGES_PER_WORKER))));
}

/** Fills the index; yields how far it is whenever that may have changed. */
export async function* readInRanges(
  index: Index,
  splitting: Splitting,
  file: LentFile,
  workers: readonly Client[],
  signal: AbortSignal,
): AsyncGenerator<number, void, undefined> {
  let failure: unknown;
  const running = new Map<number, AbortController>();
  const ending = new AbortController();
  let waiting: (() => void)[] = [];
  const changed = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const tellChange = (): void => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const endAll = (): void => {
    ending.abort();
    for (const controller of running.values()) controller.abort();
    tellChange();
  };

  async function work(worker: Client, job: Float64Array): Promise<void> {
    const id = job[0] ?? 0;
    const controller = new AbortController();
    running.set(id, controller);
    try {
      for await (const report of worker.stream("range", { ...file, job }, { signal: controller.signal })) {
        if (ending.signal.aborted) return;
        if (!splitting.report(index, id, report)) throw new TypeError("a report that cannot be read");
        for (const useless of splitting.take_cancelled()) running.get(useless)?.abort();
        tellChange();
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      // Ahead of the front nothing is lost yet: whoever reads there in turn meets the same trouble, or none.
      if (!splitting.lost(index, id)) throw error;
    } finally {
      running.delete(id);
      tellChange();
    }
  }

  async function employ(worker: Client): Promise<void> {
    while (!splitting.is_done() && !ending.signal.aborted) {
      const job = splitting.assign();
      if (job.length === 0) await changed();
      else await work(worker, job);
    }
  }

  let isOver = false;
  const all = Promise.all(workers.map(employ))
    .catch((error: unknown) => {
      failure = error;
      endAll();
    })
    .finally(() => {
      isOver = true;
      tellChange();
    });
  signal.addEventListener("abort", endAll);
  try {
    while (!isOver && !splitting.is_done() && !signal.aborted) {
      await changed();
      yield splitting.position();
    }
    checkAbort(signal);
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener("abort", endAll);
    endAll();
    await all;
  }
}
