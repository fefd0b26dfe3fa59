/** The composition root: one store over the library, the frame over the store, and the address bar over both. Nothing else. */
import { checkArchive, openArchive } from "stackroom";

import { linked, meant } from "./address.js";
import { startFor } from "./ahead.js";
import { warmFonts } from "./fonts.js";
import { isNothingKept, openForKeeping } from "./library/forkeeping.js";
import { Store } from "./state.js";
import { applyTheme, readTheme } from "./theme.js";
import "./views/app.js";

applyTheme(readTheme());

/** How long what is opened waits for the library, which may have it already, and keeps it if not. */
const patienceMs = 5_000;

const store = new Store(openArchive, checkArchive);

// A new version may come before what tells of it is there.
const { serviceWorker } = navigator;
const renewed = new Promise((resolve) => serviceWorker?.controller && serviceWorker.addEventListener("controllerchange", resolve));

/** Of the archive that the address bar names, or that was opened by hand since. */
let opened: string | undefined;

store.onSource = (url) => {
  const here = new URL(location.href);
  const said = linked().source;
  opened = url?.href;
  if (said !== null && url !== undefined && meant(said) === url.href) return;
  here.searchParams.delete("src");
  here.hash = "";
  if (url !== undefined) here.searchParams.set("src", url.href);
  if (here.href !== location.href) history.pushState(null, "", here);
};

async function follow(): Promise<void> {
  const { source, address } = linked();
  if (source !== null && address !== undefined) {
    store.shown = startFor(source, address.url);
    void import("./replay/view.js").catch(() => undefined);
  }
  const isOpen = source === null ? address !== undefined : store.phase !== "start" && meant(source) === opened;
  if (source !== null && (!isOpen || address === undefined)) await store.openAddress(source);
  else if (!isOpen && store.phase !== "start") await store.close();
  if (address !== undefined && store.phase === "open") store.replay(address);
}

/** Where the browser has no room for one, all else is as it would be. */
async function fetchLibrary(): Promise<void> {
  // Not before the address bar was followed: a page that it leads to needs no library in which nothing is yet.
  await null;
  if (isEmpty) await store.shown;
  const { openShelf } = await import("./library/shelf.js");
  await Promise.race([openShelf(store, openArchive), new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}

window.addEventListener("popstate", ({ state }) => store.library?.follows(state) || void follow());

const app = document.createElement("stackroom-app");
app.store = store;
document.body.prepend(app);
const isEmpty = isNothingKept();
if (isEmpty) store.early = (source, options) => openForKeeping(openArchive, source, options);
store.ready = fetchLibrary().catch(() => undefined);
void follow();
void store.shown.then(warmFonts);
void import("./offline/keep.js").then(({ keepOffline }) => keepOffline(store, renewed)).catch(() => undefined);
