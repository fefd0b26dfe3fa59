// The worker in which dictionaries are measured: a count of strings, one answer.

import { runCount } from "./cell.js";
import init, * as module from "/module/dictionary.js";

/** Milliseconds that this worker was on a CPU, as the page gets to know them. */
function cpu() {
  return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data.cpu === undefined ? undefined : data.cpu / 1e6), { once: true });
    postMessage({ ask: "cpu" });
  });
}

onmessage = async ({ data: { task } }) => {
  if (!task) return;
  try {
    await init();
    const root = await navigator.storage.getDirectory();
    const files = [];
    const place = async (layout) => {
      const file = await (await root.getFileHandle(layout, { create: true })).createSyncAccessHandle();
      files.push(file);
      return { write: (bytes, at) => file.write(bytes, { at }), file };
    };
    const result = await runCount(module, place, task, cpu);
    for (const file of files) file.close();
    postMessage({ result });
  } catch (error) {
    postMessage({ error: `${error?.name}: ${error?.message ?? error}` });
  }
};
