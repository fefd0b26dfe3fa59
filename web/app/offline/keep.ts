/** Has the browser keep the viewer for when the network is gone, once there is nothing better to do, and says when it is a new one. */
import type { Store } from "../state.js";

const quietMs = 2_000;

const words = { renewed: "There is a new version of Stackroom: it is used when this page is loaded again." };

/** `renewed`: another version than that of this page is kept now. The page that first has it kept is of the version that it keeps. */
export async function keepOffline(store: Store, renewed: Promise<unknown>): Promise<void> {
  const { serviceWorker } = navigator;
  // On the development server nothing is to be kept.
  if (!import.meta.env.PROD || !serviceWorker) return;
  void renewed.then(() => store.say(words.renewed));
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  const at = (path: string): string => new URL(path, document.baseURI).href;
  await serviceWorker.register(at("shell.js"), { updateViaCache: "none" });
  // What replays without scripts, where no other way can be had: offline that may be all that there is.
  await serviceWorker.register(at("replayed/sw.js"), { scope: at("replayed/"), updateViaCache: "none" });
}
