// A site over many hosts, with what pages of the last thirty years are made of: served live, recorded, and replayed.
// It is in the public domain (CC0). What a page finds out it writes into itself, so that its text tells how it went.
import { wav } from "./replaysite.mjs";

const main = "https://www.lantern.example";
const cdn = "https://cdn.lantern-files.example";
const api = "https://api.lantern.example";
const frames = "https://frames.other-site.example";
const media = "https://media.lantern.example:8443";
const plain = "http://old.lantern.example";

const picture = (width, height, color) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${color}"/></svg>`;

/** A font of one glyph, a square for the letter X: TrueType, made by hand. */
function font() {
  const u16 = (...values) => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
  const u32 = (...values) => values.flatMap((value) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
  const square = [...u16(1, 0, 0, 1000, 1000, 3, 0), 1, 1, 1, 1, ...u16(0, 1000, 0, -1000), ...u16(0, 0, 1000, 0)];
  while (square.length % 4 > 0) square.push(0);
  const tables = {
    "OS/2": [...u16(4, 1000, 400, 5, 0), ...u16(...Array(10).fill(0)), ...u16(0), ...Array(10).fill(0), ...u32(1, 0, 0, 0), ...Array(4).fill(32), ...u16(64, 88, 88, 1000, 0, 0, 1000, 0), ...u32(1, 0), ...u16(500, 1000, 0, 88, 1)],
    cmap: [...u16(0, 1, 3, 1), ...u32(12), ...u16(4, 32, 0, 4, 4, 1, 0, 88, 0xffff, 0, 88, 0xffff, 1 - 88, 1, 0, 0)],
    glyf: [...square, ...square],
    head: [...u32(0x10000, 0x10000, 0, 0x5f0f3cf5), ...u16(0, 1000), ...u32(0, 0, 0, 0), ...u16(0, 0, 1000, 1000, 0, 8, 2, 0, 0)],
    hhea: [...u32(0x10000), ...u16(1000, 0, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, 2)],
    hmtx: u16(1000, 0, 1000, 0),
    loca: u16(0, square.length / 2, square.length),
    maxp: [...u32(0x10000), ...u16(2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
    name: u16(0, 0, 6),
    post: [...u32(0x30000, 0), ...u16(0, 0), ...u32(0, 0, 0, 0, 0)],
  };
  const sum = (bytes) => bytes.reduce((all, byte, at) => (all + byte * 2 ** (8 * (3 - (at % 4)))) % 2 ** 32, 0);
  const entries = Object.entries(tables);
  let at = 12 + 16 * entries.length;
  const [directory, bodies] = [[...u32(0x10000), ...u16(entries.length, 128, 3, 16 * entries.length - 128)], []];
  for (const [tag, bytes] of entries) {
    directory.push(...[...tag].map((letter) => letter.charCodeAt(0)), ...u32(sum(bytes), at, bytes.length));
    const padded = [...bytes, ...Array((4 - (bytes.length % 4)) % 4).fill(0)];
    at += padded.length;
    bodies.push(...padded);
  }
  return Uint8Array.from([...directory, ...bodies]);
}

const say = `const say = (name, value) => { const line = document.createElement("p"); line.textContent = name + ": " + value; document.body.append(line); };
const tell = (name, promise) => promise.then((value) => say(name, value), (error) => say(name, "failed, " + error.name));`;

/** What is done one after the other, so that a page writes the same lines in the same order each time. */
const inTurn = (steps) => `${say}
(async () => { for (const [name, step] of Object.entries({${steps}})) { try { say(name, await step()); } catch (error) { say(name, "failed, " + error.name); } } document.title += " done"; })();`;

const html = (title, body, head = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

const front = html("Lantern", `<h1 class="x">XX</h1>
<header id="back">behind this</header>
<img src="pictures/relative.svg" alt=""><img src="/pictures/root.svg" alt=""><img src="${cdn}/absolute.svg" alt=""><img src="//cdn.lantern-files.example/noscheme.svg" alt="">
<img srcset="${cdn}/set-1.svg 1x, ${cdn}/set-2.svg 2x" alt=""><img src="/pictures/never.svg" srcset="/pictures/a,b.svg 300w, ${cdn}/wide.svg 3000w" sizes="200px" alt="">
<picture><source type="image/never" srcset="${cdn}/never.svg"><source media="(min-width: 1px)" srcset="${cdn}/source.svg"><img src="/pictures/never.svg" alt=""></picture>
<svg width="30" height="20"><image xlink:href="${cdn}/in-svg.svg" width="30" height="20"/><use href="#none"/></svg>
<table background="${cdn}/table.svg"><tr><td>cell</td></tr></table><object data="${cdn}/object.svg" type="image/svg+xml" width="20" height="12"></object>
<img src="${plain}/moved.svg" alt=""><img src="/pictures/gone.svg" alt="gone"><input type="image" src="${cdn}/button.svg" alt="button">
<iframe src="${frames}/inner" width="300" height="60"></iframe><iframe srcdoc="&lt;p&gt;written here &lt;img src=&quot;${cdn}/srcdoc.svg&quot;&gt;" width="300" height="60"></iframe>
<noscript>no scripts</noscript><p style="background: url('${cdn}/inline.svg') no-repeat; color: rgb(0, 0, 90)">styled in place</p>
<a href="/scripts">scripts</a> <a href="${main}/old-letters">letters</a>`,
`<link rel="stylesheet" href="${cdn}/css/site.css"><link rel="icon" href="data:,"><style>@import "${cdn}/css/late.css"; #back { background-image: image-set(url("${cdn}/back.svg") 1x) }</style><link rel="preload" as="image" href="${cdn}/absolute.svg">`);

const scripts = html("Scripts", `<h1>Scripts</h1><div id="at" onclick="this.textContent = location.pathname">at</div>
<script type="importmap">{"imports":{"lamp":"${cdn}/modules/lamp.js","oil/":"${cdn}/modules/oil/","/local.js":"/modules/local.js"},"scopes":{"${cdn}/modules/oil/":{"lamp":"${main}/modules/scoped.js"}}}</script>
<script src="${cdn}/js/classic.js"></script><script src="${cdn}/js/plain.js"></script><link rel="stylesheet" href="${cdn}/css/untyped.css">
<script type="module">import { lamp } from "lamp"; import { wick } from "oil/wick.js"; import local from "/local.js"; import data from "${cdn}/modules/data.json" with { type: "json" };
window.modules = [lamp, wick, local, data.name, (await import("./modules/" + "dynamic.js")).default, (await import("${cdn}/modules/far.js")).default, new URL(import.meta.url).pathname].join(" "); dispatchEvent(new Event("modules"));</script>
<script>${inTurn(`
"place": () => [location.href, location.host, location.origin, document.URL, document.domain, top === self, parent === window].join(" "),
"clicked": () => { document.querySelector("#at").click(); return document.querySelector("#at").textContent; },
"classic": () => window.classic,
"of types that are guessed": () => window.plain + " " + getComputedStyle(document.body).caretColor,
"modules": () => window.modules ?? new Promise((resolve) => addEventListener("modules", () => resolve(window.modules))),
"json": async () => (await (await fetch("${api}/lamps.json")).json()).lamps.length,
"address of an answer": async () => (await fetch("/api/../api/here.txt")).url,
"followed": async () => { const answer = await fetch("${api}/moved"); return [answer.redirected, answer.url, await answer.text()].join(" "); },
"posted": async () => (await fetch("${api}/ask", { method: "POST", body: new URLSearchParams({ oil: "whale", wick: "cotton" }) })).text(),
"posted as JSON": async () => (await fetch(new Request("${api}/ask", { method: "POST", body: JSON.stringify({ oil: "olive" }), headers: { "Content-Type": "application/json" } }))).text(),
"missing": async () => (await fetch("/nothing.txt")).status,
"by request": () => new Promise((resolve) => { const request = new XMLHttpRequest(); request.open("GET", "${api}/lamps.json"); request.responseType = "json"; request.onload = () => resolve(request.responseURL + " " + request.response.lamps[0].name); request.onerror = () => resolve("error"); request.send(); }),
"pictures that the answer names": async () => { const { lamps } = await (await fetch("${api}/lamps.json")).json(); const sizes = []; for (const { picture } of lamps) { const image = new Image(); image.src = picture; await image.decode(); document.body.append(image); sizes.push(image.naturalWidth, image.src); } return sizes.join(" "); },
"worker": () => new Promise((resolve) => { const worker = new Worker("/js/worker.js?x=1"); worker.onmessage = ({ data }) => resolve(data); worker.onerror = () => resolve("error"); }),
"module worker": () => new Promise((resolve) => { const worker = new Worker(new URL("/js/module-worker.js", location), { type: "module" }); worker.onmessage = ({ data }) => resolve(data); worker.onerror = () => resolve("error"); }),
"worker of a blob": () => new Promise((resolve) => { const worker = new Worker(URL.createObjectURL(new Blob(["importScripts('${cdn}/js/imported.js'); postMessage(self.imported)"]))); worker.onmessage = ({ data }) => resolve(data); worker.onerror = () => resolve("error"); }),
"style made by script": () => new Promise((resolve) => { const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "${cdn}/css/made.css" }); link.onload = () => resolve(getComputedStyle(document.body).outlineColor); link.onerror = () => resolve("error"); document.head.append(link); }),
"style of text nodes": () => new Promise((resolve) => { const style = document.createElement("style"); style.appendChild(document.createTextNode('@import url("${cdn}/css/node.css");')); style.append(" body { color: rgb(5, 5, 5) }"); style.onload = () => resolve(getComputedStyle(document.body).columnRuleColor + getComputedStyle(document.body).color); style.onerror = () => resolve("error"); document.head.append(style); }),
"markup made by script": async () => { const box = document.createElement("div"); box.innerHTML = '<img src="${cdn}/made.svg"><a href="${cdn}/x">far</a>'; document.body.append(box); await box.firstChild.decode(); return box.firstChild.naturalWidth + " " + box.lastChild.href + " " + box.innerHTML; },
"template": () => { const made = document.createElement("template"); made.innerHTML = '<a href="/rooted">x</a>'; document.body.append(made.content.cloneNode(true)); return [...document.links].at(-1).pathname; },
"cookies": () => { document.cookie = "flame=blue; path=/"; return document.cookie.includes("flame=blue") + " " + document.cookie.includes("given=1"); },
"storage": () => { localStorage.setItem("lamp", "lit"); sessionStorage.setItem("lamp", "out"); return localStorage.lamp + sessionStorage.lamp + Object.keys(localStorage).join(); },
"base": () => document.baseURI + " " + new URL("x", document.baseURI) + " " + document.scripts[1].src,
"frame": () => new Promise((resolve) => { addEventListener("message", ({ origin, data, source }) => { if (data.heard) resolve(origin + " " + data.heard + " " + (source === frame.contentWindow)); }); const frame = document.createElement("iframe"); frame.src = "${frames}/talks"; frame.width = 200; frame.height = 40; frame.onload = () => frame.contentWindow.postMessage("hello", "${frames}"); document.body.append(frame); }),
"evaluated": () => eval("1 + 1") + new Function("return location.pathname")(),
"canvas": async () => { const image = await createImageBitmap(await (await fetch("/pictures/dot.png")).blob()); const canvas = new OffscreenCanvas(1, 1); const context = canvas.getContext("2d"); context.drawImage(image, 0, 0); return [...context.getImageData(0, 0, 1, 1).data].join(); },
"stream": async () => { const reader = (await fetch("/long.txt")).body.getReader(); let bytes = 0; for (;;) { const { done, value } = await reader.read(); if (done) return bytes; bytes += value.length; } },
`)}</script>`);

/** Scripts that are made while the page runs: text all of them, which nobody has seen before. */
const made = html("Made", `<h1>Made</h1><div id="at"></div><script>document.write("<script>window.written = location.host; const whole = top === self;<\\/script>")</script>
<script>${inTurn(`
"written": () => [window.written, window.whole].join(" "),
"function": () => new Function("a", "return a + location.host + (top === self)")("at "),
"its own name": () => Function("location", "top", "return location + top")("a", "b") + Function("return location.pathname").toString().replace(/\\s+/g, " "),
"other kinds": async () => [await (async () => {}).constructor("return location.pathname")(), [...(function* () {}).constructor("yield location.protocol; yield window.top === window")()]].join(" "),
"class of functions": () => { class Own extends Function { constructor() { super("return 7"); } } const own = new Own(); return [own(), own instanceof Own, (() => 0).constructor === Function].join(" "); },
"eval": () => { const near = "near "; return eval("near + location.host + (window.top === top)"); },
"eval of its place": () => { const top = 3; return eval("top + 1") + [1].map(eval).length; },
"eval from afar": () => (0, eval)("var afar = document.location.hostname; afar") + window.afar + self["eval"]("location.port") + eval.call(null, "typeof location"),
"strict eval": () => { "use strict"; return eval("typeof location"); },
"a frame's": () => { const frame = document.createElement("iframe"); document.body.append(frame); const told = frame.contentWindow.eval("1 + 1"); frame.remove(); return told; },
"timer": () => new Promise((resolve) => { window.timed = resolve; setTimeout("timed(location.href)", 1); }),
"element": () => { const script = document.createElement("script"); script.text = "var inserted = location.host + window.location.pathname;\\nlet later = top === self;\\nfunction hoisted() { return location.search }"; document.head.append(script); return [window.inserted, later, hoisted()].join(" "); },
"node": () => { const script = document.createElement("script"); script.append(document.createTextNode("window.appended = document.location.host // end")); document.head.append(script); return window.appended; },
"module that is told late": () => new Promise((resolve) => { window.told = resolve; const script = document.createElement("script"); script.textContent = "import local from '/modules/local.js'; told(local + typeof top)"; script.setAttribute("type", "module"); document.head.append(script); }),
"module of a blob": async () => (await import(URL.createObjectURL(new Blob(["export { lamp } from '${cdn}/modules/lamp.js'"], { type: "text/javascript" })))).lamp,
"worker that imports": () => new Promise((resolve) => { const worker = new Worker(URL.createObjectURL(new Blob(['const { lamp } = await import("${cdn}/modules/lamp.js"); postMessage(lamp)'], { type: "application/javascript" })), { type: "module" }); worker.onmessage = ({ data }) => resolve(data); worker.onerror = () => resolve("error"); }),
"no script": () => { const script = document.createElement("script"); script.type = "text/template"; script.text = "location {top}"; return script.text + script.innerHTML; },
"handler": () => { const at = document.querySelector("#at"); at.innerHTML = "<b onclick='this.textContent = location.host'>no</b><i>no</i>"; at.lastChild.setAttribute("onclick", "this.textContent = top === self ? document.location.pathname : 'framed'"); at.firstChild.click(); at.lastChild.click(); return at.textContent; },
"no handler": () => { const at = document.querySelector("#at"); at.innerHTML = "<i one='top' onward='location'></i>"; at.firstChild.setAttribute("on", "tap:top.open"); return [...at.firstChild.attributes].map(({ value }) => value).join(" "); },
"fragment": () => { const range = document.createRange(); range.selectNode(document.body); document.body.append(range.createContextualFragment("<script>window.fragment = location.host<\\/script>")); return window.fragment; },
`)}</script>`);

const router = html("Router", `<h1>Router</h1><nav><a href="/router/oil">oil</a> <a href="/router/wick?x=1#y">wick</a></nav><main></main>
<script>${say}
const draw = async () => { const text = await (await fetch("/router-data" + location.pathname.slice(7) + ".txt")).text(); document.querySelector("main").textContent = text; say("at", location.pathname + location.search + location.hash + " " + JSON.stringify(history.state)); dispatchEvent(new Event("drawn")); };
document.addEventListener("click", (event) => { const link = event.target.closest("a"); if (!link) return; event.preventDefault(); history.pushState({ to: link.pathname }, "", link.href); dispatchEvent(new Event("pushed")); });
addEventListener("pushed", draw); addEventListener("popstate", draw);
const drawnAfter = (step) => new Promise((resolve) => { addEventListener("drawn", resolve, { once: true }); step(); });
(async () => { await draw(); await drawnAfter(() => document.links[0].click()); await drawnAfter(() => document.links[1].click()); history.replaceState({ replaced: 1 }, "", "${main}/router/oil"); await draw(); await drawnAfter(() => history.back()); say("length", history.length > 2); document.title += " done"; })();</script>`);

const player = html("Media", `<h1>Media</h1><video id="own" src="${media}/sound.wav" muted preload="auto" width="100" height="40"></video>
<audio><source src="${media}/sound.wav" type="audio/wav"></audio><video width="60" height="40" poster="${cdn}/poster.svg"></video>
<script>${inTurn(`
"length of it": async () => { const video = document.querySelector("#own"); if (video.readyState < 1) await new Promise((resolve) => video.addEventListener("loadedmetadata", resolve)); return video.duration; },
"middle of it": async () => { const video = document.querySelector("#own"); video.currentTime = 15; await new Promise((resolve) => video.addEventListener("seeked", resolve)); return video.currentTime; },
"address of it": () => document.querySelector("#own").currentSrc,
"list of parts": async () => { const get = async (url) => (await fetch(url)).text(); const top = "${media}/list/top.m3u8"; const list = (await get(top)).split("\\n").find((line) => line && !line.startsWith("#")); const parts = (await get(new URL(list, top))).split("\\n").filter((line) => line && !line.startsWith("#")); const sizes = await Promise.all(parts.map(async (part) => (await (await fetch(new URL(part, new URL(list, top)))).arrayBuffer()).byteLength)); return parts.join(" ") + " " + sizes.join(); },
"a part of it": async () => { const part = await fetch("${media}/sound.wav", { headers: { Range: "bytes=0-3" } }); return part.status + " " + await part.text() + " " + part.headers.get("content-range"); },
`)}</script>`);

const oldLetters = `<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><title>\xd4\xee\xed\xe0\xf0\xfc</title>
<base href="${cdn}/based/"><link rel=stylesheet href="based.css"></head><body bgcolor=white><h1>\xd1\xe2\xe5\xf2</h1><img src="picture.svg"><img src="/absolute.svg">
<script src="written.js"></script><script>document.write("<p>" + document.compatMode + " " + document.characterSet + " " + document.baseURI + "<\\/p><img src='written.svg'>");
document.write("<scr" + "ipt src='${cdn}/js/classic.js'><\\/scr" + "ipt>");</script>
<script>document.write("<p>" + window.classic + " " + document.links[0].href + " " + location.hostname + "<\\/p>")</script>
<font color=red>\xea\xf0\xe0\xf1\xed\xfb\xe9</font><a href="x">x</a>
<script>document.write("<p>" + window.classic + " " + document.links[0].href + " " + location.hostname + "<\\/p>"); document.title += " done"</script>`;

/** Of no stated set: what a browser guesses is what it guesses in replay. */
const noLabel = `<title>label</title><h1>\xcf\xf0\xe8\xe2\xe5\xf2</h1><p id=said></p><script>document.querySelector("#said").textContent = document.characterSet + " " + document.compatMode + " " + document.body.children.length; document.title += " done"</script>`;

const xhtml = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="${cdn}/css/xml.css"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>XHTML</title><script type="text/javascript">//<![CDATA[
window.told = 1 < 2 && location.pathname;
//]]></script></head><body><h1>XHTML</h1><img src="${cdn}/absolute.svg" alt=""/><p id="said"/><svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="30" height="20"><svg:image xlink:href="${cdn}/in-svg.svg" width="30" height="20"/></svg:svg>
<script type="text/javascript"><![CDATA[document.getElementById("said").textContent = window.told + " " + getComputedStyle(document.body).outlineColor + " " + document.links.length; document.title += " done";]]></script></body></html>`;

const drawing = `<?xml version="1.0"?>
<?xml-stylesheet type="text/css" href="${cdn}/css/drawing.css"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="700" height="200"><title>Drawing</title>
<style>@import "${cdn}/css/late.css"; .lit { fill: url(#none) rgb(200, 0, 0) }</style><rect class="lit" width="50" height="50"/>
<image xlink:href="${cdn}/in-svg.svg" x="60" width="30" height="20"/><image href="/pictures/root.svg" x="100" width="30" height="20"/><text y="90" class="far">drawn</text><text id="said" y="120"></text>
<script xlink:href="${cdn}/js/classic.js"/><script type="text/javascript"><![CDATA[document.getElementById("said").textContent = [location.hostname, 1 < 2, window.classic.split(" ").length, getComputedStyle(document.querySelector(".far")).fill].join(" "); document.querySelector("title").textContent += " done";]]></script></svg>`;

const feed = `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${cdn}/css/feed.css"?><rss version="2.0"><channel><title>News of lamps</title><item><title>One</title><link>${main}/one</link></item></channel></rss>`;

const one = (name) => `document.documentElement.dataset.script = "1"; window.classic = (window.classic || "") + "${name} " + location.hostname + " " + (document.currentScript && (document.currentScript.src || document.currentScript.href.baseVal)) + ";";`;
const latin = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const svg = (width, height, color = "rgb(0, 120, 60)") => ["image/svg+xml", picture(width, height, color)];
const css = (text) => ["text/css", text];
const js = (text) => ["text/javascript; charset=utf-8", text];
const text = (body) => ["text/plain; charset=utf-8", body];
const page = (body) => ["text/html; charset=utf-8", body, { "Set-Cookie": "given=1; path=/" }];
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==", "base64");

/** URL to type, body and more headers; a number stands for a status. */
const files = new Map(Object.entries({
  [`${main}/`]: page(front),
  [`${main}/scripts`]: page(scripts),
  [`${main}/made`]: page(made),
  [`${main}/router/`]: page(router),
  [`${main}/media`]: page(player),
  [`${main}/old-letters`]: ["text/html", latin(oldLetters)],
  [`${main}/no-label`]: ["text/html", latin(noLabel)],
  [`${main}/page.xhtml`]: ["application/xhtml+xml", xhtml],
  [`${main}/drawing.svg`]: ["image/svg+xml", drawing],
  [`${main}/feed.xml`]: ["text/xml", feed],
  [`${main}/moved`]: [302, `${plain}/moved`],
  [`${plain}/moved`]: [301, "/again"],
  [`${plain}/again`]: [307, `${main}/router/`],
  [`${plain}/moved.svg`]: [301, `${cdn}/absolute.svg`],
  [`${main}/pictures/relative.svg`]: svg(31, 20),
  [`${main}/pictures/root.svg`]: svg(32, 20),
  [`${main}/pictures/a,b.svg`]: svg(33, 20, "orange"),
  [`${main}/pictures/dot.png`]: ["image/png", dot],
  [`${main}/modules/local.js`]: js("export default 'local';"),
  [`${main}/modules/scoped.js`]: js("export const lamp = 'scoped lamp';"),
  [`${main}/modules/dynamic.js`]: js("export default 'dynamic';"),
  [`${main}/js/worker.js?x=1`]: js(`importScripts("${cdn}/js/imported.js", "/js/near.js"); fetch("${api}/lamps.json").then((answer) => answer.json()).then(({ lamps }) => postMessage([self.imported, self.near, lamps.length, location.href, location.search, self.origin].join(" ")));`),
  [`${main}/js/near.js`]: js("self.near = 'near ' + self.location.pathname;"),
  [`${main}/js/module-worker.js`]: js(`import { lamp } from "${cdn}/modules/lamp.js"; import near from "./near-module.js"; postMessage([lamp, near, location.pathname, new URL(import.meta.url).pathname].join(" "));`),
  [`${main}/js/near-module.js`]: js("export default 'near module';"),
  [`${main}/api/here.txt`]: text("here"),
  [`${main}/long.txt`]: text("a long text ".repeat(30_000)),
  [`${main}/router-data/.txt`]: text("start"),
  [`${main}/router-data/oil.txt`]: text("about oil"),
  [`${main}/router-data/wick.txt`]: text("about wicks"),
  ...Object.fromEntries([["absolute", 41], ["noscheme", 42], ["set-1", 43], ["set-2", 44], ["wide", 45], ["source", 46], ["in-svg", 30], ["table", 10], ["object", 20], ["button", 25], ["srcdoc", 26], ["inline", 9], ["back", 12], ["made", 51], ["poster", 60], ["lamp-1", 61], ["lamp-2", 62], ["based/picture", 63], ["based/written", 64], ["css/near", 7]].map(([name, width]) => [`${cdn}/${name}.svg`, svg(width, 20, `hsl(${width * 7} 60% 50%)`)])),
  [`${cdn}/css/site.css`]: css(`@import url("more.css"); @import "${main}/own.css" screen; @font-face { font-family: Square; src: url(${cdn}/font.ttf) format("truetype") } body { font: 16px/1.3 monospace; margin: 8px } h1.x { font-family: Square; font-size: 24px; color: rgb(10, 20, 120) } iframe { border: 0; background: url(near.svg) }`),
  [`${cdn}/css/more.css`]: css("header { padding: 10px; min-height: 30px }"),
  [`${main}/own.css`]: css("a { color: rgb(120, 0, 0) } table { border: 1px solid }"),
  [`${cdn}/css/late.css`]: css(".far, header { fill: rgb(0, 0, 200); border-left: 5px solid rgb(0, 150, 150) }"),
  [`${cdn}/css/made.css`]: css("body { outline: 3px solid rgb(1, 2, 3) }"),
  [`${cdn}/css/node.css`]: css("body { column-rule-color: rgb(7, 8, 9) }"),
  [`${cdn}/css/xml.css`]: css("body { outline: 2px solid rgb(4, 5, 6); background: rgb(240, 240, 220) }"),
  [`${cdn}/css/drawing.css`]: css("text { font: 20px monospace } #said { fill: rgb(0, 90, 0) }"),
  [`${cdn}/css/feed.css`]: css("rss { background: rgb(250, 240, 200); display: block; padding: 20px } item { display: list-item; color: rgb(0, 0, 150) } title { display: block; font: 20px monospace }"),
  [`${cdn}/based/based.css`]: css("h1 { color: rgb(0, 100, 0) } body { font: 16px monospace }"),
  [`${cdn}/based/written.js`]: js(`document.write("<p>written from afar</p>");`),
  [`${cdn}/js/classic.js`]: js(one("classic")),
  [`${cdn}/js/plain.js`]: text("window.plain = 'ran as plain text';"),
  [`${cdn}/css/untyped.css`]: ["untyped", "body { caret-color: rgb(9, 9, 9) }"],
  [`${cdn}/js/imported.js`]: js("self.imported = 'imported';"),
  [`${cdn}/modules/lamp.js`]: js(`export const lamp = "lamp " + location.hostname;`),
  [`${cdn}/modules/oil/wick.js`]: js(`import { lamp } from "lamp"; import { deep } from "../deep.js"; export const wick = "wick of " + lamp + deep;`),
  [`${cdn}/modules/deep.js`]: js("export const deep = ' deep';"),
  [`${cdn}/modules/far.js`]: js("export default 'far';"),
  [`${cdn}/modules/data.json`]: ["application/json", `{"name":"data"}`],
  [`${cdn}/font.ttf`]: ["font/ttf", font()],
  [`${api}/lamps.json`]: ["application/json", JSON.stringify({ lamps: [{ name: "first", picture: `${cdn}/lamp-1.svg` }, { name: "second", picture: "//cdn.lantern-files.example/lamp-2.svg" }] })],
  [`${api}/moved`]: [302, `${cdn}/moved.txt`],
  [`${cdn}/moved.txt`]: text("where it went"),
  [`${frames}/inner`]: page(`<!doctype html><title>inner</title><link rel="stylesheet" href="${cdn}/css/site.css"><p>framed <img src="${cdn}/lamp-1.svg"> <script>document.write(location.host)</script></p>`),
  [`${frames}/talks`]: page(`<!doctype html><title>talks</title><p>talks</p><script>addEventListener("message", ({ data, origin, source }) => source.postMessage({ heard: data + " from " + origin + " at " + location.origin + " " + (parent !== self) + " " + document.referrer }, origin));</script>`),
  [`${media}/sound.wav`]: ["audio/wav", wav(30)],
  [`${media}/list/top.m3u8`]: ["application/vnd.apple.mpegurl", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100\nlow/list.m3u8\n"],
  [`${media}/list/low/list.m3u8`]: ["application/vnd.apple.mpegurl", `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\npart-1.ts\n#EXTINF:5,\n${media}/list/low/part-2.ts\n#EXT-X-ENDLIST\n`],
  [`${media}/list/low/part-1.ts`]: ["video/mp2t", "1".repeat(376)],
  [`${media}/list/low/part-2.ts`]: ["video/mp2t", "2".repeat(188)],
}));

/** Its pages; `isLong` is one that says at the end of its title when it is done, `isStatic` one that needs no script. */
export const pages = [
  { url: `${main}/`, isStatic: true },
  { url: `${main}/scripts`, isLong: true },
  { url: `${main}/made`, isLong: true },
  { url: `${main}/router/`, isLong: true },
  { url: `${main}/media`, isLong: true },
  { url: `${main}/old-letters`, isLong: true },
  { url: `${main}/no-label`, isLong: true, isStatic: true },
  { url: `${main}/page.xhtml`, isLong: true },
  { url: `${main}/drawing.svg`, isLong: true },
  { url: `${main}/feed.xml`, isStatic: true },
  { url: `${main}/moved`, isLong: true },
];

function rangeOf(header, size) {
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? [];
  return start === undefined ? undefined : { start: Number(start), end: end ? Math.min(Number(end), size - 1) : size - 1 };
}

/** What its servers say. `body` is what was sent to them. */
export function answerOf(url, { method, headers: asked }, body) {
  const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Expose-Headers": "*" };
  if (method === "OPTIONS") return { status: 204, headers: cors, body: "" };
  if (method === "POST" && url === `${api}/ask`) return { status: 200, headers: { ...cors, "Content-Type": "text/plain" }, body: `heard ${body}` };
  const [type, content, more] = files.get(url) ?? [];
  if (type === undefined) return { status: 404, headers: { ...cors, "Content-Type": "text/html" }, body: "<!doctype html><title>Gone</title><p>gone" };
  if (typeof type === "number") return { status: type, headers: { ...cors, Location: content }, body: "" };
  const bytes = Buffer.from(content);
  const headers = { ...cors, "Content-Type": type, ...more };
  const range = type.startsWith("audio/") ? rangeOf(asked.range, bytes.length) : undefined;
  if (!range) return { status: 200, headers, body: bytes };
  return { status: 206, headers: { ...headers, "Accept-Ranges": "bytes", "Content-Range": `bytes ${range.start}-${range.end}/${bytes.length}` }, body: bytes.subarray(range.start, range.end + 1) };
}
