/** The composition root: one store over the library, the frame over the store, and the address bar over both. Nothing else. */
import { checkArchive, openArchive } from "stackroom";

import { warmFonts } from "./fonts.js";
import { Store } from "./state.js";
import { applyTheme, readTheme } from "./theme.js";
import "./views/app.js";

applyTheme(readTheme());

/** How long what is opened waits for the library, which may have it already, and keeps it if not. */
const patienceMs = 1_500;

const store = new Store(openArchive, checkArchive);

/** What the address bar says is open, in the form it was given. */
function linked(): string | null {
  return new URL(location.href).searchParams.get("src");
}

store.onSource = (url) => {
  const here = new URL(location.href);
  const said = linked();
  if (url === undefined) here.searchParams.delete("src");
  else if (said === null || new URL(said, document.baseURI).href !== url.href) here.searchParams.set("src", url.href);
  if (here.href !== location.href) history.pushState(null, "", here);
};

function follow(): void {
  const source = linked();
  if (source !== null) void store.openAddress(source);
  else if (store.phase !== "start") void store.close();
}

window.addEventListener("popstate", follow);

const app = document.createElement("stackroom-app");
app.store = store;
document.body.prepend(app);
// Where the browser has no room for one, all else is as it would be.
const library = import("./library/shelf.js").then(({ openShelf }) => openShelf(store, openArchive)).catch(() => undefined);
store.ready = Promise.race([library, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
follow();
warmFonts();
