// The owner's worker of the kill tests: a store whose every value follows from its key, so that each can be judged.
import { Store } from "/lib/store/store.js";
import { hostOwner } from "/lib/tabs/index.js";
import init, { PageStore } from "/lib/wasm/store.js";

const keyOf = (key) => new TextEncoder().encode(`entry ${key}`);
const VALUE_BYTES_MAX = 2_500;
/** A part of the cache, so that what is read for some of them stays until all are answered. */
const KEYS_AT_ONCE = 256;

function valueOf(key) {
  const value = new Uint8Array(16 + ((key * 7919) % VALUE_BYTES_MAX));
  for (let at = 0; at < value.length; at++) value[at] = (key + at * 31 + (at >> 8)) & 255;
  return value;
}

const isSame = (a, b) => a !== undefined && a.length === b.length && a.every((byte, at) => byte === b[at]);

hostOwner(async (claim, _files, page) => {
  await init();
  const store = await Store.open({
    make: PageStore,
    storage: await claim.storage(),
    cacheBytes: 8 << 20,
    guard: (write) => claim.commit(write),
    onKept: () => page.askToPersist(),
  });
  const wrong = async (keys, mayBeAbsent) => {
    const found = [];
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      const some = keys.slice(at, at + KEYS_AT_ONCE);
      const values = await store.getMany(some.map(keyOf));
      // Whoever waits for a sign of life of this worker gets one.
      await new Promise((resolve) => setTimeout(resolve, 0));
      found.push(...some.filter((key, n) => (values[n] === undefined ? !mayBeAbsent : !isSame(values[n], valueOf(key)))));
    }
    return found;
  };
  return {
    handlers: () => ({
      epoch: () => claim.epoch,
      kind: () => claim.kind,
      put: ({ key }) => store.put(keyOf(key), valueOf(key)),
      /** Those of the keys that are not there with their value. */
      lost: ({ keys }) => wrong(keys, false),
      /** Those of the keys that are there with another value: of what was not acknowledged, too. */
      spoilt: ({ keys }) => wrong(keys, true),
      count: () => store.count(),
      verify: () => store.verify(),
    }),
    close: () => store.close(),
  };
});
