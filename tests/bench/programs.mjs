// How the viewer and its peer are told to open an archive, and how each says that it is done.

import { setTimeout as pause } from "node:timers/promises";
import { find } from "./driver.mjs";
import { PATIENCE_MS } from "./stage.mjs";

const DONE = `(() => {
  const store = document.querySelector("stackroom-app")?.store;
  const failure = store?.trouble ?? store?.stopped;
  if (failure) return { failed: String(failure.message) };
  return store?.progress?.isDone && store.archive ? { records: store.progress.records } : null;
})()`;

const KEPT = `(() => {
  const { keeping, trouble } = document.querySelector("stackroom-app").store.library ?? {};
  return keeping === "kept" || (trouble ? { failed: String(trouble.message) } : null);
})()`;
const READ = `(({ documentsEnd, documents }) => (documentsEnd === undefined && documents !== undefined) || null)(document.querySelector("stackroom-app").store.library.kept)`;

/**
 * Our viewer, as built. Every record is kept at `keptSeconds`, by which all can be looked up and replayed; it is done then,
 * or `withPages` when it is kept too what the documents among them say.
 */
export function stackroom(home, { withPages = true } = {}) {
  return {
    home,
    async open(page, source) {
      const start = performance.now();
      if (source.url) await page.navigate(`${home}?src=${encodeURIComponent(source.url)}`);
      else await page.setFile(find(`(element) => element.localName === "input" && element.id === "files"`), source.path);
      const { failed, records } = await page.until(DONE, PATIENCE_MS);
      if (failed) throw new Error(`the viewer could not open the archive: ${failed}`);
      const listedSeconds = (performance.now() - start) / 1000;
      const kept = await page.until(KEPT, PATIENCE_MS);
      if (kept.failed) throw new Error(`the viewer could not keep the archive: ${kept.failed}`);
      const keptSeconds = (performance.now() - start) / 1000;
      if (!withPages) return { records, listedSeconds, keptSeconds };
      await page.until(READ, PATIENCE_MS);
      // The answer is fetched by asking twice, since not every driver waits for promises.
      await page.evaluate(`(document.querySelector("stackroom-app").store.archive.memory().then((memory) => { window.benchMemory = memory; }), 0)`);
      return { records, listedSeconds, keptSeconds, memory: await page.until("window.benchMemory", 10_000) };
    },
  };
}

/** The answer by which ReplayWeb.page's own page learns that an archive is loaded: 404 before, 200 after. */
const LOADED = `performance.getEntriesByType("resource").some(({ name, responseStatus }) => /\\/w\\/api\\/c\\/[^/?]+\\?all=1$/.test(name) && responseStatus === 200) || null`;
/** The innermost element that says so; a click on it bubbles to whatever listens. */
const SAYS = (text) => find(`(element) => element.childElementCount === 0 && element.textContent.trim() === ${JSON.stringify(text)} && element.matches("span, button")`);

/**
 * ReplayWeb.page's app, a black box. `picker` says how a local file reaches it: "input" is the file input that it uses
 * where a browser has no file handles, "handle" is its way in Chromium; no dialog can be clicked here, so the handle is
 * one of a copy in the page's own private file system, made before the clock starts.
 */
export function replayWebPage(home, picker = "input") {
  return {
    home,
    async prepare(page, source) {
      if (source.url) return;
      if (picker === "input") return void (await page.beforePages("delete window.showOpenFilePicker"));
      await page.beforePages(`window.showOpenFilePicker = async () => [await (await navigator.storage.getDirectory()).getFileHandle("picked.warc.gz")]`);
      await page.navigate(home);
      await pause(1_000);
      await page.evaluate(`(async () => {
        const handle = await (await navigator.storage.getDirectory()).getFileHandle("picked.warc.gz", { create: true });
        await (await fetch(${JSON.stringify(source.copyFrom)})).body.pipeTo(await handle.createWritable());
      })()`);
    },
    async open(page, source) {
      if (source.url) await page.navigate(`${home}?source=${encodeURIComponent(source.url)}`);
      else {
        const answer = picker === "input" ? await page.chooseFile(source.path) : undefined;
        await page.evaluate(`${SAYS("Choose File...")}.click()`);
        await answer?.();
        await pause(300);
        await page.evaluate(`${SAYS("Load")}.click()`);
      }
      await page.until(LOADED, PATIENCE_MS);
      return {};
    },
  };
}
