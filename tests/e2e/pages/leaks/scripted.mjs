// Ways out of a page by script, each a function that stands for itself: they are sent as text into every kind of realm.
// `t` has the addresses (url, ws, stun), `api`: the realm whose means are used, and the hands: add, html, code.

/** In windows and in workers. */
export const anywhere = {
  fetch: (t) => t.api.fetch(t.url, { mode: "no-cors" }),
  "fetch-cors": (t) => t.api.fetch(t.url),
  "fetch-post": (t) => t.api.fetch(t.url, { method: "POST", mode: "no-cors", body: "secret" }),
  "fetch-put": (t) => t.api.fetch(t.url, { method: "PUT", headers: { "X-Own": "1" }, body: "secret" }),
  "fetch-keepalive": (t) => t.api.fetch(t.url, { mode: "no-cors", keepalive: true, method: "POST", body: "secret" }),
  "fetch-request": (t) => t.api.fetch(new t.api.Request(t.url, { mode: "no-cors", credentials: "include" })),
  "fetch-cache": (t) => t.api.fetch(t.url, { mode: "no-cors", cache: "reload" }),
  "fetch-topics": (t) => t.api.fetch(t.url, { browsingTopics: true, mode: "no-cors" }),
  "fetch-local": (t) => t.api.fetch(t.url, { targetAddressSpace: "loopback", mode: "no-cors" }),
  "fetch-redirected": (t) => t.api.fetch(t.redirected, { mode: "no-cors" }),
  xhr: (t) => t.ask(true, "GET"),
  "xhr-post": (t) => t.ask(true, "POST"),
  "xhr-sync": (t) => t.ask(false, "GET"),
  "xhr-upload": (t) => t.ask(true, "POST", (request) => (request.upload.onprogress = () => {})),
  eventsource: (t) => new t.api.EventSource(t.url),
  websocket: (t) => new t.api.WebSocket(t.ws),
  "websocket-protocol": (t) => new t.api.WebSocket(t.ws, "own"),
  "websocket-stream": (t) => new t.api.WebSocketStream(t.ws).opened,
  webtransport: (t) => new t.api.WebTransport(t.url).ready,
  "webtransport-hashed": (t) => new t.api.WebTransport(t.url, { serverCertificateHashes: [{ algorithm: "sha-256", value: new Uint8Array(32) }] }).ready,
  "cache-add": async (t) => (await t.api.caches.open("leak")).add(t.url),
  "cache-add-request": async (t) => (await t.api.caches.open("leak")).add(new t.api.Request(t.url, { mode: "no-cors" })),
  fontface: (t) => new t.api.FontFace("leak", `url(${t.url})`).load(),
  import: (t) => import(t.url),
  "import-blob": (t) => import(t.code(`import "${t.url}"`)),
  "import-data": (t) => import(`data:text/javascript,import "${encodeURI(t.url)}"`),
  wasm: (t) => t.api.WebAssembly.instantiateStreaming(t.api.fetch(t.url, { mode: "cors" })),
  worker: (t) => new t.api.Worker(t.url),
  "worker-module-blob": (t) => new t.api.Worker(t.code(`import "${t.url}"`), { type: "module" }),
  "worker-blob-fetch": (t) => new t.api.Worker(t.code(`fetch("${t.url}", { mode: "no-cors" })`)),
  "worker-blob-import": (t) => new t.api.Worker(t.code(`importScripts("${t.url}")`)),
  "worker-blob-websocket": (t) => new t.api.Worker(t.code(`new WebSocket("${t.ws}")`)),
  "worker-blob-xhr": (t) => new t.api.Worker(t.code(`const r = new XMLHttpRequest(); r.open("GET", "${t.url}", false); r.send()`)),
  "worker-data-fetch": (t) => new t.api.Worker(`data:text/javascript,fetch("${encodeURIComponent(t.url)}", { mode: "no-cors" })`),
  "worker-data-import": (t) => new t.api.Worker(`data:text/javascript,importScripts("${encodeURIComponent(t.url)}")`),
  "worker-data-websocket": (t) => new t.api.Worker(`data:text/javascript,new WebSocket("${encodeURIComponent(t.ws)}")`),
  "worker-nested": (t) => new t.api.Worker(t.code(`new Worker(URL.createObjectURL(new Blob(["fetch('${t.url}', { mode: 'no-cors' })"])))`)),
  "sharedworker-blob": (t) => new t.api.SharedWorker(t.code(`fetch("${t.url}", { mode: "no-cors" })`)),
  "sharedworker-data": (t) => new t.api.SharedWorker(`data:text/javascript,fetch("${encodeURIComponent(t.url)}", { mode: "no-cors" })`),
  serviceworker: (t) => t.api.navigator.serviceWorker.register(t.url),
  notification: (t) => new t.api.Notification("leak", { icon: t.url, image: t.url, badge: t.url }),
};

/** In windows alone. */
export const windowed = {
  beacon: (t) => t.api.navigator.sendBeacon.call(navigator, t.url, "secret"),
  "beacon-own": (t) => t.api.Navigator.prototype.sendBeacon.call(t.api.navigator, t.url, "secret"),
  image: (t) => (new t.api.Image().src = t.url),
  "image-srcset": (t) => (new t.api.Image().srcset = `${t.url} 1x`),
  "audio-object": (t) => new t.api.Audio(t.url).load(),
  "image-decode": (t) => Object.assign(new t.api.Image(), { src: t.url }).decode(),
  "script-src": (t) => t.add("script", { src: t.url }),
  "script-module": (t) => t.add("script", { type: "module", src: t.url }),
  "script-module-inline": (t) => t.add("script", { type: "module" }, `import "${t.url}"`),
  "script-importmap": (t) => t.html(`<iframe srcdoc='<script type=importmap>{"imports":{"leak":"${t.url}"}}</scr` + `ipt><script type=module>import "leak"</scr` + `ipt>'></iframe>`),
  "script-svg": (t) => t.addSvg("script", { href: t.url }),
  "link-style": (t) => t.add("link", { rel: "stylesheet", href: t.url }),
  "document-write": (t) => t.frame().contentWindow.document.write(`<img src="${t.url}">`),
  "document-write-script": (t) => t.frame().contentWindow.document.write(`<script src="${t.url}"></scr` + `ipt>`),
  "outer-html": (t) => (t.html("<p>x</p>").firstElementChild.outerHTML = `<img src="${t.url}">`),
  "adjacent-html": (t) => t.html("<p>x</p>").insertAdjacentHTML("beforeend", `<img src="${t.url}">`),
  "html-unsafe": (t) => t.html("<p>x</p>").setHTMLUnsafe(`<img src="${t.url}">`),
  fragment: (t) => t.body.append(document.createRange().createContextualFragment(`<img src="${t.url}">`)),
  parser: (t) => t.body.append(document.adoptNode(new t.api.DOMParser().parseFromString(`<img src="${t.url}">`, "text/html").body.firstChild)),
  template: (t) => t.body.append(document.importNode(Object.assign(document.createElementNS("http://www.w3.org/1999/xhtml", "template"), { innerHTML: `<img src="${t.url}">` }).content, true)),
  shadow: (t) => (t.html("<p>x</p>").firstElementChild.attachShadow({ mode: "closed" }).innerHTML = `<img src="${t.url}">`),
  "sheet-constructed": (t) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* { list-style-image: url(${t.url}); background: url(${t.url}) }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    t.html("<ul><li>x</ul>");
  },
  "sheet-insert": (t) => {
    const style = t.add("style", {}, "");
    style.sheet.insertRule(`.leak-insert { background: url(${t.url}) }`);
    t.html("<i class=leak-insert>x</i>");
  },
  "style-property": (t) => t.html("<i>x</i>").firstElementChild.style.setProperty("background", `url(${t.url})`),
  "style-text": (t) => (t.html("<i>x</i>").firstElementChild.style.cssText = `background: url(${t.url})`),
  "style-set": (t) => (t.html("<i>x</i>").firstElementChild.style.backgroundImage = `url(${t.url})`),
  "paint-worklet": (t) => t.api.CSS.paintWorklet.addModule(t.url),
  "layout-worklet": (t) => t.api.CSS.layoutWorklet.addModule(t.url),
  "audio-worklet": (t) => new t.api.AudioContext().audioWorklet.addModule(t.url),
  "shared-storage": (t) => t.api.sharedStorage.worklet.addModule(t.url),
  "interest-group": (t) => t.api.navigator.joinAdInterestGroup({ owner: new URL(t.url).origin, name: "leak", biddingLogicURL: t.url, lifetimeMs: 1000 }),
  auction: (t) => t.api.navigator.runAdAuction({ seller: new URL(t.url).origin, decisionLogicURL: t.url, interestGroupBuyers: [] }),
  fedcm: (t) => t.api.navigator.credentials.get({ identity: { providers: [{ configURL: t.url, clientId: "1" }] } }),
  payment: (t) => new t.api.PaymentRequest([{ supportedMethods: t.url }], { total: { label: "x", amount: { currency: "USD", value: "1" } } }).canMakePayment(),
  presentation: (t) => new t.api.PresentationRequest(t.url).getAvailability(),
  "media-artwork": (t) => (t.api.navigator.mediaSession.metadata = new t.api.MediaMetadata({ title: "x", artwork: [{ src: t.url }] })),
  xslt: (t) => {
    const read = (text) => new t.api.DOMParser().parseFromString(text, "text/xml");
    const processor = new t.api.XSLTProcessor();
    processor.importStylesheet(read(`<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:import href="${t.url}"/><x:template match="/"><a><x:copy-of select="document('${t.url}')"/></a></x:template></x:stylesheet>`));
    processor.transformToDocument(read("<a/>"));
  },
  "frame-src-set": (t) => (t.frame().src = t.url),
  "frame-location": (t) => (t.frame().contentWindow.location.href = t.url),
  "frame-replace": (t) => t.frame().contentWindow.location.replace(t.url),
  "frame-named": (t) => {
    t.frame("leaknamed");
    t.click(t.add("a", { href: t.url, target: "leaknamed" }, "x"));
  },
  "frame-javascript": (t) => (t.frame().src = `javascript:void(location.href=${JSON.stringify(t.url)})`),
  "frame-blob": (t) => t.frame().setAttribute("src", URL.createObjectURL(new Blob([`<img src="${t.url}">`], { type: "text/html" }))),
  "frame-blob-refresh": (t) => t.frame().setAttribute("src", URL.createObjectURL(new Blob([`<meta http-equiv="refresh" content="0;url=${t.url}">`], { type: "text/html" }))),
  "frame-redirected": (t) => (t.frame().src = t.redirected),
  "image-redirected": (t) => t.add("img", { src: t.redirected }),
  "form-framed": (t) => {
    t.frame("leakform");
    t.add("form", { action: t.url, method: "post", target: "leakform" }).submit();
  },
  // In a frame: from a document without an address of its own a link leads away, were it to a place in it.
  ping: (t) => {
    t.frame("leakping");
    t.click(t.add("a", { href: t.redirected, ping: t.url, target: "leakping" }, "x"));
  },
  "attribution-link": (t) => {
    t.frame("leakattribution");
    t.click(t.add("a", { href: t.redirected, attributionsrc: t.url, target: "leakattribution" }, "x"));
  },
  "hover-prefetch": (t) => {
    t.add("script", { type: "speculationrules" }, '{"prefetch":[{"source":"document","eagerness":"immediate"}]}');
    t.add("a", { href: t.url }, "x");
  },
  reporting: (t) => new t.api.ReportingObserver(() => t.api.fetch(t.url, { mode: "no-cors" }), { buffered: true }).observe(),
  "canvas-image": (t) => {
    const image = Object.assign(new t.api.Image(), { crossOrigin: "anonymous", src: t.url });
    image.onerror = image.onload = () => t.api.createImageBitmap(image);
  },
};

/** These take their document away: each has one of its own. */
export const leaving = {
  "location-href": (t) => (location.href = t.url),
  "location-set": (t) => (window.location = t.url),
  "location-assign": (t) => location.assign(t.url),
  "location-replace": (t) => location.replace(t.url),
  "document-location": (t) => (document.location = t.url),
  "location-api": (t) => t.api.eval("(url, at) => at.replace(url)")(t.url, location),
  "navigation-api": (t) => navigation.navigate(t.url),
  "open-self": (t) => t.api.open.call(window, t.url, "_self"),
  "link-click": (t) => t.click(t.add("a", { href: t.url }, "x")),
  "link-event": (t) => t.add("a", { href: t.url }, "x").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window })),
  "link-svg": (t) => t.addSvg("a", { href: t.url }).dispatchEvent(new MouseEvent("click", { bubbles: true, view: window })),
  "link-javascript": (t) => t.click(t.add("a", { href: `javascript:void(location.href=${JSON.stringify(t.url)})` }, "x")),
  "form-get": (t) => t.add("form", { action: t.url }).submit(),
  "form-post": (t) => t.add("form", { action: t.url, method: "post" }).submit(),
  "form-request": (t) => t.add("form", { action: t.url, method: "post" }).requestSubmit(),
  "form-button": (t) => {
    const button = t.add("button", { formaction: t.url, formmethod: "post" }, "x");
    t.add("form", {}).append(button);
    button.click();
  },
  "meta-refresh": (t) => document.documentElement.append(t.add("meta", { "http-equiv": "refresh", content: `0;url=${t.url}` })),
  "document-open": (t) => {
    document.open();
    document.write(`<meta http-equiv="refresh" content="0;url=${t.url}"><img src="${t.url}">`);
    document.close();
  },
  download: (t) => t.click(t.add("a", { href: t.url, download: "leak.bin" }, "x")),
  "link-redirected": (t) => (location.href = t.redirected),
};

/** These may end the whole process or reach other windows: each is tried alone. */
export const alone = {
  "top-location": (t) => (top.location.href = t.url),
  "top-replace": (t) => top.location.replace(t.url),
  "open-top": (t) => t.api.open.call(window, t.url, "_top"),
  "link-top": (t) => t.click(t.add("a", { href: t.url, target: "_top" }, "x")),
  "parent-location": (t) => (parent.location = t.url),
  popup: (t) => t.api.open.call(window, t.url),
  "popup-noopener": (t) => t.api.open.call(window, t.url, "_blank", "noopener"),
  "link-blank": (t) => t.click(t.add("a", { href: t.url, target: "_blank" }, "x")),
  "form-blank": (t) => t.add("form", { action: t.url, target: "_blank", method: "post" }).submit(),
  "fetch-later": (t) => t.api.fetchLater(t.url, { activateAfter: 0 }),
  stun: (t) => t.call([{ urls: t.stun }]),
  turn: (t) => t.call([{ urls: t.stun.replace("stun", "turn"), username: "u", credential: "c" }]),
  "turn-tcp": (t) => t.call([{ urls: `${t.stun.replace("stun", "turn")}?transport=tcp`, username: "u", credential: "c" }]),
};
