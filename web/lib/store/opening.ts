/** Opening a store once its module is loaded, whichever way that is done where it runs. */

import { ArchiveError } from "../errors.js";
import type { Finding } from "./packing.js";
import type { MakeStore } from "./pages.js";
import { Store, type StoreOptions } from "./store.js";

export interface OpenStoreOptions extends Omit<StoreOptions, "make"> {
  /** Where `store_bg.wasm` is, if not beside the library. */
  readonly wasmUrl?: string | URL | undefined;
}

export interface StoreOpener {
  /** Opens what a storage holds; an empty one becomes a new store. */
  openStore(options: OpenStoreOptions): Promise<Store>;
  /** Makes the index anew, of a store that cannot be opened or has damaged pages. Tells what was damaged. */
  rebuildStore(options: OpenStoreOptions): Promise<{ store: Store; findings: Finding[] }>;
}

export function storeOpener(load: (wasmUrl: string | URL | undefined) => Promise<MakeStore>): StoreOpener {
  const complete = async ({ wasmUrl, ...options }: OpenStoreOptions): Promise<StoreOptions> => {
    const make = await load(wasmUrl).catch((cause: unknown) => {
      throw new ArchiveError("store/not-loaded", "The store could not be loaded. Its .wasm file is missing, or the page's policy forbids WebAssembly.", { cause });
    });
    return { ...options, make };
  };
  return {
    openStore: async (options) => Store.open(await complete(options)),
    rebuildStore: async (options) => Store.rebuild(await complete(options)),
  };
}
