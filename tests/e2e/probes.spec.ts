/** Everything an archived page may use, one by one, in replay: what differs from the web as it was is listed here by name. */
import { expect, test } from "@playwright/test";
import type { ReplaySetting } from "stackroom/replay";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { expected, probeArchive, probeNames, probePage, ways } from "./pages/replayprobes.mjs";
import { openViewer, show } from "./pages/replayviewer.js";

declare const probe: (name: string) => Promise<string>;

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

interface Layout {
  /** Of the viewer; the replay host of the tests answers every other name below localhost for it. */
  readonly viewerName: string;
  readonly setting: (port: number) => ReplaySetting;
  /** What is known to differ, by browser, and why. */
  readonly known: Record<BrowserName, Record<string, string>>;
}

// Synchronous requests of documents go past service workers, to a server that has nothing.
const synchronous = { "XHR sync in a document": "Nothing is here.\n" };
// A host that the page has not named before it hears from there.
const unnamed = { "message to an origin": "heard from a hidden host" };

const layouts: Record<string, Layout> = {
  "an origin for each host": {
    viewerName: "localhost",
    setting: (port) => ({ mode: "wildcard", template: `http://{label}.localhost:${port}` }),
    known: { chromium: synchronous, firefox: {} },
  },
  "hidden labels on another domain than the viewer's": {
    viewerName: "app.localhost",
    setting: (port) => ({ mode: "wildcard", template: `http://{label}.replay.localhost:${port}`, labels: "hash" }),
    known: { chromium: { ...synchronous, ...unnamed }, firefox: unnamed },
  },
  "one origin for all": {
    viewerName: "localhost",
    setting: (port) => ({ mode: "single", origin: `http://replay.localhost:${port}` }),
    known: { chromium: synchronous, firefox: {} },
  },
};

for (const [name, { viewerName, setting, known }] of Object.entries(layouts)) {
  test(`every probe finds what the web had on ${name}, but for what is known`, async ({ page, browserName }) => {
    test.setTimeout(120_000);
    const host = await startReplayHost({ archives: { "probes.warc.gz": probeArchive() }, viewerName });
    const answered = new Set<string>();
    page.on("response", (response) => response.ok() && answered.add(new URL(response.url()).pathname.replace(/^\/(?:-\/[^/]*\/)?/, "")));
    await page.exposeFunction("wasAnswered", (path: string) => answered.has(path));
    await openViewer(page, host, "probes.warc.gz", setting(host.port));
    const frame = await show(page, probePage, "body[data-probes=ready]");
    const found: Record<string, string> = {};
    for (const name of probeNames) found[name] = (await frame.evaluate((wanted) => probe(wanted), name)).replace(/http:\/\/x[a-z2-7]{20}-k3vq7a\.replay\.localhost:\d+/, "a hidden host");
    await host.close();
    const differing = probeNames.filter((name) => found[name] !== expected[name]);
    const rows = probeNames.map((name) => `${found[name] === expected[name] ? "ok  " : "NOT "} ${name}${found[name] === expected[name] ? "" : `: ${found[name]}, on the web ${expected[name]}`}`);
    console.log(`${browserName}, ${name}: ${probeNames.length - differing.length} of ${probeNames.length} probes as on the web\n${rows.join("\n")}`);
    expect(Object.fromEntries(differing.map((name) => [name, found[name]]))).toEqual(known[browserName as BrowserName]);
  });
}

let host: Awaited<ReturnType<typeof startReplayHost>>;

test.beforeAll(async () => {
  host = await startReplayHost({ archives: { "probes.warc.gz": probeArchive() } });
});

test.afterAll(() => host.close());

test("every way of going elsewhere leads into the archive", async ({ page }) => {
  await openViewer(page, host, "probes.warc.gz");
  for (const [name, code] of Object.entries(ways)) {
    const frame = await show(page, probePage, "body[data-probes=ready]");
    await frame.evaluate((text) => void setTimeout(() => (0, eval)(text)), code);
    await expect.poll(() => frame.evaluate(() => document.URL).catch(() => ""), { message: name }).toMatch(/^https:\/\/other\.example\/frame\?gone=?$/);
  }
});

test("what would open a window is the viewer's to show", async ({ page }) => {
  await openViewer(page, host, "probes.warc.gz");
  const frame = await show(page, probePage, "body[data-probes=ready]");
  await page.evaluate(() => addEventListener("message", ({ data }) => data.wa === "open" && (document.body.dataset["opened"] += ` ${data.url}`)));
  await frame.evaluate(() => {
    window.open("https://other.example/one");
    for (const target of ["_blank", "elsewhere"]) document.body.appendChild(Object.assign(document.createElement("a"), { href: `https://other.example/${target}`, target })).click();
  });
  await expect(page.locator("body")).toHaveAttribute("data-opened", /one https:\/\/other\.example\/_blank https:\/\/other\.example\/elsewhere$/);
});
