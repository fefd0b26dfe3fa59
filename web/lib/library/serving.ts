/** A library that tabs share, in its owner's worker: answers every tab, and tells all of them of changes. */

import type { HandlersOf } from "../port.js";
import { release } from "../release.js";
import { room } from "../store/room.js";
import type { Claim } from "../tabs/claim.js";
import { hostOwner, type Owned } from "../tabs/host.js";
import init, { KeptIndex, PageStore } from "../wasm/store.js";
import { changesChannel, type LibraryCalls } from "./calls.js";
import { isComplete } from "./keeping.js";
import { Library } from "./library.js";

export interface ServeOptions {
  /** Where `store_bg.wasm` is, if not beside the library. */
  readonly wasmUrl?: string | URL | undefined;
}

/** The whole of an owner's worker, see `owner.ts`. */
export function serveLibrary({ wasmUrl }: ServeOptions = {}): void {
  // While the claim is taken.
  const loaded = init(wasmUrl === undefined ? undefined : { module_or_path: wasmUrl });
  loaded.catch(() => {});
  hostOwner(async (claim, _files, page) => {
    await loaded;
    const library = await Library.open({
      storage: await claim.storage(),
      makeStore: PageStore,
      makeIndex: KeptIndex,
      guard: (write) => claim.commit(write),
      onKept: () => page.askToPersist(),
    });
    return served(library, claim, page.name);
  });
}

function served(library: Library, claim: Claim, name: string): Owned {
  const changes = new BroadcastChannel(changesChannel(name));
  /** What each tab is adding. */
  const adding = new Map<string, Set<number>>();
  const told = <T>(value: T): T => {
    changes.postMessage(null);
    return value;
  };
  const handlers = (tab: string): HandlersOf<LibraryCalls> => {
    const own = adding.get(tab) ?? new Set();
    adding.set(tab, own);
    return {
      kind: () => claim.kind,
      room,
      list: () => library.list(),
      async begin({ isAnew, ...archive }) {
        const begun = await library.begin(archive, { isAnew });
        if (!isComplete(begun)) own.add(begun.kept.id);
        return told(begun);
      },
      async keep({ id, from, rows }) {
        const kept = await library.keep(id, from, rows);
        release(rows);
        return kept;
      },
      async keepDocuments({ id, lot }) {
        await library.keepDocuments(id, lot);
        release(lot.documents);
        return null;
      },
      async commit({ id, now }) {
        const kept = await library.commit(id, now);
        if (now.isLast) own.delete(id);
        return told(kept);
      },
      async leave({ id }) {
        if (own.delete(id)) await library.leave(id);
        return told(null);
      },
      state: ({ id }) => library.state(id),
      storedRows: ({ id, from, count }) => library.storedRows(id, from, count),
      describe: async ({ id, description }) => told(await library.describe(id, description)),
      noteCopy: async ({ id, copy }) => told(await library.noteCopy(id, copy)),
      touch: async ({ id }) => told(await library.touch(id)),
      remove: async ({ id }) => told(await library.remove(id)),
      verify: () => library.verify(),
      async compact() {
        await library.compact();
        return told(null);
      },
      rows: async ({ id, from, count }) => (await library.index(id)).rows(from, count),
      sorted: async ({ id, asked }) => (await library.index(id)).sorted(asked),
      captures: async ({ id, urlKey, from, count }) => (await library.index(id)).captures(urlKey, { from, count }),
      nearest: async ({ id, urlKey, asked }) => (await library.index(id)).nearest(urlKey, asked),
      timeline: async ({ id, times }) => (await library.index(id)).timeline(times),
      period: async ({ id }) => (await library.index(id)).period(),
      hosts: async ({ id, under, asked }) => (await library.index(id)).hosts(under, asked),
      values: async ({ id, column, asked }) => (await library.index(id)).values(column, asked),
      documents: async ({ id, asked }) => (await library.index(id)).documents(asked),
      documentOf: async ({ id, row }) => (await library.index(id)).documentOf(row),
      text: async ({ id, row }) => (await library.index(id)).text(row),
      links: async ({ id, row }) => (await library.index(id)).links(row),
      documentCounts: async ({ id }) => (await library.index(id)).documentCounts(),
      search: async ({ id, asked }) => (await library.index(id)).searchStep(asked),
      verifyIndex: async ({ id }) => (await library.index(id)).verify(),
    };
  };
  return {
    handlers,
    release(tab) {
      for (const id of adding.get(tab) ?? []) void library.leave(id).then(() => told(null), () => {});
      adding.delete(tab);
    },
    async close() {
      changes.close();
      await library.close();
    },
  };
}
