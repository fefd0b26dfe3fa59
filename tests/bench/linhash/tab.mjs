// The seed's tables in a tab: in a worker, on the browser's private file system.

import { withWorker } from "./page.mjs";
import { tables } from "./tables.mjs";

export async function bench(figures, { say }) {
  await withWorker(async (inWorker) => {
    await tables(figures, "chromium", (cell) => inWorker({ task: "cell", cell }), say);
  });
}
