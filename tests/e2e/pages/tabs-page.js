// A page of the tabs tests: one tab, and requests that go on until they are told to stop, each written down.
import { Tab } from "/lib/tabs/index.js";

const asked = new URL(location.href).searchParams;
if (asked.has("relay")) globalThis.SharedWorker = undefined;

const workerQuery = new URLSearchParams({
  ...(asked.has("loads") && { after: asked.get("loads") }),
  ...(asked.has("spoilt") && { spoilt: asked.get("spoilt") }),
});

if (asked.has("persists")) {
  // Asking for real would put a question on the screen, in Firefox.
  globalThis.persistAsked = 0;
  navigator.storage.persist = async () => {
    globalThis.persistAsked += 1;
    return true;
  };
}

const REPEATABLE = new Set(["hello", "attach", "inspect", "surt", "epoch", "generation", "log", "slow", "fileText", "fileKeys", "left", "inspectShared", "kind", "reason", "room", "get"]);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const began = Date.now();
const owners = [];
const outdated = [];
const tab = new Tab({
  name: asked.get("name") ?? "test",
  startWorker: () => new Worker(`/tabs-worker.js?${workerQuery}`, { type: "module" }),
  repeatable: REPEATABLE,
  ...(asked.has("version") && { version: asked.get("version") }),
  ...(asked.has("kinds") && { kinds: asked.get("kinds").split(",") }),
  pace: JSON.parse(asked.get("pace") ?? "{}"),
  onOwner: (owner) => owners.push({ ...owner, at: Date.now() }),
  onOutdated: (version) => outdated.push(version),
});

const results = [];
let isOn = false;
let loops = [];
let lastKey = Number(asked.get("keys") ?? 0);

async function ask(name, request = {}) {
  const result = { name, ...request, began: Date.now() };
  results.push(result);
  try {
    result.value = await tab.client.call(name, request);
  } catch (error) {
    result.error = error.name === "ArchiveError" ? error.code : error.name;
  }
  result.ended = Date.now();
  return result;
}

async function loop(name, make) {
  while (isOn) {
    await ask(name, make());
    await pause(10);
  }
}

globalThis.tabs = {
  tab,
  began,
  owners,
  outdated,
  results,
  ask,
  isOwner: () => owners.at(-1)?.isHere ?? false,
  load() {
    isOn = true;
    loops = [loop("put", () => ({ key: ++lastKey })), loop("epoch", () => ({})), loop("slow", () => ({ ms: 60 }))];
  },
  async rest() {
    isOn = false;
    await Promise.all(loops);
    return results;
  },
  /** Microseconds a call, one after another. */
  async roundTrip(count, name = "epoch") {
    const times = [];
    for (let n = 0; n < count; n++) {
      const began = performance.now();
      await tab.client.call(name, {});
      times.push(performance.now() - began);
    }
    return (times.reduce((sum, time) => sum + time, 0) / count) * 1000;
  },
};
document.querySelector("input").onchange = ({ target }) => tab.files.share("picked", target.files[0]);
