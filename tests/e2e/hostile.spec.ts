/**
 * Archived bytes never run, load, navigate or phone home. One archive holds every trick that the viewer could fall for;
 * each record is opened in every view, and a canary server, the browser's own events and the page's state say whether
 * anything got out. The bait is proven to be live first.
 */
import { expect, test, type Page } from "@playwright/test";
import { exchange, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";
import { png } from "./archives.js";
import { Viewer, startOrigin, type Origin, type TabName } from "./viewer.js";

interface Bait {
  readonly name: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that runs in a page: sets a mark, calls out in several ways, goes away, opens a window. */
const script = (canary: string, from: string): string =>
  `window.__pwned="${from}";localStorage.setItem("pwned","${from}");fetch("${canary}/fetch-${from}").catch(()=>0);` +
  `new Image().src="${canary}/image-${from}";navigator.sendBeacon&&navigator.sendBeacon("${canary}/beacon-${from}");` +
  `alert("${from}");window.open("${canary}/window-${from}");top.location="${canary}/top-${from}";`;

function document(canary: string): string {
  const run = script(canary, "html").replaceAll('"', "&quot;");
  return `<!doctype html><html><head><base href="${canary}/base/"><meta http-equiv="refresh" content="0;url=${canary}/refresh">
<link rel="stylesheet" href="${canary}/sheet.css"><link rel="preload" as="image" href="${canary}/preload"><link rel="dns-prefetch" href="${canary}/dns">
<style>@import "${canary}/import.css"; body { background: url(${canary}/background) }</style>
<script src="${canary}/script.js"></script><script>${script(canary, "inline")}</script></head>
<body onload="${run}"><img src="${canary}/img" onerror="${run}"><img src="x" onerror="${run}"><svg onload="${run}"></svg>
<iframe src="${canary}/frame"></iframe><iframe srcdoc="&lt;script&gt;parent.__pwned='srcdoc'&lt;/script&gt;"></iframe>
<object data="${canary}/object"></object><embed src="${canary}/embed"><video src="${canary}/video" poster="${canary}/poster"></video>
<form action="${canary}/form"><input autofocus onfocus="${run}"></form><a href="javascript:${run}" id="js">x</a>
<pre></pre></template></textarea></title></style></script></xmp><img src=x onerror="${run}"></body></html>`;
}

const svg = (canary: string): string =>
  `<?xml version="1.0"?><?xml-stylesheet href="${canary}/svg.css"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="${script(canary, "svg").replaceAll('"', "&quot;")}">
<script>${script(canary, "svgscript").replaceAll("&", "&amp;")}</script><image href="${canary}/svg-image" width="9" height="9"/>
<use xlink:href="${canary}/use#a"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${canary}/svg-frame"/></foreignObject></svg>`;

const xml = (canary: string): string =>
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${canary}/style.xsl"?>
<!DOCTYPE a [<!ENTITY out SYSTEM "${canary}/entity"><!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;">]>
<a xmlns:h="http://www.w3.org/1999/xhtml">&out;&d;<h:script>${script(canary, "xml").replaceAll("&", "&amp;")}</h:script><h:img src="${canary}/xml-img"/></a>`;

/** A GIF whose dimensions spell a comment, so that the whole file is a script as well. */
const gifScript = (canary: string): Uint8Array =>
  Buffer.concat([Buffer.from("GIF89a/*", "latin1"), Buffer.alloc(20), Buffer.from(`*/=1;${script(canary, "gif")}`, "latin1")]);

function deep(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** Stands for text directions turned round, for hidden characters, and for control characters. */
const disguise = "\u202egnp.exe\u202c\u2066\u200b\u0007\u001b[31m";

function baits(canary: string): Bait[] {
  const html = document(canary);
  const markup = `"><img src=x onerror=${script(canary, "attribute")}><script>${script(canary, "header")}</script>`;
  return [
    { name: "document", type: "text/html; charset=utf-8", body: html },
    { name: "document-utf7", type: "text/html; charset=utf-7", body: `+ADw-script+AD4-${script(canary, "utf7")}+ADw-/script+AD4-` },
    { name: "vector", type: "image/svg+xml", body: svg(canary) },
    { name: "vector-as-png", type: "image/png", body: svg(canary) },
    { name: "xml", type: "application/xml", body: xml(canary) },
    { name: "xhtml", type: "application/xhtml+xml", body: xml(canary) },
    { name: "json-as-html", type: "text/html", body: JSON.stringify({ html, "__proto__": { polluted: 1 }, "</script>": html }) },
    { name: "json", type: "application/json", body: `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"x":${JSON.stringify(html)}}` },
    { name: "json-deep", type: "application/json", body: deep(100_000) },
    { name: "html-as-png", type: "image/png", body: html },
    { name: "html-as-jpeg", type: "image/jpeg", body: html },
    { name: "style", type: "text/css", body: `@import url("${canary}/import.css");*{background:url(${canary}/star)}@font-face{font-family:a;src:url(${canary}/font)}` },
    { name: "script", type: "text/javascript", body: script(canary, "script") },
    { name: "gif-script", type: "image/gif", body: gifScript(canary) },
    { name: "png-huge", type: "image/png", body: png(40_000, 40_000, 2) },
    { name: "png-as-html", type: "text/html", body: png(8, 8) },
    { name: "pdf", type: "application/pdf", body: `%PDF-1.7\n1 0 obj<</OpenAction<</S/URI/URI(${canary}/pdf)>>>>endobj` },
    { name: "refresh-header", type: "text/html", body: "x", headers: { Refresh: `0;url=${canary}/refresh-header`, Location: `${canary}/location`, Link: `<${canary}/link>; rel=preload` } },
    { name: "header-markup", type: `text/html${markup}`, body: "x", headers: { "X-Markup": markup, "Set-Cookie": "pwned=1", [`X-${"long".repeat(300)}`]: "y".repeat(300_000) } },
    { name: "javascript-url", type: "text/html", body: "x", url: `javascript:${script(canary, "url")}` },
    { name: "data-url", type: "text/html", body: "x", url: `data:text/html,<script>${script(canary, "data")}</script>` },
    { name: "markup-url", type: "text/html", body: "x", url: `https://markup.example/${markup.replaceAll(" ", "%20")}` },
    { name: "disguised-url", type: "text/html", body: "x", url: `https://disguise.example/${encodeURI("safe")}${disguise.replaceAll(/[\u0007\u001b]/g, "")}` },
    { name: "long-url", type: "text/html", body: "x", url: `https://long.example/${"a".repeat(1_000_000)}` },
    { name: "nested-tags", type: "text/html", body: "<div>".repeat(200_000) },
    { name: "one-line", type: "text/plain", body: `${disguise}${"x".repeat(900_000)}` },
  ];
}

function hostileArchive(canary: string): Uint8Array {
  const records = baits(canary).flatMap(({ name, type, body, url, headers }) =>
    exchange({ url: url ?? `https://hostile.example/${name}`, headers: { "Content-Type": type, ...headers }, body }).slice(0, 1),
  );
  const odd = warcRecord({ type: "resource", url: "https://hostile.example/resource", headers: { "Content-Type": "text/html" }, block: document(canary) });
  return warcGz(warcInfo({ fields: { software: `<script>${script(canary, "info")}</script>` } }), records, odd);
}

/** What must not happen while the page lives, in the words of the browser. */
function watch(page: Page, own: string): string[] {
  const alarms: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith(`blob:${own}`)) alarms.push(`request ${url.slice(0, 200)}`);
    if (request.isNavigationRequest() && !url.startsWith(own)) alarms.push(`navigation ${url.slice(0, 200)}`);
  });
  page.on("dialog", (dialog) => {
    alarms.push(`dialog ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined);
  });
  page.on("popup", (popup) => alarms.push(`window ${popup.url()}`));
  page.on("frameattached", () => alarms.push("frame"));
  page.on("download", (download) => alarms.push(`download ${download.suggestedFilename()}`));
  page.on("pageerror", (error) => alarms.push(`error ${error.message}`));
  page.on("console", (message) => {
    // A refusal by the policy would mean that something got as far as asking.
    if (/Content.Security.Policy|Refused to|blocked/i.test(message.text())) alarms.push(`policy ${message.text()}`);
  });
  return alarms;
}

/** Elements that nothing archived may become, and the pictures, of all there is on the page. */
function elementsOf(page: Page): Promise<{ bad: string[]; images: string[] }> {
  return page.evaluate(() => {
    const wanted = "script:not([src^='/assets/']), iframe, frame, object, embed, video, audio, base, form, a[href], [style*='url(']";
    const all = (root: Document | ShadowRoot): Element[] =>
      [...root.querySelectorAll("*")].flatMap((element) => [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
    const elements = all(window.document);
    const handlers = elements.filter((element) => element.getAttributeNames().some((attribute) => attribute.startsWith("on")));
    const bad = elements.filter((element) => element.matches(wanted) && !element.closest("stackroom-start"));
    return {
      bad: [...bad, ...handlers].map((element) => element.outerHTML.slice(0, 200)),
      images: elements.filter((element) => element instanceof HTMLImageElement).map((image) => (image as HTMLImageElement).src),
    };
  });
}

const views: readonly TabName[] = ["Preview", "Headers", "Text", "JSON", "Hex", "Page"];

let canary: Origin;

test.beforeAll(async () => {
  canary = await startOrigin((_, response) => {
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" });
    response.end();
  });
});
test.afterAll(async () => canary.close());

test("the bait is live: opened as a document, it calls the canary and raises the alarm", async ({ page, baseURL }) => {
  const alarms = watch(page, new URL(baseURL ?? "").origin);
  await page.route("**/bait", (route) => route.fulfill({ contentType: "text/html", body: document(canary.address) }));
  await page.goto("/bait", { waitUntil: "commit" }).catch(() => undefined);
  await expect.poll(() => canary.asked.length).toBeGreaterThan(0);
  expect(alarms.join("\n")).toContain(`request ${canary.address}`);
});

test("no record gets out of any view, and becomes no element but text and one picture of proven kind", async ({ page, baseURL }) => {
  test.slow();
  const own = new URL(baseURL ?? "").origin;
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.hasLibrary();
  const here = page.url();
  canary.asked.length = 0;
  const alarms = watch(page, own);
  const pictures = new Set<string>();
  await viewer.pick({ name: "hostile.warc.gz", bytes: hostileArchive(canary.address) });
  await viewer.ready();
  await viewer.kept();
  const count = await viewer.rows.count();
  expect(count).toBe(baits("").length + 2);

  await viewer.list.press("Home");
  await viewer.list.press("Enter");
  for (let at = 0; at < count; at += 1) {
    for (const view of views) {
      if ((await viewer.tab(view).count()) === 0) continue;
      await viewer.show(view);
      await expect(viewer.panel).not.toContainText("Reading the body");
      // Whatever would run, runs when a frame is drawn or a timer fires.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
      const { bad, images } = await elementsOf(page);
      expect(bad, `record ${at} in ${view}`).toEqual([]);
      for (const image of images) {
        expect(image).toMatch(/^blob:/);
        pictures.add((await viewer.detail.getByRole("heading").first().innerText()).split("/").at(-1) ?? "");
      }
    }
    const before = await viewer.list.getAttribute("aria-activedescendant");
    await viewer.list.press("ArrowDown");
    if (at + 1 < count) await expect(viewer.list).not.toHaveAttribute("aria-activedescendant", before ?? "");
    if (at + 1 < count) await expect(viewer.rows.nth(at + 1)).toHaveAttribute("aria-selected", "true");
  }
  for (const text of ["javascript:", "script", "<img", "onerror"]) {
    await viewer.filter.fill(text);
    await expect(viewer.count.or(page.getByTestId("hits"))).toBeAttached();
  }

  // The GIF that is a script claims dimensions of its own, too; whether it is drawn or refused, it is a GIF to the browser.
  expect([...pictures].filter((name) => name !== "gif-script")).toEqual(["png-as-html"]);
  expect(await page.evaluate(() => "__pwned" in globalThis)).toBe(false);
  expect(await page.evaluate(() => "polluted" in {})).toBe(false);
  // The viewer itself notes that there is something in its library.
  expect(await page.evaluate(() => [Object.keys(localStorage).filter((name) => name !== "stackroom.kept").length, sessionStorage.length, window.document.cookie, frames.length])).toEqual([0, 0, "", 0]);
  // What is searched for is told behind the `#`.
  expect(page.url().replace(/#.*/s, "")).toBe(here);
  expect(page.context().pages()).toEqual([page]);
  expect(alarms).toEqual([]);
  expect(canary.asked).toEqual([]);
});

test("a picture that would exhaust the memory is refused by its header", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "hostile.warc.gz", bytes: hostileArchive(canary.address) });
  await viewer.ready();
  await viewer.openRecord("/png-huge");
  await expect(viewer.panel).toContainText("40,000 \u00d7 40,000 pixels");
  await expect(viewer.panel.locator("img")).toHaveCount(0);
});

test("what hides in a URL is made visible, and a long one is cut", async ({ page }) => {
  const viewer = new Viewer(page);
  await viewer.visit();
  await viewer.pick({ name: "hostile.warc.gz", bytes: hostileArchive(canary.address) });
  await viewer.ready();
  await expect(viewer.row("disguise.example")).toContainText("\u27e8U+202E\u27e9");
  await expect(viewer.row("disguise.example")).toContainText("\u27e8U+200B\u27e9");
  expect((await viewer.row("long.example").innerText()).length).toBeLessThan(1_000);
  await viewer.openRecord("long.example");
  expect((await viewer.detail.getByRole("heading").first().innerText()).length).toBeLessThan(3_000);
});
