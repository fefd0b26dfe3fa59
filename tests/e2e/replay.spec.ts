/** Replay through the pipe: a site of ten pages as it was, bodies to the byte, many requests at once, and no way out. */
import { expect, test, type Frame } from "@playwright/test";
import { replayLaunch, type BrowserName } from "./pages/replaybrowser.mjs";
import { startCanary, startReplayHost } from "./pages/replayhost.mjs";
import { hostileArchive, largeFile, manyCount, manyFiles, manyText, site, tenPages, videoSeconds } from "./pages/replaysite.mjs";
import { openViewer, show, type TestViewer } from "./pages/replayviewer.js";

const LARGE_BYTES = 100 << 20;

declare const viewer: TestViewer;

test.use({ launchOptions: [async ({ browserName }, use) => use(replayLaunch(browserName as BrowserName)), { scope: "worker" }] });

let host: Awaited<ReturnType<typeof startReplayHost>>;
let canary: Awaited<ReturnType<typeof startCanary>>;

test.beforeAll(async () => {
  canary = await startCanary();
  const archives = { "ten.warc.gz": tenPages(), "many.warc.gz": manyFiles(), "hostile.warc.gz": hostileArchive() };
  host = await startReplayHost({ archives });
});

test.afterAll(async () => {
  await Promise.all([host.close(), canary.close()]);
});

/** A click by the page itself: Firefox's driver does not hit into frames of other sites. */
const press = (frame: Frame, selector: string) =>
  frame.locator(selector).evaluate((element) => (element as HTMLElement).click());

const naturalWidth = (frame: Frame, id: string) =>
  expect.poll(() => frame.evaluate((wanted) => (document.getElementById(wanted) as HTMLImageElement).naturalWidth, id));

test.describe("a site of ten pages", () => {
  test("every page shows its text, its pictures of two hosts, and what its scripts did", async ({ page }) => {
    await openViewer(page, host, "ten.warc.gz");
    for (let number = 1; number <= 10; number += 1) {
      const frame = await show(page, `${site}/page/${number}`, `h1:text-is("Page ${number} of ten")`);
      await naturalWidth(frame, "near").toBe(21);
      await naturalWidth(frame, "cdn").toBe(99 + number);
      await naturalWidth(frame, "set").toBe(99 + number);
      const seen = await frame.evaluate(() => ({
        script: document.documentElement.dataset["script"],
        inline: document.body.dataset["inline"],
        color: getComputedStyle(document.querySelector("h1") as Element).color,
      }));
      expect(seen).toEqual({ script: "ran from /site.js", inline: `/page/${number}`, color: "rgb(1, 2, 3)" });
    }
  });

  test("links, forms, redirects and frames of other hosts stay in the archive", async ({ page }) => {
    await openViewer(page, host, "ten.warc.gz");
    const frame = await show(page, `${site}/page/1`, "#next");
    await press(frame, "#absolute");
    await expect(frame.locator("h1")).toHaveText("Page 2 of ten");
    expect(new URL(frame.url()).hash).toBe("#here");
    await expect(frame.frameLocator("iframe").locator("p")).toHaveText("Framed from another host");
    await press(frame, "#next");
    await expect(frame.locator("h1")).toHaveText("Page 3 of ten");
    await press(frame, "#next");
    await press(frame, "button");
    await expect(frame.locator("#found")).toHaveText("Found by the form");
    const moved = await show(page, `${site}/moved`, "h1");
    await expect(moved.locator("h1")).toHaveText("Page 10 of ten");
    expect(await (await show(page, `${site}/nowhere`)).evaluate(() => document.body.textContent)).toContain("not in the archive");
  });

  test("a video plays from the middle by ranges", async ({ page }) => {
    await openViewer(page, host, "ten.warc.gz");
    const frame = await show(page, `${site}/page/3`, "video");
    const facts = await frame.evaluate(async () => {
      const video = document.querySelector("video") as HTMLVideoElement;
      const until = (event: string) => new Promise((resolve) => video.addEventListener(event, resolve, { once: true }));
      if (video.readyState < 1) await until("loadedmetadata");
      const seeked = until("seeked");
      video.currentTime = 50;
      await seeked;
      const part = await fetch(video.currentSrc, { headers: { Range: "bytes=44-47" } });
      const beyond = await fetch(video.currentSrc, { headers: { Range: "bytes=99999999-" } });
      return {
        duration: video.duration,
        at: video.currentTime,
        range: [part.status, part.headers.get("content-range"), (await part.arrayBuffer()).byteLength],
        beyond: beyond.status,
      };
    });
    const size = 44 + videoSeconds * 8000;
    expect(facts).toEqual({ duration: videoSeconds, at: 50, range: [206, `bytes 44-47/${size}`, 4], beyond: 416 });
  });

  test("every answer is under the policy, and nothing recorded undoes it", async ({ page }) => {
    await openViewer(page, host, "ten.warc.gz");
    const frame = await show(page, `${site}/page/1`, `h1:text-is("Page 1 of ten")`);
    const headers = await frame.evaluate(async () => Object.fromEntries((await fetch(location.href)).headers));
    expect(headers["content-security-policy"]).toContain(`default-src 'self' http://*.localhost:${host.port} `);
    expect(headers["connection-allowlist"]).toBe(`(response-origin "http://*.localhost:${host.port}/*")`);
    expect(headers["x-dns-prefetch-control"]).toBe("off");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["permissions-policy"]).toContain("camera=()");
    for (const name of ["x-frame-options", "strict-transport-security", "set-cookie"]) expect(headers).not.toHaveProperty(name);
  });
});

test("the server of a replay origin answers with what starts its pipe, and with nothing else", async ({ request }) => {
  const Host = `www-stack-example-k3vq7a.localhost:${host.port}`;
  for (const [path, headers, status, type] of [
    ["/.wa/sw.js", {}, 200, "text/javascript; charset=utf-8"],
    ["/any/page?x", { "Sec-Fetch-Mode": "navigate" }, 200, "text/html; charset=utf-8"],
    ["/", {}, 404, "text/plain; charset=utf-8"],
    ["/lib/index.js", {}, 404, "text/plain; charset=utf-8"],
    ["/archive/ten.warc.gz", { "Sec-Fetch-Mode": "no-cors" }, 404, "text/plain; charset=utf-8"],
  ] as const) {
    const answer = await request.get(`http://127.0.0.1:${host.port}${path}`, { headers: { Host, ...headers } });
    expect([path, answer.status(), answer.headers()["content-type"]]).toEqual([path, status, type]);
    expect(answer.headers()["content-security-policy"]).toContain(`default-src 'self' http://*.localhost:${host.port} `);
    expect(answer.headers()["connection-allowlist"]).toContain(`:${host.port}/*`);
  }
});

test("one call replays a page in an element, and the archive takes it along when it is closed", async ({ page }) => {
  await page.goto(`http://localhost:${host.port}/?archive=/archive/many.warc.gz&salt=k3vq7a`);
  await page.evaluate(async (url) => {
    const [{ openArchive }, { replay }] = await Promise.all([import("/lib/index.js" as string), import("/replay/index.js" as string)]);
    const archive = await openArchive(await (await fetch("/archive/ten.warc.gz")).blob());
    const frame = await replay(archive, document.body, { url, captured: Date.parse("2024") });
    Object.assign(globalThis, { archive, frame });
  }, `${site}/page/1`);
  const shown = page.frameLocator('iframe[title="Archived page"]');
  await expect(shown.locator("h1")).toHaveText("Page 1 of ten");
  const state = () => page.evaluate(() => (globalThis as unknown as { frame: { shown: { title: string; document: { captured: number } } } }).frame.shown);
  await expect.poll(async () => (await state()).title).toBe("Page 1");
  expect((await state()).document.captured).toBe(Date.parse("2024-03-01T12:00:00Z"));
  await page.evaluate(() => (globalThis as unknown as { archive: { close(): Promise<void> } }).archive.close());
  await expect(page.locator('iframe[title="Archived page"]')).toHaveCount(0);
});

test("a thousand requests, 25 at a time, are all answered right and travel together", async ({ page }) => {
  await openViewer(page, host, "many.warc.gz");
  const frame = await show(page, `${site}/`, "p");
  const texts = await frame.evaluate(async (count) => {
    const found: string[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const number = next++;
        found[number] = await (await fetch(`/file/${number}.txt`)).text();
      }
    };
    await Promise.all(Array.from({ length: 25 }, work));
    return found;
  }, manyCount);
  expect(texts).toEqual(Array.from({ length: manyCount }, (_, number) => manyText(number)));
  const counts = await page.evaluate(() => viewer.counts());
  expect(counts.ports).toBe(1);
  expect(counts.messagesIn).toBeLessThan(counts.gets);
});

test("a body of 100 MB arrives to the byte, whole and in parts", async ({ page }) => {
  const { archive, sha256, url } = largeFile(LARGE_BYTES);
  host.archives["large.warc"] = archive;
  await openViewer(page, host, "large.warc");
  const frame = await show(page, `${site}/`, "p");
  const found = await frame.evaluate(async (path) => {
    const body = await (await fetch(path)).blob();
    const text = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const bytes = new Uint8Array(await body.arrayBuffer());
    // Places where a player seeks to, the last bytes, and again the first ones.
    const parts: boolean[] = [];
    for (const at of [70 << 20, 12_345_678, bytes.length - 1_000, 0, 99 << 20]) {
      const end = Math.min(at + 300_000, bytes.length);
      const answer = await fetch(path, { headers: { Range: `bytes=${at}-${end - 1}` } });
      const part = new Uint8Array(await answer.arrayBuffer());
      parts.push(answer.status === 206 && part.length === end - at && part.every((byte, idx) => byte === bytes[at + idx]));
    }
    return { size: bytes.length, parts, sha256: text(await crypto.subtle.digest("SHA-256", bytes)) };
  }, new URL(url).pathname);
  delete host.archives["large.warc"];
  expect(found).toEqual({ size: LARGE_BYTES, parts: [true, true, true, true, true], sha256 });
});

test.describe("a hostile page", () => {
  test("reaches nothing of the viewer", async ({ page }) => {
    await openViewer(page, host, "hostile.warc.gz");
    const frame = await show(page, "https://evil.example/quiet", "p");
    const found = await frame.evaluate(async (viewerOrigin) => {
      const name = (error: unknown): string => (error instanceof Error ? error.name : String(error));
      const attempt = async (work: () => unknown): Promise<string> => {
        try {
          return `got ${String(await work())}`;
        } catch (error) {
          return name(error);
        }
      };
      const win = top as Window;
      return {
        document: await attempt(() => win.document.title),
        storage: await attempt(() => win.localStorage.getItem("secret")),
        viewer: await attempt(() => (win as unknown as { viewer: unknown }).viewer),
        navigate: await attempt(() => (win.location.href = "about:blank")),
        open: (await attempt(() => window.open("about:blank"))).replace("InvalidAccessError", "got null"),
        own: await attempt(() => localStorage.getItem("secret")),
        databases: await attempt(async () => (await indexedDB.databases()).length),
        fetch: await attempt(() => fetch(viewerOrigin)),
      };
    }, `http://localhost:${host.port}/`);
    expect(found).toEqual({
      document: "SecurityError",
      storage: "SecurityError",
      viewer: "SecurityError",
      navigate: "SecurityError",
      open: "got null",
      own: "got null",
      databases: "got 0",
      fetch: "TypeError",
    });
    expect(page.url()).toContain(`//localhost:${host.port}/?archive=`);
  });

  test("cannot take the policy off its documents with a port of its own", async ({ page }) => {
    await openViewer(page, host, "hostile.warc.gz");
    const frame = await show(page, "https://evil.example/quiet", "p");
    canary.forget();
    const policy = await frame.evaluate(async (address) => {
      const { port1, port2 } = new MessageChannel();
      const html = new TextEncoder().encode(`<script src="${address}/leak/forged"></` + "script>");
      port1.onmessage = ({ data }) => port1.postMessage(data.map(({ id }: { id: number }) => ({ op: "answer", id, status: 200, statusText: "", headers: [["content-type", "text/html"], ["content-security-policy", "default-src *"]], body: html.slice().buffer })));
      await new Promise((resolve) => setTimeout(resolve, 600));
      navigator.serviceWorker.controller?.postMessage({ wa: "port" }, [port2]);
      const answer = await fetch("/forged");
      const inner = document.createElement("iframe");
      inner.src = "/forged-page";
      await new Promise((resolve) => {
        inner.onload = resolve;
        document.body.append(inner);
      });
      return answer.headers.get("content-security-policy");
    }, canary.address);
    expect(policy).toContain(`default-src 'self' http://*.localhost:${host.port} `);
    expect(canary.seen.hits).toEqual([]);
  });

  test("asks over a port of its own for nothing but its collection, and is not heard when it talks nonsense", async ({ page }) => {
    await openViewer(page, host, "hostile.warc.gz");
    const frame = await show(page, "https://evil.example/quiet", "p");
    const heard = await frame.evaluate(async () => {
      const viewerOrigin = `${location.protocol}//${location.host.replace(/^[^.]+\./, "")}`;
      const get = (id: number, url: string, more: object = {}) => ({ op: "get", v: 2, id, url, method: "GET", mode: "cors", dest: "", range: null, clientId: "", resultingClientId: "", type: "", ...more });
      /** Until so many answers are there; for none it is waited a while. */
      const talk = async (messages: readonly unknown[], count: number): Promise<unknown[]> => {
        const { port1, port2 } = new MessageChannel();
        const answers: { op: string; id?: number; status?: number }[] = [];
        port1.onmessage = ({ data }) => answers.push(...(data as typeof answers));
        // The viewer's page, which has no other way in.
        (top as Window).postMessage({ wa: "port" }, viewerOrigin, [port2]);
        for (const message of messages) port1.postMessage(message);
        for (let left = 100; left > 0 && answers.length < count; left -= 1) await new Promise((resolve) => setTimeout(resolve, 100));
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return answers.map(({ op, id, status }) => [op, id, status]);
      };
      const own = location.origin;
      const other = own.replace(/-[a-z2-7]{6}\./, "-aaaaaa.");
      return {
        own: await talk([[get(1, `${own}/quiet`)]], 1),
        other: await talk([[get(1, `${other}/quiet`), get(2, `${viewerOrigin}/`), get(3, "file:///etc/passwd")]], 3),
        nonsense: await talk([[{ op: "open" }], [get(1, `${own}/quiet`)]], 0),
        huge: await talk([[get(1, `${own}/quiet`, { body: new ArrayBuffer((1 << 20) + 1) })], [get(2, `${own}/quiet`)]], 0),
        old: await talk([[get(1, `${own}/quiet`, { v: 1 })]], 1),
      };
    });
    expect(heard).toEqual({
      own: [["answer", 1, 200]],
      other: [["failed", 1, undefined], ["failed", 2, undefined], ["failed", 3, undefined]],
      nonsense: [],
      huge: [],
      old: [["failed", 1, undefined]],
    });
  });
});
