// Absent pages: what the store's loop costs on each storage, in both browsers.

import { chromium, firefox } from "@playwright/test";
import { driverOptions } from "../../e2e/browser.mjs";
import { serveLibrary } from "../../e2e/pages/library.mjs";

const COUNTS = { memory: 100_000, opfs: 100_000, idb: 20_000 };

export async function bench(figures, { say }) {
  const server = await serveLibrary();
  try {
    for (const [name, type] of [["chromium", chromium], ["firefox", firefox]]) {
      const { launchOptions, channel } = driverOptions(name);
      const browser = await type.launch({ ...launchOptions, ...(channel && { channel }) });
      try {
        for (const [kind, count] of Object.entries(COUNTS)) {
          say(`pages on ${kind} in ${name}`);
          const page = await (await browser.newContext()).newPage();
          await page.goto(server.url);
          const facts = await inWorker(page, { task: "contract", kind, count });
          const add = (metric, value, unit, versus) => figures.add(`pages ${kind} ${name}`, metric, value, unit, versus);
          add("calls a put", facts.callsPerPut, "calls");
          add("calls a get, cold cache of 16 pages", facts.callsPerGet, "calls");
          add("calls a scanned page", facts.scan.calls / facts.scan.reads, "calls");
          add("put", facts.usPerPut, "us");
          add("get, cold", facts.usPerGet, "us");
          add("scan, an entry", facts.usPerScanned, "us");
          add("commit", facts.commitMs, "ms");
          if (facts.usPerResidentGet !== undefined) {
            const plain = await inWorker(page, { task: "plain", count: 100_000 });
            add("get, resident", facts.usPerResidentGet, "us", { peer: "plain call", ratio: plain.usPerGet / facts.usPerResidentGet });
          }
          await page.context().close();
        }
      } finally {
        await browser.close();
      }
    }
  } finally {
    await server.close();
  }
}

function inWorker(page, task) {
  return page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("/store-worker.js", { type: "module" });
        worker.onmessage = ({ data }) => {
          worker.terminate();
          if (data.error) reject(new Error(data.error));
          else resolve(data);
        };
        worker.postMessage(message);
      }),
    { place: "seams", ...task },
  );
}
