// The table in a tab: in a worker, on the browser's private file system.

import { fileURLToPath } from "node:url";
import { withWorker } from "../linhash/page.mjs";
import { table } from "./table.mjs";

export async function bench(figures, { module, counts, hits, layouts, say }) {
  const folders = { dict: fileURLToPath(new URL("./", import.meta.url)), module };
  const use = (inWorker) => table(figures, "chromium", (task) => inWorker({ task }), { counts, hits, layouts, say });
  await withWorker(use, folders, "/dict/worker.js");
}
