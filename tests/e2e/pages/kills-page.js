// A page of the kill tests: puts that go on for as long as it lives. What was acknowledged is told to the server at once,
// since nothing else outlives what is done to this page.
import { Tab } from "/lib/tabs/index.js";

const asked = new URL(location.href).searchParams;
const LANES = 6;

let worker;
const tab = new Tab({
  name: asked.get("name"),
  kinds: [asked.get("kind")],
  pace: JSON.parse(asked.get("pace")),
  repeatable: new Set(["epoch", "kind", "lost", "spoilt", "count", "verify"]),
  startWorker: () => (worker = new Worker("/kills-worker.js", { type: "module" })),
  onOwner: ({ isHere }) => (kills.isOwner = isHere),
});

let untold = [];
let isTelling = false;
async function tell() {
  if (isTelling) return;
  isTelling = true;
  for (; untold.length > 0; ) {
    const keys = untold;
    untold = [];
    await fetch("/heard", { method: "POST", body: JSON.stringify(keys) }).catch(() => {});
  }
  isTelling = false;
}

const errors = [];
let run = 0;
let lanes = [];
async function lane(from, ofRun) {
  for (let key = from; ofRun === run; key += LANES) {
    try {
      await tab.client.call("put", { key });
      untold.push(key);
      void tell();
    } catch (error) {
      // An owner that went, or was fenced: whether this was done is not known. Anything else is a fault.
      if (!["tabs/owner-gone", "tabs/fenced"].includes(error.code)) errors.push(`${error.code ?? error.name}: ${error.message}`);
    }
  }
}

const kills = {
  isOwner: false,
  errors,
  call: (name, request = {}) => tab.client.call(name, request),
  write(from) {
    run += 1;
    lanes = Array.from({ length: LANES }, (_, n) => lane(from + n, run));
  },
  async rest() {
    run += 1;
    await Promise.all(lanes);
  },
  terminateWorker: () => worker.terminate(),
};
globalThis.kills = kills;
