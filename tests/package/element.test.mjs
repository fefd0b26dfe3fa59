/** The element from the package, in a page of somebody else: by attributes alone, built by Vite, in a real Chromium. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { chromium } from "@playwright/test";
import { build } from "vite";
import { at } from "../../web/build/place.mjs";
import { replayLaunch } from "../e2e/pages/replaybrowser.mjs";
import { chronicle, chronicleArchive } from "../e2e/pages/replaysite.mjs";
import { pack, project } from "./installed.mjs";

const packed = pack();
const app = project(packed, "element");
app.write("public/chron.warc.gz", chronicleArchive());
app.write("main.js", `import "stackroom/element";
window.told = [];
for (const name of ["open", "change", "error"]) addEventListener("stackroom-" + name, ({ target, detail }) => window.told.push(name + " " + (target.shown?.url ?? detail ?? "")));`);
app.write("index.html", `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title>
<script type="module" src="/main.js"></script><stackroom-viewer src="chron.warc.gz" url="${chronicle.url}" ts="2014"></stackroom-viewer>`);

let browser;
let server;
before(async () => {
  // Vite makes scripts of workers that cannot fetch more of themselves, unless told otherwise.
  await build({ root: app.folder, configFile: false, logLevel: "warn", worker: { format: "es" }, build: { emptyOutDir: true } });
  const { startServer } = await import(pathToFileURL(at("dist/serve/server.js")).href);
  server = await startServer({ root: join(app.folder, "dist"), port: 0 });
  browser = await chromium.launch(replayLaunch("chromium"));
});
after(async () => {
  await browser?.close();
  await server?.close();
  packed.remove();
});

test("it opens an archive and replays a page, goes elsewhere by its attributes, and tells what became of it", async () => {
  const page = await browser.newPage();
  await page.goto(server.url);
  const shows = (heading) => page.locator("stackroom-viewer iframe:not([hidden])").contentFrame().locator(`h1:text-is("${heading}")`).waitFor({ timeout: 30_000 });
  const told = () => page.evaluate(() => window.told);
  await shows("Chronicle of 2014");
  assert.match((await told())[0], /^open/);
  await page.evaluate(() => document.querySelector("stackroom-viewer").setAttribute("ts", "2016"));
  await shows("Chronicle of 2016");
  await page.evaluate(() => document.querySelector("stackroom-viewer").setAttribute("url", "https://other.example/"));
  await shows("Another site");
  assert.ok((await told()).includes("change https://other.example/"), (await told()).join(", "));
  await page.evaluate(() => document.querySelector("stackroom-viewer").back());
  await shows("Chronicle of 2016");
  await page.evaluate(() => document.querySelector("stackroom-viewer").setAttribute("src", "nothing.warc.gz"));
  await page.waitForFunction(() => window.told.some((word) => word.startsWith("error")), null, { timeout: 30_000 });
  assert.equal(await page.locator("stackroom-viewer iframe").count(), 0);
  await page.close();
});
