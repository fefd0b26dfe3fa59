// The table in Node, on files.

import { closeSync, existsSync, fstatSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { CACHE } from "../corpus.mjs";
import { runCount } from "./cell.js";
import { table } from "./table.mjs";

/** The module; with another `name` another one, which has memory of its own. */
export async function load(folder, name = "") {
  const module = await import(`${pathToFileURL(join(folder, "dictionary.js")).href}?${name}`);
  await module.default({ module_or_path: readFileSync(join(folder, "dictionary_bg.wasm")) });
  return module;
}

/** A file that answers at once. */
export function nodeFile(path, flags) {
  const descriptor = openSync(path, flags);
  return {
    read: (into, { at }) => readSync(descriptor, into, 0, into.length, at),
    write: (bytes, at) => writeSync(descriptor, bytes, 0, bytes.length, at),
    getSize: () => fstatSync(descriptor).size,
    close: () => closeSync(descriptor),
  };
}

/** Milliseconds that this thread was on a CPU; undefined where the system does not tell. */
async function cpu() {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  if (!existsSync(path)) return undefined;
  // The system counts when a thread rests; else at its next tick only, which is a twentieth of a round.
  await pause(1);
  return Number(readFileSync(path, "utf8").split(" ")[0]) / 1e6;
}

export async function bench(figures, { module: folder, counts, hits, layouts, say }) {
  const module = await load(folder);
  mkdirSync(CACHE, { recursive: true });
  const run = async (task) => {
    const place = mkdtempSync(join(CACHE, "dict-"));
    const files = [];
    const inPlace = (layout) => {
      const file = nodeFile(join(place, layout), "w+");
      files.push(file);
      return { write: file.write, file };
    };
    try {
      return await runCount(module, inPlace, task, cpu);
    } finally {
      for (const file of files) file.close();
      rmSync(place, { recursive: true, force: true });
    }
  };
  await table(figures, "node", run, { counts, hits, layouts, say });
}
