/** What the first load leaves to other modules, from the outside: bodies in rarer codings, digests, files of other formats. */
import { expect, test, type Page } from "@playwright/test";
import { brotliCompressSync } from "node:zlib";
import { allCases } from "../fixtures/cases.mjs";
import { exchange, httpResponse, warcGz, warcRecord } from "../fixtures/warc.js";
import { keepNothing, Viewer } from "./viewer.js";

interface File {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const fixture = (name: string): File => {
  const found = allCases().find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no fixture ${name}`);
  return { name: name.split("/").at(-1) ?? name, bytes: found.bytes };
};

async function open(page: Page, file: File): Promise<Viewer> {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.drop([file]);
  await viewer.ready();
  return viewer;
}

/** Modules that are fetched from now on, by the start of their names. */
function fetchedModules(page: Page): string[] {
  const fetched: string[] = [];
  page.on("request", (request) => {
    const module = /(\w+)_bg[^/]*\.wasm$/.exec(new URL(request.url()).pathname)?.[1];
    if (module !== undefined) fetched.push(module);
  });
  return fetched;
}

/** Opens the response to a URL that no other one contains. */
async function openResponse(viewer: Viewer, url: string): Promise<void> {
  await viewer.filter.fill(url);
  await viewer.rows.filter({ hasText: url }).filter({ hasText: "response" }).first().click();
  await expect(viewer.detail).toBeVisible();
}

async function checkDigests(viewer: Viewer): Promise<void> {
  await viewer.panel.getByRole("button", { name: "Check the digests" }).click();
}

test("a HAR file opens", async ({ page }) => {
  const viewer = await open(page, fixture("bundles/version-1.2.har"));
  await viewer.rows.first().click();
  await expect(viewer.detail).toBeVisible();
});

test("a body in br is decoded by a module that only then is fetched", async ({ page }) => {
  await keepNothing(page);
  const fetched = fetchedModules(page);
  const body = "Reading room. ".repeat(400);
  const record = exchange({ url: "https://br.example/", headers: { "Content-Type": "text/plain", "Content-Encoding": "br" }, body: brotliCompressSync(Buffer.from(body)) });
  const viewer = await open(page, { name: "br.warc.gz", bytes: warcGz(record) });
  expect(fetched).not.toContain("tools");
  await openResponse(viewer, "https://br.example/");
  await viewer.show("Text");
  await expect(viewer.panel).toContainText("Reading room. Reading room.");
  expect(fetched.filter((module) => module === "tools")).toHaveLength(1);
  // The list is still that of the first module.
  await viewer.filter.fill("br.example");
  await expect(viewer.count).toContainText("2 of");
});

test("bodies in zstd and in several codings are decoded", async ({ page }) => {
  const viewer = await open(page, fixture("payloads/codings.warc.gz"));
  for (const name of ["br", "zstd", "gzip-then-br", "br-then-gzip", "deflate-then-zstd", "zstd-of-two-frames", "chunked-br"]) {
    await test.step(name, async () => {
      await viewer.filter.fill(`http://coded.example/${name}`);
      await viewer.rows.filter({ hasText: new RegExp(`coded\\.example/${name}(?![\\w-])`) }).filter({ hasText: "response" }).first().click();
      await expect(viewer.detail).toContainText(`coded.example/${name}`);
      await viewer.show("Text");
      await expect(viewer.panel).toContainText("the same line again and again");
    });
  }
});

test("the digests of a record are compared when that is asked for", async ({ page }) => {
  const block = httpResponse({ headers: { "Content-Type": "text/plain" }, body: "abc" });
  const states = (name: string, digest: string): Uint8Array =>
    warcRecord({ url: `https://digest.example/${name}`, headers: { "WARC-Payload-Digest": `sha1:${digest}` }, block });
  const records = [states("right", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"), states("wrong", "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE6")];
  const viewer = await open(page, { name: "digests.warc.gz", bytes: warcGz(...records) });
  await openResponse(viewer, "https://digest.example/right");
  await checkDigests(viewer);
  await expect(viewer.panel).toContainText("Payload digest: holds (of the bytes as stored)");

  await openResponse(viewer, "https://digest.example/wrong");
  await expect(viewer.panel).not.toContainText("Payload digest");
  await checkDigests(viewer);
  await expect(viewer.panel).toContainText("Payload digest: differs");
  await expect(viewer.panel).toContainText("sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
});

test("a digest that the first module has no algorithm for is compared by a larger one", async ({ page }) => {
  await keepNothing(page);
  const fetched = fetchedModules(page);
  const viewer = await open(page, fixture("digests/right.warc"));
  await openResponse(viewer, "http://weighed.example/sha1-0");
  await checkDigests(viewer);
  await expect(viewer.panel).toContainText("Payload digest: holds");
  expect(fetched).not.toContain("tools");
  for (const name of ["sha512-0", "blake3-0"]) {
    await openResponse(viewer, `http://weighed.example/${name}`);
    await expect(viewer.detail).toContainText(name);
    await checkDigests(viewer);
    await expect(viewer.panel).toContainText("Payload digest: holds");
  }
  expect(fetched.filter((module) => module === "tools")).toHaveLength(1);
  // The list is still that of the first module.
  await viewer.filter.fill("http://weighed.example/without-chunks");
  await openResponse(viewer, "http://weighed.example/without-chunks");
  await expect(viewer.detail).toContainText("without-chunks");
  await checkDigests(viewer);
  await expect(viewer.panel).toContainText("Payload digest: holds (of the bytes without their chunking)");
});
