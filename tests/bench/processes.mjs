// CPU seconds and memory of a tree of processes, from /proc. Linux only: elsewhere `isMeasurable` is false.
// Memory is PSS: pages that processes share are counted once over all of them.

import { existsSync, readFileSync, readdirSync } from "node:fs";

export const isMeasurable = existsSync("/proc/self/smaps_rollup");

const TICKS_PER_SECOND = 100;

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process is gone.
    return undefined;
  }
}

/** What /proc/PID/stat says: parent and CPU ticks. The name in it may hold blanks and brackets. */
function stat(pid) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), start: fields[19] };
}

/** All processes below `root`, without it. */
export function descendants(root) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const facts = stat(name);
    if (facts === undefined) continue;
    children.set(facts.parent, [...(children.get(facts.parent) ?? []), Number(name)]);
  }
  const found = [];
  for (const queue = [root]; queue.length > 0; ) {
    const below = children.get(queue.pop()) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

/** CPU seconds by process; a later reading is compared with it. */
export function cpuReading(root) {
  const ticks = new Map();
  for (const pid of descendants(root)) {
    const facts = stat(pid);
    if (facts !== undefined) ticks.set(`${pid}/${facts.start}`, facts.ticks);
  }
  return ticks;
}

export function cpuSeconds(before, after) {
  let ticks = 0;
  for (const [process, now] of after) ticks += now - (before.get(process) ?? 0);
  return ticks / TICKS_PER_SECOND;
}

/** Bytes of PSS of the tree now. */
export function pssBytes(root) {
  let kib = 0;
  for (const pid of descendants(root)) {
    const text = read(`/proc/${pid}/smaps_rollup`);
    kib += Number(/^Pss:\s+(\d+) kB/m.exec(text ?? "")?.[1] ?? 0);
  }
  return kib * 1024;
}

/** Samples the tree's memory until stopped; gives its peak. */
export function watchMemory(root, everyMs) {
  let peak = pssBytes(root);
  const timer = setInterval(() => {
    peak = Math.max(peak, pssBytes(root));
  }, everyMs);
  return () => {
    clearInterval(timer);
    return Math.max(peak, pssBytes(root));
  };
}
