// Archives that play with who looks at them: the five kinds of attack that are known of replay systems, as records.
// What a page found it puts into `data-found` of its body, as JSON.
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";

const captured = "2014-05-03T10:00:00Z";
const later = "2016-06-01T10:00:00Z";
const file = (url, type, body, date = captured) => exchange({ url, date, headers: { "Content-Type": type }, body });
const page = (url, body, date = captured) => file(url, "text/html", `<!doctype html><title>${new URL(url).pathname.slice(1) || "front"}</title><body>${body}`, date);
const svg = (width) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="5"><rect width="100%" height="100%" fill="green"/></svg>`;

const tools = `
const tell = (found) => (document.body.dataset.found = JSON.stringify(found));
const attempt = async (work) => {
  try {
    return "got " + (await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, 800, "nothing"))]));
  } catch (error) {
    return error?.name ?? String(error);
  }
};
/** As the browser has it: a window that nobody has entered. */
const real = () => { document.body.append(document.createElement("iframe")); return window[window.length - 1]; };
`;

/** Its words to the viewer, its hands on the viewer's window, and what a click of it could reach. */
const controls = `(async () => {
  const up = real().eval("top");
  const words = [{ wa: "nav", url: "https://bank.example/", title: "Bank" }, { wa: "title", title: "Bank" }, { wa: "left", url: "https://bank.example/" }, { wa: "idle" }, { wa: "here" }, { type: "click" }, "close"];
  for (const word of words) up.postMessage(word, "*");
  const found = {
    buttons: await attempt(() => up.document.querySelector("button").click()),
    place: await attempt(() => { up.location.hash = "#"; }),
    name: await attempt(() => { up.name = "mine"; }),
    written: await attempt(() => up.eval("document.body.remove()")),
    closed: await attempt(() => up.close()),
    siblings: await attempt(() => Array.from({ length: up.length }, (_, at) => up[at].document.title).join()),
    history: await attempt(() => up.history.back()),
    blurred: await attempt(() => up.blur()),
  };
  const link = Object.assign(document.createElement("a"), { href: "https://bank.example/", target: "_top" });
  const form = Object.assign(document.createElement("form"), { action: "https://bank.example/", target: "_parent" });
  document.body.append(link, form);
  tell(found);
})();`;

/** What it leaves for a site beside it, with every reach that names allow. */
const leaves = `(async () => {
  const native = real().document;
  for (const domain of ["", "; domain=localhost", "; domain=.localhost", "; domain=shared.example", "; domain=" + real().eval("parent.location.hostname").replace(/^[^.]+[.]/, "")]) {
    native.cookie = "left=one" + domain + "; path=/";
    document.cookie = "told=one" + domain + "; path=/";
  }
  localStorage.setItem("left", "one");
  sessionStorage.setItem("left", "one");
  await (await caches.open("left")).put("/left", new Response("one"));
  await new Promise((resolve) => (indexedDB.open("left").onsuccess = resolve));
  window.name = "left";
  new BroadcastChannel("left").onmessage = () => {};
  tell("left");
})();`;

const looks = `(async () => {
  tell({
    native: await attempt(() => real().document.cookie),
    told: await attempt(() => document.cookie),
    local: await attempt(() => localStorage.getItem("left")),
    session: await attempt(() => sessionStorage.getItem("left")),
    caches: await attempt(async () => (await caches.keys()).join()),
    databases: await attempt(async () => (await indexedDB.databases()).map(({ name }) => name).join()),
    channel: await attempt(() => new Promise((resolve) => { const channel = new BroadcastChannel("left"); channel.onmessage = () => resolve("a message"); channel.postMessage("?"); })),
  });
})();`;

/** A page that looks like the viewer's own bar, over all that it may cover. */
const forges = `(async () => {
  const bar = document.createElement("div");
  bar.id = "forged";
  bar.style.cssText = "position: fixed; inset: -500px 0 auto -500px; width: 300vw; height: 700px; background: red; z-index: 2147483647";
  bar.innerHTML = '<p role="status">Archived page from 2001-01-01 00:00:00</p><input aria-label="Archived address" value="https://bank.example/">';
  document.body.append(bar);
  document.title = "Archived page from 2001-01-01 00:00:00 \\u202e";
  document.documentElement.style.cssText = "position: fixed; inset: -1000px; transform: translateY(-1000px) scale(5)";
  tell({
    full: await attempt(() => bar.requestFullscreen()),
    popped: await attempt(() => { bar.popover = "manual"; bar.showPopover(); return "shown"; }),
    moved: await attempt(() => { real().eval("top.scrollTo(0, 5000)"); }),
    resized: await attempt(() => { real().eval("parent.parent.resizeTo(10, 10)"); }),
    framed: await attempt(() => { frameElement.style.cssText = "position: fixed; inset: 0"; }),
  });
})();`;

/** `live` is a server that nobody may reach: parts of the page are said to be there. */
const mixes = (live) => `<img src="${live}/static.svg" id="static"><link rel="stylesheet" href="${live}/static.css"><script src="${live}/static.js"></script><img id="own" src="/pic.svg">
<script>${tools}(async () => {
  const there = "${live}".split("").join("");
  const script = Object.assign(document.createElement("script"), { src: there + "/made.js" });
  document.body.append(script);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("body { background: url(" + there + "/sheet.svg) }");
  document.adoptedStyleSheets = [sheet];
  tell({
    fetched: await attempt(async () => (await fetch(there + "/data.json")).status),
    native: await attempt(async () => (await real().fetch(there + "/native.json", { mode: "no-cors" })).type),
    beacon: await attempt(() => real().navigator.sendBeacon(there + "/beacon")),
    replaced: String(window.live),
  });
})();</script>`;

export function gamesArchive(live) {
  const act = (name, code) => page(`https://evil.example/${name}`, `<h1>${name}</h1><script>${tools}${code}</script>`);
  return warcGz(
    warcInfo(),
    act("controls", controls),
    act("forges", forges),
    page("https://evil.example/mixes", mixes(live)),
    file("https://evil.example/pic.svg", "image/svg+xml", svg(14)),
    page("https://one.shared.example/leaves", `<h1>leaves</h1><script>${tools}${leaves}</script>`),
    page("https://two.shared.example/looks", `<h1>looks</h1><script>${tools}${looks}</script>`),
    page("https://bank.example/looks", `<h1>looks</h1><script>${tools}${looks}</script>`),
    page("https://bank.example/", "<h1>bank</h1>"),
    page("https://news.example/", '<h1>news</h1><img id="near" src="/near.svg"><img id="far" src="/far.svg"><link rel="stylesheet" href="/far.css">'),
    file("https://news.example/near.svg", "image/svg+xml", svg(14), "2014-05-03T10:00:05Z"),
    file("https://news.example/far.svg", "image/svg+xml", svg(16), later),
    file("https://news.example/far.css", "text/css", "h1 { color: rgb(20, 16, 0) }", "2015-05-03T10:00:00Z"),
  );
}
