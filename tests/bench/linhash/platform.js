// What a browser has by itself, as contestants: IndexedDB, and a Map as the limit of what a store in memory can do.

import { isValue } from "./entries.js";

/** Requests that are under way at once when many values are asked for. */
const GETS_AT_ONCE = 1_000;

export async function indexedDb() {
  let db;
  const done = (transaction) =>
    new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  return {
    async open() {
      db = await new Promise((resolve, reject) => {
        const request = indexedDB.open("entries", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("entries");
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    },
    async load(set, batch) {
      // All in one transaction would be all in memory: it takes ten thousand at a time well.
      const most = Math.min(batch, 10_000);
      for (let from = 0; from < set.count; from += most) {
        const transaction = db.transaction("entries", "readwrite", { durability: "strict" });
        const entries = transaction.objectStore("entries");
        for (let n = from; n < Math.min(from + most, set.count); n++) entries.put(set.value(n), set.keys[n]);
        transaction.commit();
        await done(transaction);
      }
    },
    async get(set, order) {
      let wrong = 0;
      for (const n of order) {
        const transaction = db.transaction("entries");
        const request = transaction.objectStore("entries").get(set.keys[n]);
        await done(transaction);
        wrong += isValue(request.result, n, set) ? 0 : 1;
      }
      return wrong;
    },
    async getTogether(set, order) {
      let wrong = 0;
      for (let from = 0; from < order.length; from += GETS_AT_ONCE) {
        const part = Array.from(order.slice(from, from + GETS_AT_ONCE));
        const transaction = db.transaction("entries");
        const requests = part.map((n) => transaction.objectStore("entries").get(set.keys[n]));
        await done(transaction);
        requests.forEach((request, at) => (wrong += isValue(request.result, part[at], set) ? 0 : 1));
      }
      return wrong;
    },
    close: () => db.close(),
  };
}

export async function map() {
  const entries = new Map();
  // What a Map can look up is text or numbers, not bytes: latin-1 is the quickest way there.
  const textOf = (key) => String.fromCharCode.apply(null, key);
  const get = (set, order, asked) => {
    let wrong = 0;
    for (const [at, n] of order.entries()) if (!isValue(entries.get(textOf(asked ? asked[at] : set.keys[n])), n, set)) wrong += 1;
    return wrong;
  };
  return {
    get,
    getTogether: get,
    async open() {},
    load(set) {
      for (let n = 0; n < set.count; n++) entries.set(textOf(set.keys[n]), set.value(n).slice());
    },
    close() {},
  };
}
