/** Parts of the viewer that are fetched when they are asked for. */
import type { Store } from "./state.js";
import { words } from "./words.js";

/** What came. Where it does not, that is said: the network is gone, or a newer viewer lies where this one was. */
export async function arrived<T>(store: Store, part: Promise<T>): Promise<T | undefined> {
  try {
    return await part;
  } catch {
    store.say(words.partMissing);
    return undefined;
  }
}
