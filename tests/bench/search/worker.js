// The worker in which engines are measured: one engine, one answer.

import { measure } from "./measured.js";

/** Nanoseconds that this worker was on a CPU, as the page gets to know them. */
function cpu() {
  return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data.cpu), { once: true });
    postMessage({ ask: "cpu" });
  });
}

const engines = {
  ours: async () => (await import("./ours.js")).ours(),
  fts5: async () => (await import("./sqlite.js")).sqlite({ hasContent: false }),
  fts5content: async () => (await import("./sqlite.js")).sqlite({ hasContent: true }),
  minisearch: async () => (await import("./scripts.js")).minisearch(),
  flexsearch: async () => (await import("./scripts.js")).flexsearch(),
  orama: async () => (await import("./scripts.js")).orama(),
};

onmessage = async ({ data: { engine, count, words } }) => {
  if (!engine) return;
  try {
    postMessage({ result: await measure(await engines[engine](), count, cpu, words) });
  } catch (error) {
    postMessage({ error: `${error?.name}: ${error?.message ?? error} ${error?.stack ?? ""}` });
  }
};
