// How the viewer and its peer are told to open an archive, and how each says that it is done.

import { PATIENCE_MS } from "./stage.mjs";

/** Our viewer, as built. It is done when its store holds every record. */
export function stackroom(home) {
  return {
    home,
    async open(page, source) {
      if (source.url) await page.goto(`${home}?src=${encodeURIComponent(source.url)}`, { waitUntil: "commit" });
      else await page.locator("input[type=file]").first().setInputFiles(source.path);
      const done = await page.waitForFunction(
        () => {
          const store = document.querySelector("stackroom-app")?.store;
          if (store?.trouble || store?.stopped) return { failed: String(store.trouble?.message ?? store.stopped?.message) };
          return store?.progress?.isDone ? { records: store.progress.records } : null;
        },
        undefined,
        { timeout: PATIENCE_MS, polling: 50 },
      );
      const { failed, records } = await done.jsonValue();
      if (failed) throw new Error(`the viewer could not open the archive: ${failed}`);
      const memory = await page.evaluate(() => document.querySelector("stackroom-app").store.archive.memory());
      return { records, memory };
    },
  };
}

/** The answer by which ReplayWeb.page's own page learns that an archive is loaded: 404 before, 200 after. */
const isLoaded = (response) => /\/w\/api\/c\/[^/?]+\?all=1$/.test(response.url()) && response.status() === 200;

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
      if (picker === "input") return void (await page.addInitScript(() => delete window.showOpenFilePicker));
      await page.addInitScript(() => {
        window.showOpenFilePicker = async () => [await (await navigator.storage.getDirectory()).getFileHandle("picked.warc.gz")];
      });
      await page.goto(home);
      await page.evaluate(async (from) => {
        const handle = await (await navigator.storage.getDirectory()).getFileHandle("picked.warc.gz", { create: true });
        await (await fetch(from)).body.pipeTo(await handle.createWritable());
      }, source.copyFrom);
    },
    async open(page, source) {
      const loaded = page.waitForResponse(isLoaded, { timeout: PATIENCE_MS });
      loaded.catch(() => undefined);
      if (source.url) await page.goto(`${home}?source=${encodeURIComponent(source.url)}`, { waitUntil: "commit" });
      else {
        const isInput = picker === "input";
        const chooser = isInput ? page.waitForEvent("filechooser") : undefined;
        await page.getByText("Choose File").click();
        if (isInput) await (await chooser).setFiles(source.path);
        await page.waitForTimeout(200);
        await page.getByRole("button", { name: "Load", exact: true }).click();
      }
      await loaded;
      return {};
    },
  };
}
