// Seam `tabs`: how long tabs wait for their next owner when one goes, and what a call costs by each way to the owner.
// A hand-over ends when every tab that is left has an answer from the new owner, with all of them asking all the time.

import { launch, serveTabs, Tabs } from "../../e2e/pages/tabs.mjs";
import { median } from "../figures.mjs";

const BROWSERS = ["chromium", "firefox"];
const COUNTS = [2, 5];
const REPETITIONS = 3;
/** Patience with the frozen owner is most of it, and the same each time. */
const REPETITIONS_FROZEN = 1;
const CALLS = 500;
const STORE_MB = 200;

/** Each gives the moment at which the owner went. */
const WAYS = {
  closed: async (tabs, owner) => {
    tabs.drop(owner);
    const at = Date.now();
    await owner.close();
    return { at };
  },
  crashed: async (tabs, owner) => {
    const at = await tabs.crash(await tabs.prepareProcess(owner));
    await tabs.keepLiving();
    return { at };
  },
  frozen: async (tabs, owner) => {
    const process = await tabs.prepareProcess(owner);
    tabs.drop(owner);
    return tabs.freeze(process, 20_000);
  },
  "stepped down": async (tabs) => {
    const old = tabs.pages;
    tabs.pages = [];
    const page = await tabs.open({ version: "99.0.0" });
    await page.evaluate(() => globalThis.tabs.load());
    const asked = await Promise.all(old.map((one) => one.evaluate(() => globalThis.tabs.outdated.length)));
    if (asked.includes(0)) throw new Error("an older tab was not told to reload");
    // From the newer tab's first script to its first answer.
    return { at: await page.evaluate(() => globalThis.tabs.began) };
  },
};

async function handOver(context, url, count, way, prepare = async () => undefined) {
  const tabs = new Tabs(context, url, { pace: "{}" });
  for (let n = 0; n < count; n++) await tabs.open();
  const owner = await tabs.owner();
  await prepare(owner);
  const { value: epoch } = await owner.evaluate(() => globalThis.tabs.ask("epoch"));
  await tabs.load();
  const { at, thaw } = await way(tabs, owner);
  const answered = await tabs.answeredAfter(epoch);
  await thaw?.();
  return Math.max(...answered) - at;
}

async function roundTrips(context, url, figures, name) {
  const tabs = new Tabs(context, url, { pace: "{}" });
  const owner = await tabs.open();
  const brokered = await tabs.open();
  const relayed = await tabs.open({ relay: "1" });
  const time = (page, call) => page.evaluate(([count, of]) => globalThis.tabs.roundTrip(count, of), [CALLS, call]);
  for (const page of [owner, brokered, relayed]) await time(page, "epoch");
  const direct = await time(owner, "epoch");
  const add = (label, value) => figures.add(`${name} round trip`, label, value, "us", label === "own worker" ? {} : { peer: "own worker", ratio: direct / value });
  add("own worker", direct);
  add("brokered port", await time(brokered, "epoch"));
  add("relay, 3 tabs", await time(relayed, "epoch"));
  figures.add(`${name} round trip`, "with one check of the claim", await time(owner, "check"), "us");
}

export async function bench(figures, { say }) {
  const server = await serveTabs();
  try {
    for (const name of BROWSERS) {
      const { browser, close } = await launch(name);
      const inContext = async (work) => {
        const context = await browser.newContext();
        try {
          return await work(context);
        } finally {
          await context.close();
        }
      };
      try {
        await inContext((context) => roundTrips(context, server.url, figures, name));
        for (const count of COUNTS) {
          for (const [way, go] of Object.entries(WAYS)) {
            say(`${name}, ${count} tabs, owner ${way}`);
            const times = [];
            for (let n = 0; n < (way === "frozen" ? REPETITIONS_FROZEN : REPETITIONS); n++) times.push(await inContext((context) => handOver(context, server.url, count, go)));
            figures.add(`${name} ${count} tabs`, `owner ${way}`, median(times), "ms");
          }
        }
        const grow = (owner) => owner.evaluate((bytes) => globalThis.tabs.ask("fill", { bytes, atOnce: 1_000 }), STORE_MB * 1e6);
        const time = await inContext((context) => handOver(context, server.url, 2, WAYS.frozen, grow));
        figures.add(`${name} 2 tabs`, `owner frozen with ${STORE_MB} MB`, time, "ms");
      } finally {
        await close();
      }
    }
  } finally {
    await server.close();
  }
}
