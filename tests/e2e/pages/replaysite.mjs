// The archives of the replay tests: a site of ten pages over four hosts, many small files, one large file, a hostile page.
import { createHash } from "node:crypto";
import { concat, exchange, httpRequest, httpResponse, warcGz, warcInfo, warcRecord } from "../../fixtures/warc.mjs";

const page = (url, body, headers = {}) => exchange({ url, headers: { "Content-Type": "text/html; charset=utf-8", ...headers }, body });
const file = (url, type, body, headers = {}) => exchange({ url, headers: { "Content-Type": type, ...headers }, body });

const svg = (width, height) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%"/></svg>`;

/** A sound of so many seconds, which a <video> plays as well; long enough to be sent as a Blob. */
export function wav(seconds, rate = 8000) {
  const samples = new Uint8Array(seconds * rate).map((_, at) => 128 + Math.round(40 * Math.sin(at / 3)));
  const header = new DataView(new ArrayBuffer(44));
  const text = (at, letters) => [...letters].forEach((letter, idx) => header.setUint8(at + idx, letter.charCodeAt(0)));
  text(0, "RIFF");
  header.setUint32(4, 36 + samples.length, true);
  text(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate, true);
  header.setUint16(32, 1, true);
  header.setUint16(34, 8, true);
  text(36, "data");
  header.setUint32(40, samples.length, true);
  return concat(new Uint8Array(header.buffer), samples);
}

export const site = "https://www.stack.example";
export const videoSeconds = 60;
const cdn = "https://cdn.stack-files.example";

function sitePage(number) {
  const next = number === 10 ? 1 : number + 1;
  const extra = {
    2: `<iframe name="inner" src="https://other.example/framed"></iframe>`,
    3: `<video preload="auto" muted src="https://media.stack.example:8443/sound.wav"></video>`,
    4: `<form action="${site}/found"><input name="q" value="lamp"><button>Find</button></form>`,
    5: `<div id="far" style="background: url(${cdn}/back.svg)"></div><p id="styled">styled</p>`,
  }[number] ?? "";
  return `<!doctype html><html><head><title>Page ${number}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<link rel="preconnect" href="${cdn}"><link rel="stylesheet" href="${cdn}/site.css">
<script src="${cdn}/site.js" crossorigin></script></head>
<body><h1>Page ${number} of ten</h1>
<img id="near" src="/pictures/near.svg"><img id="cdn" src="${cdn}/pictures/${number}.svg"><img id="set" srcset="//cdn.stack-files.example/pictures/${number}.svg 1x">
<script>document.body.dataset.inline = location.pathname + location.search + location.hash;</script>
<a id="next" href="/page/${next}">next</a> <a id="absolute" href="${site}/page/${next}?from=${number}#here">next by its whole address</a>
${extra}</body></html>`;
}

/** Ten pages with pictures, a script and a style sheet of another host, a frame of a third, a sound of a fourth. */
export function tenPages() {
  const pages = Array.from({ length: 10 }, (_, at) => page(`${site}/page/${at + 1}`, sitePage(at + 1), {
    "Content-Security-Policy": "default-src 'none'",
    "X-Frame-Options": "DENY",
    "Set-Cookie": "a=b",
    "Strict-Transport-Security": "max-age=1000",
  }));
  return warcGz(
    warcInfo(),
    ...pages,
    page(`${site}/page/2?from=1`, sitePage(2)),
    page(`${site}/found?q=lamp`, "<!doctype html><p id=found>Found by the form"),
    exchange({ url: `${site}/moved`, status: 301, headers: { "Content-Type": "text/html", Location: `${site}/page/10` }, body: "" }),
    file(`${site}/pictures/near.svg`, "image/svg+xml", svg(21, 12)),
    Array.from({ length: 10 }, (_, at) => file(`${cdn}/pictures/${at + 1}.svg`, "image/svg+xml", svg(100 + at, 50))).flat(),
    file(`${cdn}/back.svg`, "image/svg+xml", svg(5, 5)),
    file(`${cdn}/site.css`, "text/css", "h1 { color: rgb(1, 2, 3) } #styled { background: url(back.svg) }"),
    file(`${cdn}/site.js`, "text/javascript", "document.documentElement.dataset.script = 'ran from ' + new URL(document.currentScript.src).pathname;"),
    page("https://other.example/framed", "<!doctype html><p>Framed from another host"),
    file("https://media.stack.example:8443/sound.wav", "audio/wav", wav(videoSeconds)),
    file(`${site}/pictures/sound.wav`, "audio/wav", wav(videoSeconds)),
  );
}

export const manyCount = 1000;
/** What the file of a number holds. */
export const manyText = (number) => `${number} `.repeat(1 + (number % 200));

/** A page and a thousand small files of its host. */
export function manyFiles() {
  return warcGz(
    warcInfo(),
    page(`${site}/`, "<!doctype html><title>many</title><p>many"),
    ...Array.from({ length: manyCount }, (_, number) => file(`${site}/file/${number}.txt`, "text/plain", manyText(number))),
  );
}

/** A page of as many pictures, each of its own. */
export function manyPictures() {
  const numbers = Array.from({ length: manyCount }, (_, number) => number);
  return warcGz(
    warcInfo(),
    page(`${site}/pictures`, `<!doctype html><title>pictures</title>${numbers.map((number) => `<img src="/picture/${number}.svg">`).join("")}`),
    ...numbers.map((number) => file(`${site}/picture/${number}.svg`, "image/svg+xml", svg(1 + (number % 50), 5))),
  );
}

/** Pages of many hosts, and the thousand files under some of these hosts. */
export function benchFiles(hosts, hostsOfFiles) {
  const body = "<!doctype html><title>bench</title><p>there";
  return warcGz(
    warcInfo(),
    hosts.map((name) => [...page(`https://${name}/`, body), ...page(`https://${name}/second`, body)]).flat(),
    hostsOfFiles.map((name) => Array.from({ length: manyCount }, (_, number) => file(`https://${name}/file/${number}.txt`, "text/plain", manyText(number)))).flat(2),
  );
}

/** One large file that does not compress, as an uncompressed WARC, and its SHA-256. */
export function largeFile(bytes) {
  const body = new Uint8Array(bytes);
  let state = 12345;
  const words = new Uint32Array(body.buffer);
  for (let at = 0; at < words.length; at += 1) words[at] = state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  const url = `${site}/large.bin`;
  return {
    url,
    sha256: createHash("sha256").update(body).digest("hex"),
    archive: concat(
      warcInfo(),
      ...page(`${site}/`, "<!doctype html><title>large</title><p>large"),
      warcRecord({ url, block: httpResponse({ headers: { "Content-Type": "application/octet-stream" }, body }) }),
    ),
  };
}

/** A page from which tests try what it must not be able to do. */
export function hostileArchive() {
  return warcGz(warcInfo(), page("https://evil.example/quiet", "<!doctype html><p>quiet"));
}

/** Days on which the chronicle was captured. */
export const chronicle = { url: "https://www.chron.example/", first: "2014-05-03T10:00:00Z", last: "2016-06-01T10:00:00Z" };

/** A site as it was on two days, with what replay must find, pass over and miss. */
export function chronicleArchive() {
  const at = (date, url, type, body, more = {}) => [warcRecord({ url, date, block: httpResponse({ headers: { "Content-Type": type, ...more.headers }, status: more.status ?? 200, body }) })];
  const front = (year) => `<!doctype html><title>Chronicle ${year}</title><link rel="stylesheet" href="https://cdn.chron.example/site.css">
<h1>Chronicle of ${year}</h1><img id="pic" src="/pic.svg"><img id="gone" src="/gone.png"><p id="told">no script</p>
<a id="second" href="/second">second</a> <a id="other" href="https://other.example/">other</a> <a id="nowhere" href="/nowhere?x=1">nowhere</a>
<script>document.querySelector("#told").textContent = "script of ${year}"; document.cookie = "seen=${year}";</script>
<script>
const call = (path, body) => fetch(path, body === undefined ? {} : { method: "POST", body }).then((answer) => (answer.ok ? answer.text() : String(answer.status)));
Promise.all([call("/data.json?b=2&a=1&_=1999999999999"), call("/api", "q=two&r=1"), call("/api", "r=1&q=one")]).then((texts) => (document.body.dataset.calls = texts.join(" ")));
</script>`;
  const day = (date, year, color, width) => [
    ...at(date, chronicle.url, "text/html", front(year)),
    ...at(date.replace(":00Z", ":01Z"), "https://cdn.chron.example/site.css", "text/css", `h1 { color: ${color} }`),
    ...at(date.replace(":00Z", ":02Z"), "https://www.chron.example/pic.svg", "image/svg+xml", svg(width, 5)),
  ];
  const asked = (body, answer, second) => {
    const date = `2014-05-03T10:00:${second}Z`;
    const url = "https://www.chron.example/api";
    return [
      ...at(date, url, "text/plain", answer),
      warcRecord({ type: "request", url, date, block: httpRequest({ method: "POST", url, body, headers: { "Content-Type": "application/x-www-form-urlencoded" } }) }),
    ];
  };
  return warcGz(
    warcInfo(),
    at("2014-05-03T09:59:59Z", "http://www.chron.example/", "text/html", "", { status: 301, headers: { Location: chronicle.url } }),
    day(chronicle.first, 2014, "rgb(20, 14, 0)", 14),
    asked("q=one&r=1", "one", 10),
    asked("q=two&r=1", "two", 11),
    at("2014-05-03T10:00:12Z", "https://www.chron.example/data.json?a=1&b=2&_=1400000000000", "application/json", "data"),
    at("2014-05-03T10:01:00Z", "https://www.chron.example/second", "text/html", "<!doctype html><title>Second</title><h1>Second page</h1><script>document.body.dataset.cookie = document.cookie</script>"),
    at("2014-05-04T10:00:00Z", "https://other.example/", "text/html", `<!doctype html><title>Other</title><h1>Another site</h1><a href="${chronicle.url}">back</a>`),
    day(chronicle.last, 2016, "rgb(20, 16, 0)", 16),
  );
}
