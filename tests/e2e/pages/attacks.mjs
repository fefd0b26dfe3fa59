// Archived pages that turn against the one who looks at them, each by its address. What they found they put into
// `data-found` of their body, as JSON, when they are through.
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";

const tools = `
const tell = (found) => (document.body.dataset.found = JSON.stringify(found));
const soon = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const attempt = async (work) => {
  try {
    return "got " + (await Promise.race([work(), soon(1500).then(() => "nothing")]));
  } catch (error) {
    return error instanceof Error || error instanceof DOMException ? error.name : String(error);
  }
};
`;

/** What the viewer has, and others have, is looked for by every way there is. */
const reads = `(async () => {
  // As the browser has it, and not as replay tells it.
  const frame = document.body.appendChild(document.createElement("iframe"));
  const real = window[window.length - 1];
  const host = real.eval("parent.location.host") ?? "";
  const port = host.split(":")[1];
  const framed = (src) => new Promise((resolve) => {
    const inner = Object.assign(document.createElement("iframe"), { onload: () => resolve(inner) });
    real.Element.prototype.setAttribute.call(inner, "src", src);
    document.body.append(inner);
  });
  const inside = async (src) => attempt(async () => (await framed(src)).contentWindow.document.body.textContent);
  const up = real.eval("top");
  tell({
    storage: await attempt(() => up.localStorage.getItem("secret")),
    document: await attempt(() => up.document.title),
    global: await attempt(() => up.viewer),
    navigate: await attempt(() => { up.location.href = "about:blank"; }),
    own: await attempt(() => localStorage.getItem("secret")),
    session: await attempt(() => sessionStorage.getItem("secret")),
    databases: await attempt(async () => (await indexedDB.databases()).map(({ name }) => name).join()),
    caches: await attempt(async () => (await caches.keys()).join()),
    files: await attempt(async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names.join();
    }),
    cookies: await attempt(() => real.document.cookie),
    locks: await attempt(async () => (await navigator.locks.query()).held.length),
    workers: await attempt(() => real.navigator.serviceWorker.register("http://localhost:" + port + "/sw.js")),
    viewerFramed: await inside("http://localhost:" + port + "/"),
    otherHost: await inside("https://other.example/"),
    otherArchive: await inside("http://evil-example-aaaaaa.localhost:" + port + "/"),
    fetchViewer: await attempt(() => real.fetch("http://localhost:" + port + "/")),
    fetchOtherArchive: await attempt(async () => (await real.fetch("http://evil-example-aaaaaa.localhost:" + port + "/quiet")).status),
    channel: await attempt(() => new Promise((resolve) => {
      const names = ["stackroom", "stackroom/library", "library"];
      for (const name of names) new BroadcastChannel(name).onmessage = () => resolve("a message");
      setTimeout(() => resolve("nothing"), 300);
    })),
    opener: String(real.eval("parent.opener")),
    frameElement: await attempt(() => real.eval("parent.frameElement")),
  });
})();`;

/** Words and ports without number, of every shape. */
const floods = `(async () => {
  const realTop = (() => { document.body.append(document.createElement("iframe")); return window[window.length - 1].eval("top"); })();
  const long = "x".repeat(1 << 20);
  const odd = [null, 1, "port", [], {}, { wa: null }, { wa: "port" }, { wa: "nav" }, { wa: "nav", url: 1, title: {} }, { wa: "nav", url: "https://other.example/", title: "Other" },
    { wa: "title", title: long }, { wa: "cookie", cookie: long }, { wa: "cookie", cookie: 1 }, { wa: "blocked" }, { wa: "open" }, { wa: "open", url: "javascript:alert(1)" }, { wa: "open", url: "file:///etc/passwd" }, { wa: "here" }, { wa: "ready" }, { wa: "idle", url: long }, { wa: "marks", count: -1, at: long }, { wa: "marks", count: 1e300, at: {} }];
  for (const word of odd) realTop.postMessage(word, "*");
  for (let at = 0; at < 1000; at += 1) {
    realTop.postMessage({ wa: "title", title: "title " + at }, "*");
    realTop.postMessage({ wa: "nav", url: location.href + "#" + at, title: "n" + at }, "*");
    realTop.postMessage({ wa: "blocked", url: "https://live.example/" + at }, "*");
    realTop.postMessage({ wa: "cookie", cookie: "c" + at + "=1" }, "*");
  }
  for (let at = 0; at < 300; at += 1) {
    const { port1, port2 } = new MessageChannel();
    realTop.postMessage({ wa: "port" }, "*", [port2]);
    port1.postMessage(at % 3 === 0 ? "nonsense" : Array.from({ length: 50 }, (_, id) => ({ op: "get", v: 2, id, url: location.href + id, method: "GET", mode: "cors", dest: "", range: null, clientId: "", resultingClientId: "", type: "" })));
  }
  for (let at = 0; at < 500; at += 1) {
    document.title = "own " + at;
    try { history.pushState(null, "", "#p" + at); } catch {}
  }
  for (let at = 0; at < 300; at += 1) fetch("/absent/" + at).catch(() => {});
  await soon(300);
  tell("through");
})();`;

/** What belongs to the one who looks. */
const takes = `(async () => {
  // Firefox's driver is a user to every page that it asks: what nobody asked for is asked for when that is past.
  while (navigator.userActivation?.isActive) await soon(100);
  const opened = String(window.open("https://other.example/"));
  addEventListener("beforeunload", (event) => { event.preventDefault(); event.returnValue = "stay"; return "stay"; });
  const found = {
    window: opened,
    fullscreen: await attempt(() => document.documentElement.requestFullscreen()),
    notify: await attempt(() => Notification.requestPermission()),
    place: await attempt(() => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(() => resolve("a place"), () => reject("refused")))),
    camera: await attempt(() => navigator.mediaDevices.getUserMedia({ video: true })),
    clipboard: await attempt(() => navigator.clipboard.readText()),
  };
  document.body.style.cssText = "position: fixed; inset: -1000px; z-index: 2147483647; background: red";
  tell(found);
  setInterval(() => focus(), 20);
  await soon(1500);
  for (let at = 0; at < 5; at += 1) alert("stay");
})();`;

const loops = `addEventListener("load", () => setTimeout(() => { for (;;) Math.sqrt(2); }, 300));`;

const hoards = `(() => {
  const held = [];
  try { for (let at = 0; at < 24; at += 1) held.push(new ArrayBuffer(1 << 30)); } catch {}
  try { held.push("x".repeat(2 ** 29)); } catch {}
  const all = document.createDocumentFragment();
  for (let at = 0; at < 100000; at += 1) all.append(document.createElement("i"));
  document.body.append(all);
  tell("through");
})();`;

/** Goes round in circles over its own hosts. */
const circles = `setTimeout(() => (location.href = "https://evil.example/circles?" + ((Number(location.search.slice(1)) + 1) % 5)), 100);`;

const pages = { reads, floods, takes, loops, hoards };

const page = (url, name, script) => exchange({ url, headers: { "Content-Type": "text/html" }, body: `<!doctype html><title>${name}</title><body><h1>${name}</h1><script>${tools}${script}</script>` });

export function attackArchive() {
  return warcGz(
    warcInfo(),
    Object.entries(pages).map(([name, script]) => page(`https://evil.example/${name}`, name, script)).flat(),
    Array.from({ length: 6 }, (_, at) => page(`https://evil.example/circles${at === 0 ? "" : `?${at - 1}`}`, "circles", circles)).flat(),
    page("https://evil.example/quiet", "quiet", ""),
    page("https://other.example/", "other", "localStorage.setItem('secret', 'of other'); document.body.append('secret of other');"),
  );
}
