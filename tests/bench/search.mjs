// Search in pages: peers in a worker of a tab, and tantivy natively as the limit, on the same text.
// `npm run bench -- search [small|large|scale|native]... [--engines fts5,minisearch]`

import { engineNames, inTab } from "./search/tab.mjs";
import { natively } from "./search/native.mjs";

/** Pages of each part. */
const COUNTS = { small: 2_000, large: 10_000 };
/** How ours grows: pages of a tenth of the words each. */
const SCALE = { counts: [10_000, 100_000, 1_000_000], words: 73 };
const PARTS = [...Object.keys(COUNTS), "scale", "native"];
export const OPTIONS = ["engines"];

export async function bench(figures, { parts, options, say }) {
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
  const engines = options.engines?.split(",") ?? engineNames;
  const wrong = engines.filter((engine) => !engineNames.includes(engine));
  if (wrong.length > 0) throw new Error(`no such engine: ${wrong.join(", ")}; there are ${engineNames.join(", ")}`);
  for (const part of parts.length > 0 ? parts : PARTS) {
    if (part === "native") {
      for (const count of Object.values(COUNTS)) {
        const found = natively({ count, say });
        if (found) tell(figures, `${count} pages, tantivy natively`, found);
      }
    } else if (part === "scale") {
      for (const count of SCALE.counts) {
        const { words } = SCALE;
        await inTab({ count, words, engines: ["ours"], say }, (engine, found) => tell(figures, `${count} short pages, ${engine}`, found));
      }
    } else {
      const count = COUNTS[part];
      await inTab({ count, engines, say }, (engine, found) => tell(figures, `${count} pages, ${engine}`, found));
    }
  }
}

function tell(figures, name, { textBytes, cpuMs, bytes, memoryBytes, found }) {
  figures.add(name, "text", textBytes / 1e6, "MB");
  figures.add(name, "built, of text a second of CPU", textBytes / 1e3 / cpuMs, "MB/s");
  if (bytes !== undefined) figures.add(name, "index", bytes / 1e6, "MB");
  if (memoryBytes !== undefined) figures.add(name, "memory of the module, at most", memoryBytes / 1e6, "MB");
  for (const [kind, { cpuUs, wallUs, hits }] of Object.entries(found)) {
    if (cpuUs !== undefined) figures.add(name, `${kind}, CPU`, cpuUs, "us");
    figures.add(name, `${kind}, wall`, wallUs, "us");
    figures.add(name, `${kind}, hits of five queries`, hits.reduce((sum, count) => sum + count, 0), "hits");
  }
}
