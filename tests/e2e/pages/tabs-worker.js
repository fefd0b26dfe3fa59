// The owner's worker of the tabs tests: a real engine for every tab, and a store on the owner's claim, in which every
// put is acknowledged by a commit.
import { Engine } from "/lib/engine.js";
import { modules } from "/lib/module.js";
import { VERSION } from "/lib/protocol.js";
import { openSource } from "/lib/source.js";
import { room } from "/lib/store/room.js";
import { Store } from "/lib/store/store.js";
import { hostOwner } from "/lib/tabs/index.js";
import init, { PageStore } from "/lib/wasm/store.js";

// What fails here fails as it does in browsers that have the interface and no use of it: private windows, blocked data.
const refuse = (name) => Promise.reject(new DOMException(`${name} does not work here`, "UnknownError"));
const SPOILERS = {
  files: () => (navigator.storage.getDirectory = () => refuse("getDirectory")),
  handles: () => (FileSystemFileHandle.prototype.createSyncAccessHandle = () => refuse("createSyncAccessHandle")),
  database: () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("open is not allowed here", "SecurityError");
    };
  },
};
for (const what of new URL(location.href).searchParams.get("spoilt")?.split(",") ?? []) SPOILERS[what]?.();

const textOf = (bytes) => new TextDecoder().decode(bytes);
const bytesOf = (text) => new TextEncoder().encode(text);
const keyOf = (key) => bytesOf(`entry ${key}`);

hostOwner(async (claim, files, page) => {
  await init();
  const store = await Store.open({
    make: PageStore,
    storage: await claim.storage(),
    cacheBytes: 1 << 20,
    guard: (write) => claim.commit(write),
    onKept: () => page.askToPersist(),
  });
  const left = [];
  let count = await store.count();
  const put = async ({ key }) => {
    const entry = { epoch: claim.epoch, number: count++ };
    await store.put(keyOf(key), bytesOf(`${entry.epoch} ${entry.number}`));
    return entry;
  };
  const readLog = async () => {
    const log = [];
    for await (const [keyBytes, value] of store.entries()) {
      const key = textOf(keyBytes);
      if (!key.startsWith("entry ")) continue;
      const [epoch, number] = textOf(value).split(" ").map(Number);
      log.push({ epoch, key: Number(key.slice("entry ".length)), number });
    }
    return log.sort((a, b) => a.number - b.number);
  };
  return {
    handlers: () => ({
      ...new Engine(openSource, modules).handlers(),
      epoch: () => claim.epoch,
      generation: () => claim.generation,
      kind: () => claim.kind,
      reason: () => claim.reason,
      room,
      put,
      get: async ({ key }) => {
        const value = await store.get(keyOf(key));
        return value ? textOf(value) : null;
      },
      /** Puts of `bytes` in all, some at once, until one is refused: gives how many went in and why it ended. */
      fill: async ({ bytes, from = 0, atOnce = 1 }) => {
        const size = 3_000;
        // No two the same: databases compress what they keep.
        const ballast = () => crypto.getRandomValues(new Uint8Array(size));
        let n = 0;
        for (; n < bytes / size; n += atOnce) {
          const puts = Array.from({ length: atOnce }, (_, one) => store.put(bytesOf(`ballast ${from + n + one}`), ballast()));
          const failed = (await Promise.allSettled(puts)).find((put) => put.status === "rejected");
          if (failed) return { count: n, error: failed.reason.code ?? String(failed.reason) };
        }
        return { count: n };
      },
      log: readLog,
      /** What every commit asks twice. */
      check: () => claim.check(),
      left: () => left,
      slow: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(claim.epoch), ms)),
      spin: ({ ms }) => {
        const until = performance.now() + ms;
        while (performance.now() < until);
        return claim.epoch;
      },
      fileKeys: () => files.keys(),
      fileText: async ({ key }) => files.get(key).text(),
      inspectShared: async ({ key }) => {
        let lines = "";
        const handlers = new Engine(openSource, modules).handlers();
        await handlers.hello({ version: VERSION });
        const source = { kind: "blob", blob: files.get(key) };
        for await (const part of handlers.inspect({ source, name: key, isAlwaysNamed: false }, new AbortController().signal)) lines += part;
        return lines;
      },
    }),
    release: (tab) => left.push(tab),
    close: () => store.close(),
  };
});
