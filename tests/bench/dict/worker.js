// The worker in which dictionaries are measured: one cell, one answer.

import { runLayout } from "./cell.js";
import init, * as module from "/module/dictionary.js";

/** Milliseconds that this worker was on a CPU, as the page gets to know them. */
function cpu() {
  return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data.cpu === undefined ? undefined : data.cpu / 1e6), { once: true });
    postMessage({ ask: "cpu" });
  });
}

onmessage = async ({ data: { cell } }) => {
  if (!cell) return;
  try {
    await init();
    const root = await navigator.storage.getDirectory();
    const file = await (await root.getFileHandle("dictionary", { create: true })).createSyncAccessHandle();
    const write = (bytes, at) => file.write(bytes, { at });
    const result = await runLayout(module, { write, file: () => file }, cell, cpu);
    file.close();
    postMessage({ result });
  } catch (error) {
    postMessage({ error: `${error?.name}: ${error?.message ?? error}` });
  }
};
