/** The package in a fresh Vite app: built and reloading, nothing inlined, run in a real Chromium under the viewer's policy. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { chromium } from "@playwright/test";
import { build, createServer } from "vite";
import { at } from "../../web/build/place.mjs";
import { driverOptions } from "../e2e/browser.mjs";
import { pack, project, tinyPlain, tinyUrls } from "./installed.mjs";

const packed = pack();
const app = project(packed, "vite");
app.write("public/tiny.warc", tinyPlain());
app.write("index.html", '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title><script type="module" src="/main.js"></script>');
app.write(
  "main.js",
  `import { openArchive } from "stackroom";
   async function list(source) {
     const archive = await openArchive(source);
     await archive.indexed;
     const urls = (await archive.rows(0, 10)).map((row) => row.url);
     await archive.close();
     return urls;
   }
   const url = new URL("/tiny.warc", location.href);
   const blob = await (await fetch(url)).blob();
   window.lists = Promise.all([list(url), list(blob)]);`,
);
const output = join(app.folder, "dist");
const vite = { root: app.folder, configFile: false, logLevel: "warn" };

let browser;
before(async () => {
  browser = await chromium.launch(driverOptions("chromium").launchOptions);
});
after(async () => {
  await browser?.close();
  packed.remove();
});

/** Opens the app and gives what it listed, by URL and as a Blob. */
async function listsAt(address) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  // Vite's development server may find the package late and load the page again.
  await page.waitForFunction(() => window.lists !== undefined, null, { timeout: 60_000 }).catch(() => assert.fail(`the app did not start: ${complaints.join("; ")}`));
  const lists = await page.evaluate(() => window.lists);
  await page.close();
  assert.deepEqual(complaints, []);
  return lists;
}

describe("built", () => {
  let files;
  before(async () => {
    await build({ ...vite, build: { emptyOutDir: true } });
    files = readdirSync(output, { recursive: true }).map(String);
  });

  test("the WASM and the worker are files of their own", () => {
    assert.ok(files.some((path) => /engine_bg-[\w-]+\.wasm$/.test(path)), files.join(" "));
    assert.ok(files.some((path) => /worker-[\w-]+\.js$/.test(path)), files.join(" "));
  });

  test("nothing is inlined", () => {
    for (const path of files.filter((path) => /\.(?:js|html|css)$/.test(path))) {
      const text = readFileSync(join(output, path), "utf8");
      // "AGFzbQ" is how every WASM module begins in base64.
      assert.doesNotMatch(text, /data:application\/wasm|AGFzbQ|data:(?:text|application)\/javascript/, path);
    }
  });

  test("it runs in Chromium under the strict policy", async () => {
    const { startServer } = await import(pathToFileURL(at("dist/serve/server.js")).href);
    const server = await startServer({ root: output, port: 0 });
    try {
      assert.deepEqual(await listsAt(server.url), [tinyUrls, tinyUrls]);
    } finally {
      await server.close();
    }
  });
});

test("reloading: it runs in Chromium from Vite's development server", async () => {
  const server = await createServer({ ...vite, server: { port: 0, host: "127.0.0.1" } });
  await server.listen();
  try {
    assert.deepEqual(await listsAt(server.resolvedUrls.local[0]), [tinyUrls, tinyUrls]);
  } finally {
    await server.close();
  }
});
