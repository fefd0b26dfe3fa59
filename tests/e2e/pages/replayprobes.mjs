// A page that asks of everything an archived page may use whether it is as it was: its probes and the archive it is in.
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";
import { wav } from "./replaysite.mjs";

const site = "https://www.probe.example";
const cdn = "https://cdn.probe-files.example";
const other = "https://other.example";
export const probePage = `${site}/dir/page?q=1`;
export const captured = "2014-05-03T12:30:00Z";

const got = (url, type, body, more = {}) => exchange({ url, date: captured, headers: { "Content-Type": type, ...more }, body });
const svg = (width, height = 10) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%"/></svg>`;

/**
 * By name, what a script of the page asks; it returns what it found. Written as functions of the page: they see
 * `site`, `cdn`, `other` and the few helpers below.
 */
const probes = {
  "img relative": () => width("img", { src: "pic.svg" }),
  "img root-relative": () => width("img", { src: "/pic.svg" }),
  "img absolute": () => width("img", { src: `${cdn}/pic.svg` }),
  "img in markup": () => document.getElementById("static").naturalWidth,
  "srcset absolute": () => width("img", { srcset: `${cdn}/pic.svg 1x` }),
  "picture in markup": () => document.getElementById("picture").naturalWidth,
  "img by setAttribute": () => width("img", {}, { src: `${cdn}/pic.svg` }),
  "img by innerHTML": async () => {
    const box = document.createElement("div");
    box.innerHTML = `<p><img src="${cdn}/pic.svg"></p>`;
    document.body.append(box);
    const image = box.querySelector("img");
    await loaded(image);
    return image.naturalWidth;
  },
  "img by insertAdjacentHTML": async () => {
    document.body.insertAdjacentHTML("beforeend", `<img id="adjacent" src='${cdn}/pic.svg'>`);
    const image = document.getElementById("adjacent");
    await loaded(image);
    return image.naturalWidth;
  },
  "img by DOMParser": async () => {
    const parsed = new DOMParser().parseFromString(`<img src="${cdn}/pic.svg">`, "text/html").querySelector("img");
    const image = document.importNode(parsed, true);
    document.body.append(image);
    await loaded(image);
    return image.naturalWidth;
  },
  "img by fragment": async () => {
    const range = document.createRange();
    range.selectNode(document.body);
    const fragment = range.createContextualFragment(`<img src="${cdn}/pic.svg">`);
    const image = fragment.firstChild;
    document.body.append(fragment);
    await loaded(image);
    return image.naturalWidth;
  },
  "document.write while parsing": () => document.getElementById("written").naturalWidth,
  "document.write of a tag in parts": () => [document.getElementById("parts").naturalWidth, document.getElementById("parts").alt, document.getElementById("after-parts").textContent].join(),
  "background by style": () => resource(() => (make("div").style.backgroundImage = `url(${cdn}/background.svg)`), "background.svg"),
  "background by setProperty": () => resource(() => make("div").style.setProperty("background-image", `url("${cdn}/property.svg")`), "property.svg"),
  "background by style text": () => resource(() => make("div").setAttribute("style", `background: url(${cdn}/text.svg)`), "text.svg"),
  "style by textContent": () => resource(() => void (document.head.appendChild(document.createElement("style")).textContent = `#content { background: url(${cdn}/content.svg) }`, make("div", { id: "content" })), "content.svg"),
  "style by a text node": () => resource(() => document.head.appendChild(document.createElement("style")).append(`#node { background: url(${cdn}/node.svg) }`, make("div", { id: "node" }) && ""), "node.svg"),
  "style by insertRule": () => resource(() => document.head.appendChild(document.createElement("style")).sheet.insertRule(`#rule { background: url(${cdn}/rule.svg) }`, make("div", { id: "rule" }) && 0), "rule.svg"),
  "crossorigin img on a canvas": async () => {
    const image = make("img", { crossOrigin: "anonymous", src: `${cdn}/pic.svg` });
    await loaded(image);
    const canvas = document.createElement("canvas");
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL().slice(0, 10);
  },
  "script absolute": async () => {
    await loaded(make("script", { src: `${cdn}/lib.js` }));
    return cdnLib;
  },
  "script src reads as archived": () => make("script", { src: `${cdn}/lib.js` }).src,
  "script with integrity": async () => {
    await loaded(make("script", { integrity: "sha256-AAAA", src: `${cdn}/lib.js?integrity` }));
    return cdnLib;
  },
  "css absolute in markup": () => getComputedStyle(document.body).color,
  "css import, relative to its sheet": () => getComputedStyle(document.body).outlineColor,
  "font face": () => resource(() => new FontFace("probe", `url(${cdn}/font.woff2)`).load().catch(() => {}), "font.woff2"),
  "module in markup": () => moduleSaw,
  "module and what it imports": () => eventually(() => moduleDep),
  "dynamic import": async () => (await import("https://cdn.probe-files.example/m.mjs")).default,
  "fetch absolute": async () => (await fetch(`${cdn}/data.json`)).json().then(({ is }) => is),
  "fetch of an URL": async () => (await fetch(new URL(`${cdn}/data.json`))).status,
  "fetch of a Request": async () => (await fetch(new Request(`${cdn}/data.json`))).status,
  "Request and Response tell their address": async () => [new Request(`${cdn}/data.json`).url, (await fetch(`${cdn}/data.json`)).url].join(" "),
  "fetch no-cors": async () => (await fetch(`${cdn}/data.json`, { mode: "no-cors" })).status,
  "XHR": () => xhr(`${cdn}/data.json`, true),
  "XHR tells its address": async () => {
    const request = new XMLHttpRequest();
    request.open("GET", `${cdn}/data.json`);
    request.send();
    await loaded(request);
    return request.responseURL;
  },
  "XHR sync in a document": () => xhr("/data.json", false),
  "EventSource": () => new Promise((resolve) => (new EventSource(`${cdn}/events`).onmessage = ({ data }) => resolve(data))),
  "video by range": async () => {
    const video = make("video", { muted: true, preload: "auto", src: `${cdn}/sound.wav` });
    await new Promise((resolve) => (video.onloadedmetadata = resolve));
    video.currentTime = 15;
    await new Promise((resolve) => (video.onseeked = resolve));
    return `${video.duration} ${video.currentTime}`;
  },
  "poster": () => resource(() => make("video", { poster: `${cdn}/poster.svg` }), "poster.svg"),
  "sendBeacon": () => navigator.sendBeacon(`${site}/beacon`, "x"),
  "iframe relative": () => saidBy(make("iframe", { src: "frame" }), "href"),
  "iframe absolute": () => saidBy(make("iframe", { src: `${other}/frame` }), "href"),
  "iframe absolute in markup": () => eventually(() => said["https://other.example/static"]?.href),
  "iframe src reads as archived": () => make("iframe", { src: `${other}/frame` }).src,
  "iframe knows top and parent": () => saidBy(make("iframe", { src: `${other}/frame?top` }), "top"),
  "origin of its messages": () => saidBy(make("iframe", { src: `${other}/frame?origin` }), "origin"),
  "message to an origin": () => saidBy(make("iframe", { src: `${other}/frame?echo` }), "echo"),
  "object": async () => {
    const box = document.createElement("div");
    box.innerHTML = `<object data="${cdn}/pic.svg" type="image/svg+xml"></object>`;
    document.body.append(box);
    return box.firstChild.data;
  },
  "object in markup": () => document.getElementById("object").naturalWidth,
  "embed of a page in markup": () => eventually(() => said["https://other.example/embedded"]?.href),
  "srcdoc in markup": () => eventually(() => said.srcdoc?.width),
  "srcdoc": () => framed("dynamic", (frame, text) => (frame.srcdoc = text)),
  "srcdoc in a sandbox": () => framed("sandboxed", (frame, text) => {
    frame.setAttribute("sandbox", "allow-scripts");
    frame.srcdoc = text;
  }),
  "srcdoc with a script that has markup": () => {
    make("iframe", { srcdoc: `<script>parent.postMessage({ said: "marked", text: "<p sandbox=\\"a\\" integrity=\\"b\\" srcdoc=\\"c\\">" }, "*")</scr` + "ipt>" });
    return eventually(() => said.marked?.text);
  },
  "srcdoc that leads on": () => {
    make("iframe", { srcdoc: `<meta http-equiv="refresh" content="0;url=${other}/frame?refresh">` });
    return eventually(() => said["https://other.example/frame?refresh"]?.href);
  },
  // Of a host that nobody has been to: Firefox asked its user to send it again, and everything stood still.
  "form posted into an empty frame": () => {
    make("iframe", { name: "posted" });
    const form = make("form", { action: "https://posted.example/frame", method: "post", target: "posted" });
    form.submit();
    form.remove();
    return eventually(() => said["https://posted.example/frame"]?.href);
  },
  // A page sees nothing of it on the web; what is shown there is asked by the tests' own means.
  "srcdoc that may run nothing": () => shownIn(Object.assign(make("iframe"), { sandbox: "", srcdoc: `<img src="${cdn}/pic.svg">` })),
  "srcdoc that may run nothing in markup": () => shownIn(document.getElementById("mute")),
  "frame that is written": () => framed("written", (frame, text) => {
    frame.contentDocument.open();
    frame.contentDocument.write(text);
    frame.contentDocument.close();
  }),
  "frame of a blob": () => framed("blob", (frame, text) => (frame.src = URL.createObjectURL(new Blob([text], { type: "text/html" })))),
  "fetch of an empty frame": async () => (await make("iframe", {}).contentWindow.fetch(`${cdn}/data.json`)).status,
  "location of an empty frame": () => make("iframe", {}).contentWindow.location.href,
  "worker": () => asked(new Worker("/worker.js")),
  "worker by its whole address": () => asked(new Worker(`${site}/worker.js`)),
  "worker of a module": () => asked(new Worker("/worker.js", { type: "module" })),
  "worker of a blob": () => asked(new Worker(URL.createObjectURL(new Blob([`importScripts("${cdn}/lib.js"); postMessage(cdnLib)`], { type: "text/javascript" })))),
  "worker of data": () => asked(new Worker(`data:text/javascript,fetch("${cdn}/data.json").then((r)=>postMessage(r.status))`)),
  "sync XHR in a worker": () => asked(new Worker("/syncworker.js")),
  "shared worker": () => {
    const { port } = new SharedWorker("/shared.js");
    return new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  },
  "service worker of the page": () => navigator.serviceWorker.register("/sw.js").catch(({ name }) => name),
  "location parts": () => [location.protocol, location.host, location.hostname, location.port, location.pathname, location.search, location.origin].join(" "),
  "location in text": () => `${location} ${String(window.location)} ${document.location.href}`,
  "location is one": () => location === window.location && location instanceof Location,
  "document URL, URI, base": () => [document.URL, document.documentURI, document.baseURI].join(" "),
  "document.domain": () => {
    document.domain = "probe.example";
    return document.domain;
  },
  "origin": () => `${origin} ${self.origin}`,
  "top is self": () => [top === self, parent === self, window.top === window, window.parent === window, frameElement, opener].join(),
  "document.cookie": () => {
    document.cookie = "a=1; path=/; domain=.probe.example";
    document.cookie = "b=2; max-age=100";
    document.cookie = "a=3";
    document.cookie = "b=; expires=Thu, 01 Jan 1970 00:00:00 GMT";
    return document.cookie;
  },
  "localStorage": () => {
    localStorage.setItem("probe", "kept");
    return localStorage.getItem("probe");
  },
  "IndexedDB": async () => (await indexedDB.databases()).length,
  "history root-relative": () => moved("/new?a#b"),
  "history absolute": () => moved(`${site}/absolute?c`),
  "history of another host": () => {
    try {
      history.pushState(null, "", `${other}/x`);
      return "moved";
    } catch ({ name }) {
      return name;
    }
  },
  "link reads as archived": () => {
    const link = Object.assign(document.createElement("a"), { href: `${other}:444/path?q#h` });
    return [link.href, link.host, link.hostname, link.protocol, link.origin, link.getAttribute("href"), String(link)].join(" ");
  },
  "link in markup reads as archived": () => document.getElementById("link").href,
  "relative link reads as archived": () => Object.assign(document.createElement("a"), { href: "x" }).href,
  "markup reads as archived": () => document.getElementById("markup").innerHTML,
  "selectors find archived addresses": () => [document.querySelector(`a[href="${other}/linked"]`)?.id, document.querySelectorAll("#link[href^='https://']").length, document.getElementById("link").matches(`[href^='${other}']`)].join(),
  "style sheets find archived addresses": () => getComputedStyle(document.getElementById("link")).color,
  "form action reads as archived": () => Object.assign(document.createElement("form"), { action: `${other}/form` }).action,
  "Date": () => new Date().getTime() - Date.parse("2014-05-03T12:30:00Z") < 60_000 && new Date().getTime() >= Date.parse("2014-05-03T12:30:00Z") && Date.now() > 0 && new Date(5).getTime() === 5,
  "lastModified": () => document.lastModified.slice(0, 10),
  "referrer": () => document.referrer,
  "chance is set": () => [Math.random() === undefined, crypto.randomUUID().length, crypto.getRandomValues(new Uint8Array(4)).length].join(),
  "WebSocket": () => new Promise((resolve) => {
    const socket = new WebSocket("wss://live.example/");
    socket.onclose = socket.onerror = ({ type }) => resolve(`ended by ${type}`);
  }),
  "RTCPeerConnection and fetchLater": () => [typeof RTCPeerConnection, typeof fetchLater].join(),
  "Notification": () => (typeof Notification === "undefined" ? "denied" : Notification.permission),
  "window.open": () => String(window.open(`${other}/opened`)),
  "names and methods that pages take for themselves": async () => {
    const kept = [window.URL, window.Element];
    Object.assign(window, { URL: "of the page", Element: () => {} });
    String.prototype.toJSON = Array.prototype.toJSON = () => "spoiled";
    try {
      const image = make("img", { src: `${cdn}/pic.svg` });
      await loaded(image);
      make("p").innerHTML = "<i><iframe></iframe></i>";
      await soon(0);
      return [location.host, image.naturalWidth, (await window[window.length - 1].fetch(`${cdn}/data.json`)).status].join();
    } finally {
      delete String.prototype.toJSON;
      delete Array.prototype.toJSON;
      [window.URL, window.Element] = kept;
    }
  },
  "inline handler": () => {
    document.getElementById("handled").click();
    return handled;
  },
  "inline script": () => inlineSaw,
};

/**
 * What each probe returns where replay is as the web was.
 * @type {Record<string, string>}
 */
export const expected = {
  ...Object.fromEntries(Object.keys(probes).filter((name) => /^(?:img|srcset|picture|document\.write|object in)/.test(name)).map((name) => [name, "33"])),
  "img relative": "21", "img root-relative": "21", "document.write of a tag in parts": "33,1 > 0,a < b",
  ...Object.fromEntries(Object.keys(probes).filter((name) => /^(?:background|style|font face|poster)/.test(name)).map((name) => [name, "answered"])),
  "crossorigin img on a canvas": "data:image",
  "script absolute": "lib of the cdn", "script with integrity": "lib of the cdn", "script src reads as archived": `${cdn}/lib.js`,
  "css absolute in markup": "rgb(1, 2, 3)", "css import, relative to its sheet": "rgb(4, 5, 6)",
  "module in markup": "module of the cdn", "module and what it imports": "dep of the cdn", "dynamic import": "module of the cdn",
  "fetch absolute": "data", "fetch of an URL": "200", "fetch of a Request": "200", "fetch no-cors": "200",
  "Request and Response tell their address": `${cdn}/data.json ${cdn}/data.json`,
  XHR: `{"is":"data"}`, "XHR tells its address": `${cdn}/data.json`, "XHR sync in a document": `{"is":"own data"}`,
  EventSource: "an event", "video by range": "20 15", sendBeacon: "true",
  "iframe relative": `${site}/dir/frame`, "iframe absolute": `${other}/frame`, "iframe absolute in markup": `${other}/static`,
  "iframe src reads as archived": `${other}/frame`, "iframe knows top and parent": "not top, parent is top", "origin of its messages": other,
  "message to an origin": `heard from ${site}`,
  object: `${cdn}/pic.svg`, "embed of a page in markup": `${other}/embedded`, "srcdoc in markup": "33",
  srcdoc: "33", "srcdoc in a sandbox": "33", "srcdoc with a script that has markup": `<p sandbox="a" integrity="b" srcdoc="c">`, "srcdoc that leads on": `${other}/frame?refresh`, "form posted into an empty frame": "https://posted.example/frame", "srcdoc that may run nothing": "33", "srcdoc that may run nothing in markup": "33", "frame that is written": "33", "frame of a blob": "33", "fetch of an empty frame": "200", "location of an empty frame": "about:blank",
  worker: `${site}/worker.js www.probe.example ${cdn}/data.json`, "worker by its whole address": `${site}/worker.js www.probe.example ${cdn}/data.json`,
  "worker of a module": `${site}/worker.js www.probe.example ${cdn}/data.json`, "worker of a blob": "lib of the cdn", "worker of data": "200",
  "sync XHR in a worker": `{"is":"own data"}`, "shared worker": `${site}/shared.js`, "service worker of the page": "SecurityError",
  "location parts": `https: www.probe.example www.probe.example  /dir/page ?q=1 ${site}`,
  "location in text": `${probePage} ${probePage} ${probePage}`, "location is one": "true",
  "document URL, URI, base": `${probePage} ${probePage} ${probePage}`, "document.domain": "probe.example", origin: `${site} ${site}`,
  "top is self": "true,true,true,true,,", "document.cookie": "a=3", localStorage: "kept", IndexedDB: "0",
  "history root-relative": `${site}/new?a#b`, "history absolute": `${site}/absolute?c`, "history of another host": "SecurityError",
  "link reads as archived": `${other}:444/path?q#h other.example:444 other.example https: ${other}:444 ${other}:444/path?q#h ${other}:444/path?q#h`,
  "link in markup reads as archived": `${other}/linked`, "relative link reads as archived": `${site}/dir/x`,
  "markup reads as archived": `<a href="${other}/in-markup">x</a>`, "form action reads as archived": `${other}/form`,
  "selectors find archived addresses": "link,1,true", "style sheets find archived addresses": "rgb(7, 8, 9)",
  Date: "true", lastModified: "05/03/2014", referrer: "", "chance is set": "false,36,4", WebSocket: "ended by error",
  "RTCPeerConnection and fetchLater": "undefined,undefined", Notification: "denied", "window.open": "null",
  "names and methods that pages take for themselves": "www.probe.example,33,200",
  "inline handler": "www.probe.example", "inline script": `${probePage} true`,
};

/** Ways for a script to go to an address, as text: run by `eval`, so that no edit has seen them. */
export const target = `${other}/frame?gone`;
export const ways = {
  "location.href": `location.href = "${target}"`,
  "location.assign": `location.assign("${target}")`,
  "location.replace": `location.replace("${target}")`,
  "link": `make("a", { href: "${target}" }).click()`,
  "link by innerHTML": `document.getElementById("markup").innerHTML = '<a href="${target}">x</a>', document.querySelector("#markup a").click()`,
  "link to the top": `make("a", { href: "${target}", target: "_top" }).click()`,
  "window.open": `window.open("${target}", "_self")`,
  "form": `make("form", { action: "${other}/frame" }).append(Object.assign(document.createElement("input"), { name: "gone" })), document.forms[0].submit()`,
  "form in a new window": `make("form", { action: "${other}/frame", target: "_blank" }).append(Object.assign(document.createElement("input"), { name: "gone" })), document.forms[0].requestSubmit()`,
  "form that posts": `make("form", { action: "${target}", method: "post" }).submit()`,
  "refresh": `document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: "0;url=${target}" }))`,
};

const helpers = `
const site = "${site}", cdn = "${cdn}", other = "${other}";
const make = (name, fields = {}) => document.body.appendChild(Object.assign(document.createElement(name), fields));
const loaded = (target) => new Promise((resolve, reject) => {
  if (target.complete && target.naturalWidth) return resolve();
  target.addEventListener("load", resolve);
  target.addEventListener("error", () => reject(new Error("error event")));
});
const width = async (name, fields, attributes = {}) => {
  const element = make(name, fields);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  await loaded(element);
  return element.naturalWidth;
};
const soon = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const eventually = async (look) => {
  for (;;) {
    try { const found = look(); if (found !== undefined) return found; } catch {}
    await soon(20);
  }
};
/** Whether the archive was asked for a file, and answered. */
const resource = async (use, name) => {
  use();
  // Told by the test: what a page sees of resources of other hosts is not the same in all browsers.
  for (;;) {
    if (await wasAnswered(name)) return "answered";
    await soon(50);
  }
};
const xhr = (url, isAsync) => {
  const request = new XMLHttpRequest();
  request.open("GET", url, isAsync);
  request.send();
  return isAsync ? loaded(request).then(() => request.responseText) : request.responseText;
};
const said = {};
addEventListener("message", ({ data, origin, source }) => {
  if (data.said) said[data.said] = { ...data, origin };
});
const saidBy = (frame, what) => eventually(() => said[frame.getAttribute("src").replace(/^frame/, site + "/dir/frame")]?.[what]);
const asked = (worker) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => reject(new Error("error event"));
});
const inner = (name) => '<!doctype html><img src="' + cdn + '/pic.svg" onload="parent.postMessage({said:\\'' + name + '\\',width:this.naturalWidth},\\'*\\')" onerror="parent.postMessage({said:\\'' + name + '\\',width:0},\\'*\\')">';
const framed = (name, fill) => {
  fill(make("iframe"), inner(name));
  return eventually(() => said[name]?.width);
};
const shownIn = (frame) => eventually(() => frame.contentDocument.images[0].naturalWidth || undefined);
const moved = (url) => {
  const back = location.href;
  history.pushState(null, "", url);
  const now = location.href;
  history.replaceState(null, "", back);
  return now;
};
`;

const framePage = `<!doctype html><p>frame<script>
const href = document.URL;
addEventListener("message", ({ data, origin }) => data === "echo" && parent.postMessage({ said: href, echo: "heard from " + origin }, "https://www.probe.example"));
parent.postMessage({ said: href, href, wants: location.search === "?echo", top: (top === self ? "top" : "not top") + (parent === top ? ", parent is top" : ", parent is not top") }, "*");
</script>`;

const workerScript = `fetch("${cdn}/data.json").then((answer) => postMessage([location.href, self.location.hostname, answer.url].join(" ")), (error) => postMessage(String(error)));`;

const html = `<!doctype html><html><head><title>Probes</title>
<link rel="stylesheet" href="${cdn}/site.css">
<script type="module">import saw from "${cdn}/m.mjs"; window.moduleSaw = saw;</script>
<script>window.inlineSaw = location.href + " " + (top === self);</script>
</head><body>
<img id="static" src="${cdn}/pic.svg"><picture><source srcset="${cdn}/pic.svg"><img id="picture" src="/pic.svg"></picture>
<object id="object" data="${cdn}/pic.svg" type="image/svg+xml"></object><embed src="${other}/embedded" type="text/html">
<iframe src="${other}/static"></iframe>
<iframe srcdoc="&lt;!doctype html>&lt;img src='${cdn}/pic.svg' onload='parent.postMessage({said:&quot;srcdoc&quot;,width:this.naturalWidth},&quot;*&quot;)'>"></iframe>
<iframe id="mute" sandbox srcdoc="&lt;img src='${cdn}/pic.svg'>"></iframe>
<a id="link" href="${other}/linked">link</a><p id="markup"><a href="${other}/in-markup">x</a></p>
<button id="handled" onclick="window.handled = location.host">handled</button>
<script>document.write('<img id="written" src="${cdn}/pic.svg">');</script>
<script>document.write("<b id=after-parts>a", " &lt; b</b><img id=parts alt='1 > 0' src='${cdn.slice(0, 12)}"); document.write("${cdn.slice(12)}/pi"); document.writeln("c.svg'>");</script>
<script src="/probes.js"></script></body></html>`;

const script = `${helpers}
window.probes = {
${Object.entries(probes).map(([name, probe]) => `${JSON.stringify(name)}: ${probe}`).join(",\n")}
};
addEventListener("message", ({ data, source }) => data.wants && source.postMessage("echo", other));
window.probe = async (name) => {
  try {
    return String(await Promise.race([window.probes[name](), soon(3000).then(() => "no answer in time")]));
  } catch (error) {
    return "threw " + error;
  }
};
document.body.dataset.probes = "ready";`;

export const probeNames = Object.keys(probes);

export function probeArchive() {
  const pictures = ["pic", "background", "property", "text", "content", "node", "rule", "poster"];
  return warcGz(
    warcInfo(),
    got(probePage, "text/html; charset=utf-8", html),
    got(`${site}/probes.js`, "text/javascript", script),
    got(`${site}/pic.svg`, "image/svg+xml", svg(21)),
    got(`${site}/dir/pic.svg`, "image/svg+xml", svg(21)),
    pictures.map((name) => got(`${cdn}/${name}.svg`, "image/svg+xml", svg(33))).flat(),
    got(`${cdn}/site.css`, "text/css", `@import "more/import.css"; body { color: rgb(1, 2, 3) } a[href^="https://"] { color: rgb(7, 8, 9) }`),
    got(`${cdn}/more/import.css`, "text/css", "body { outline-color: rgb(4, 5, 6) }"),
    got(`${cdn}/lib.js`, "text/javascript", `self.cdnLib = "lib of the cdn";`),
    got(`${cdn}/lib.js?integrity`, "text/javascript", `self.cdnLib = "lib of the cdn";`),
    got(`${cdn}/m.mjs`, "text/javascript", `import "./dep.mjs"; export default "module of the cdn";`),
    got(`${cdn}/dep.mjs`, "text/javascript", `globalThis.moduleDep = "dep of the cdn";`),
    got(`${cdn}/font.woff2`, "font/woff2", "no font"),
    got(`${cdn}/data.json`, "application/json", `{"is":"data"}`),
    got(`${site}/data.json`, "application/json", `{"is":"own data"}`),
    got(`${cdn}/events`, "text/event-stream", "data: an event\n\n"),
    got(`${cdn}/sound.wav`, "audio/wav", wav(20)),
    got(`${site}/dir/frame`, "text/html", framePage),
    got("https://posted.example/frame", "text/html", framePage),
    ["frame", "frame?top", "frame?origin", "frame?echo", "frame?refresh", "frame?gone", "frame?gone=", "static", "embedded"].map((path) => got(`${other}/${path}`, "text/html", framePage)).flat(),
    got(`${site}/worker.js`, "text/javascript", workerScript),
    got(`${site}/syncworker.js`, "text/javascript", `const r = new XMLHttpRequest(); r.open("GET", "/data.json", false); r.send(); postMessage(r.responseText);`),
    got(`${site}/shared.js`, "text/javascript", `onconnect = ({ ports: [port] }) => port.postMessage(location.href);`),
    got(`${site}/sw.js`, "text/javascript", ""),
  );
}
