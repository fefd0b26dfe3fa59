// Pages that replace what the language gives them before they do anything else. They tell the window around them what
// came of the rest, as JSON.
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";

/** What each kind of page replaces: everything on these that is a function or an accessor. */
export const kinds = {
  nothing: "",
  strings: "String.prototype, String",
  patterns: "RegExp.prototype",
  lists: "Array.prototype, Array, Uint8Array.prototype.__proto__",
  maps: "Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype",
  promises: "Promise.prototype, Promise",
  reflection: "Reflect, Object",
  functions: "Function.prototype",
  texts: "JSON, Number.prototype, Date.prototype, Symbol.prototype, TextEncoder.prototype, DataView.prototype",
};

const script = (spoiled) => `
const { ownKeys, getOwnPropertyDescriptor, defineProperty, apply } = Reflect;
const { stringify } = JSON;
const { then } = Promise.prototype;
const { now } = Date;
const has = "".includes;
function spoil(object) {
  const keys = ownKeys(object);
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at];
    const native = getOwnPropertyDescriptor(object, key);
    // Without it no promise would do anything, whoever asks.
    if (key === "constructor" || key === Symbol.species || !native.configurable || (typeof native.value !== "function" && !native.get)) continue;
    const broken = () => {
      throw new Error("replaced");
    };
    defineProperty(object, key, native.get ? { get: broken, configurable: true } : { value: broken, writable: true, configurable: true });
  }
}
let refused = 0;
document.addEventListener("securitypolicyviolation", () => (refused += 1));
const found = {};
// Browsers go through the lists that they are given as the page's lists are.
const made = URL.createObjectURL(new Blob(["const r = new XMLHttpRequest(); r.open('GET', 'https://other.example/data.txt', false); r.send(); postMessage(r.responseText)"]));
const spoiled = [${spoiled}];
for (let at = 0; at < spoiled.length; at += 1) spoil(spoiled[at]);
document.write('<img id=written src="https://other.example/pic.svg">');
const tell = (name, value) => (found[name] = value);
const image = (name, element) => {
  const picture = element;
  picture.onload = () => tell(name, picture.naturalWidth);
  picture.onerror = () => tell(name, "failed");
};
addEventListener("load", () => {
  const { body } = document;
  const next = document.getElementById("next");
  tell("written", document.getElementById("written").naturalWidth);
  tell("place", location.href + " " + location.host + " " + document.URL + " " + origin);
  const link = document.createElement("a");
  link.href = "//other.example/there?x=1#y";
  tell("link", link.href + " " + link.host);
  const set = new Image();
  image("set", set);
  set.src = "https://other.example/pic.svg";
  const attribute = document.createElement("img");
  image("attribute", attribute);
  attribute.setAttribute("src", "https://other.example/pic.svg");
  body.append(attribute);
  const box = document.createElement("div");
  body.append(box);
  box.innerHTML = '<p style="background: url(https://other.example/pic.svg)"><img src="https://other.example/pic.svg">';
  image("markup", box.querySelector("img"));
  tell("unmapped", apply(has, box.innerHTML, ["https://other.example/pic.svg"]));
  document.cookie = "early=1; max-age=100";
  document.cookie = "late=2";
  document.cookie = "early=; expires=Thu, 01 Jan 1970 00:00:00 GMT";
  tell("cookies", document.cookie);
  tell("year", now() < 1500000000000);
  tell("id", crypto.randomUUID().length);
  const text = (answer) => void apply(then, answer.text(), [(said) => tell("fetched", said)]);
  apply(then, fetch("https://other.example/data.txt"), [text, () => tell("fetched", "failed")]);
  const request = new XMLHttpRequest();
  request.onload = () => tell("requested", request.responseText + " " + request.responseURL);
  request.open("GET", "https://other.example/data.txt");
  request.send();
  new Worker("https://evil.example/worker.js").onmessage = ({ data }) => tell("worker", data);
  new Worker(made).onmessage = ({ data }) => tell("made", data);
  addEventListener("message", ({ data, origin: from }) => {
    // The test says so: by a link first, and from there by an address that is set.
    if (data === "go") return void (next ? next.click() : (location.href = "https://other.example/there"));
    tell(data, from);
  });
  const framed = document.createElement("iframe");
  framed.src = "https://other.example/framed";
  body.append(framed);
  const inline = document.createElement("iframe");
  inline.srcdoc = "<body><img src='https://other.example/pic.svg' onload='parent.postMessage(\\"inline\\", \\"*\\")'>";
  body.append(inline);
  history.pushState(null, "", "?moved");
  tell("moved", location.search);
  const began = performance.now();
  const watch = setInterval(() => {
    if (found.inline === undefined || found.framed === undefined || found.worker === undefined || found.made === undefined) if (performance.now() - began < 15000) return;
    clearInterval(watch);
    tell("refused", refused);
    // Past all that is replaced, for a driver stumbles over it as well.
    body.append(document.createElement("iframe"));
    window[window.length - 1].eval("top").postMessage({ found: stringify(found) }, "*");
  }, 50);
});
`;

/** What each of them must have found. */
export const expected = (url) => ({
  written: 14,
  place: `${url} evil.example ${url} https://evil.example`,
  link: "https://other.example/there?x=1#y other.example",
  set: 14,
  attribute: 14,
  markup: 14,
  unmapped: true,
  cookies: "late=2",
  year: true,
  id: 36,
  fetched: "data",
  requested: "data https://other.example/data.txt",
  worker: "https://evil.example/worker.js data",
  made: "data",
  framed: "https://other.example",
  inline: "https://evil.example",
  moved: "?moved",
  refused: 0,
});

const captured = "2014-05-03T10:00:00Z";
const file = (url, type, body) => exchange({ url, date: captured, headers: { "Content-Type": type }, body });
const page = (url, name, code, link = "") => file(url, "text/html", `<!doctype html><title>${name}</title><body><h1>${name}</h1><script>${code}</script>${link}`);

export function poisonArchive() {
  return warcGz(
    warcInfo(),
    Object.entries(kinds).map(([name, spoiled]) => [...page(`https://evil.example/${name}`, name, script(spoiled), `<a id="next" href="https://evil.example/${name}/next">next</a>`), ...page(`https://evil.example/${name}/next`, name, script(spoiled))]).flat(),
    file("https://evil.example/worker.js", "text/javascript", "const r = new XMLHttpRequest(); r.open('GET', 'https://other.example/data.txt', false); r.send(); postMessage(location.href + ' ' + r.responseText)"),
    file("https://other.example/pic.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="14" height="5"/>'),
    file("https://other.example/data.txt", "text/plain", "data"),
    file("https://other.example/framed", "text/html", "<!doctype html><p>framed<script>parent.postMessage('framed', 'https://evil.example')</script>"),
    file("https://other.example/there", "text/html", "<!doctype html><title>There</title><h1>There</h1>"),
    file("https://other.example/there?x=1", "text/html", "<!doctype html><title>There</title><h1>There</h1>"),
  );
}
