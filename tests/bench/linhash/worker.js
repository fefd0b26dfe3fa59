// The worker in which stores are measured: one task, one answer. It asks the page for its CPU time.

import { runCell } from "./cells.js";
import { ours } from "./ours.js";
import { indexedDb, map } from "./platform.js";
import { rows } from "./rows.js";
import { sqliteWasm, waSqlite } from "./sqlite.js";
import { Pages, run, runNow } from "/lib/store/pages.js";
import { opfsStorage } from "/lib/store/opfs.js";
import init, { PageStore } from "/lib/wasm/store.js";

const FOLDER = "linhash";

async function bytesOf(folder) {
  let bytes = 0;
  for await (const file of folder.values()) bytes += (await file.getFile()).size;
  return bytes;
}

async function makeOurs() {
  await init();
  const root = await navigator.storage.getDirectory();
  const store = ours({ PageStore, Pages, run, runNow }, () => opfsStorage(FOLDER));
  return { ...store, bytes: async () => bytesOf(await root.getDirectoryHandle(FOLDER)) };
}

const contestants = { ours: makeOurs, sqliteWasm, waSqlite, indexedDb, map };

/** Nanoseconds that this worker was on a CPU, as the page gets to know them. */
function cpu() {
  return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data.cpu), { once: true });
    postMessage({ ask: "cpu" });
  });
}

const tasks = {
  rows: ({ contestant, part }) => rows(contestants[contestant], part, cpu),
  cell: async ({ cell }) => runCell(await makeOurs(), cell),
};

onmessage = async ({ data }) => {
  if (!("task" in data)) return;
  try {
    postMessage({ result: await tasks[data.task](data) });
  } catch (error) {
    postMessage({ error: `${error.name}: ${error.message}` });
  }
};
