// The owner's worker of the tabs tests: a real engine for every tab, and a log that only the owner's handle can grow.
import { Engine } from "/lib/engine.js";
import { modules } from "/lib/module.js";
import { VERSION } from "/lib/protocol.js";
import { openSource } from "/lib/source.js";
import { hostOwner } from "/lib/tabs/index.js";

/** epoch, key, number of the entry: 64-bit floats. */
const ENTRY_BYTES = 24;

hostOwner(async (claim, files) => {
  const log = await claim.open("log");
  const left = [];
  let ballast;
  let count = Math.floor(log.getSize() / ENTRY_BYTES);
  const put = ({ key }) =>
    claim.commit(() => {
      const entry = new Float64Array([claim.epoch, key, count]);
      log.write(entry, { at: count * ENTRY_BYTES });
      log.flush();
      return { epoch: claim.epoch, number: count++ };
    });
  const readLog = () => {
    const entries = new Float64Array((count * ENTRY_BYTES) / 8);
    log.read(entries, { at: 0 });
    return Array.from({ length: count }, (_, n) => ({ epoch: entries[3 * n], key: entries[3 * n + 1], number: entries[3 * n + 2] }));
  };
  return {
    handlers: () => ({
      ...new Engine(openSource, modules).handlers(),
      epoch: () => claim.epoch,
      generation: () => claim.generation,
      put,
      log: readLog,
      /** What every commit asks twice. */
      check: () => claim.check(),
      /** Bytes that a copy of the folder has to copy. */
      grow: async ({ megabytes }) => {
        ballast = await claim.open("ballast");
        const some = new Uint8Array(1e6).fill(7);
        for (let n = 0; n < megabytes; n++) ballast.write(some, { at: n * some.length });
        ballast.flush();
        return ballast.getSize();
      },
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
    close: () => {
      log.close();
      ballast?.close();
    },
  };
});
