// What archives are known to get wrong, each as a box that a page fills: after the Archival Acid Test (Kelly, Nelson, Weigle,
// 2014) and the cases of the test suite of Reconstructive, made anew from their descriptions.
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";

const own = "http://acid.example";
const other = "http://elsewhere.example";
const date = "2014-06-01T00:00:00Z";

const blue = (size) => `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><rect width="100%" height="100%" fill="#00f"/></svg>`;
const file = (url, type, body) => exchange({ url, date, headers: { "Content-Type": type }, body });
const picture = (url, size) => file(url, "image/svg+xml", blue(size));

/** The last one is far down. Name to what the box holds, the files that it takes, and whether it is there: a function of the box, run in the page. */
const boxes = {
  "1a, a picture of the own host": { html: `<img src="/1a.svg">`, files: () => picture(`${own}/1a.svg`, 11) },
  "1b, a picture by its whole address": { html: `<img src="${own}/1b.svg">`, files: () => picture(`${own}/1b.svg`, 12) },
  "1c, a picture without a scheme": { html: `<img src="//acid.example/1c.svg">`, files: () => picture(`${own}/1c.svg`, 13) },
  "1d, a picture of another host": { html: `<img src="${other}/1d.svg">`, files: () => picture(`${other}/1d.svg`, 14) },
  "1e, a picture in style": { html: `<p class="one-e">text</p>`, head: `<link rel="stylesheet" href="${other}/1e.css">`, files: () => [...file(`${other}/1e.css`, "text/css", `.one-e { width: 15px; background: url(1e.svg) }`), ...picture(`${other}/1e.svg`, 15)], isThere: (box) => getComputedStyle(box.firstElementChild).width === "15px" && loads(getComputedStyle(box.firstElementChild).backgroundImage.slice(5, -2)) },
  "1f, a picture with blanks and letters in its address": { html: `<img src="/one f/h\u00fc%20ll.svg">`, files: () => picture(`${own}/one%20f/h%C3%BC%20ll.svg`, 16) },
  "2a, a script of the own host": { html: `<script src="/2a.js"></script>`, files: () => [...file(`${own}/2a.js`, "text/javascript", `put("/2a.svg")`), ...picture(`${own}/2a.svg`, 21)] },
  "2b, a script of another host": { html: `<script src="${other}/2b.js"></script>`, files: () => [...file(`${other}/2b.js`, "text/javascript", `put("${other}/2b.svg")`), ...picture(`${other}/2b.svg`, 22)] },
  "2c, a picture made in the document": { html: `<script>{ const box = document.currentScript.parentNode; const image = document.createElement("img"); image.setAttribute("src", "${own}/" + "2c" + ".svg"); box.appendChild(image); }</script>`, files: () => picture(`${own}/2c.svg`, 23) },
  "2d, what a request brings": { html: `<script>{ const box = document.currentScript.parentNode; const request = new XMLHttpRequest(); request.onload = () => (box.innerHTML = request.responseText); request.open("GET", "/2d.txt"); request.send(); }</script>`, files: () => [...file(`${own}/2d.txt`, "text/plain", `<img src="${own}/2d.svg">`), ...picture(`${own}/2d.svg`, 24)] },
  "2e, what must not be had of another host is not taken for a failure": { html: `<script>{ const box = document.currentScript.parentNode; fetch("${other}/not-recorded.txt").then((answer) => answer.ok).catch(() => false).then((isThere) => { if (!isThere) box.innerHTML = '<img src="/2e.svg">'; }); }</script>`, files: () => picture(`${own}/2e.svg`, 25) },
  "2f, markup written while the page is read": { html: `<script>document.write('<img src="${own}/2f.svg">')</script>`, files: () => picture(`${own}/2f.svg`, 26) },
  "2g, what comes when the page is scrolled": { html: `<script>{ const box = document.currentScript.parentNode; addEventListener("scroll", () => { if (!box.querySelector("img")) box.insertAdjacentHTML("beforeend", '<img src="${other}/2g.svg">'); }); }</script>`, files: () => picture(`${other}/2g.svg`, 27) },
  "2h, a script that a timer adds": { html: `<script>{ const box = document.currentScript.parentNode; setTimeout(() => { const script = document.createElement("script"); script.src = "//elsewhere.example/2h.js"; box.append(script); }, 50); }</script>`, files: () => [...file(`${other}/2h.js`, "text/javascript", `put("/2h.svg")`), ...picture(`${own}/2h.svg`, 28)] },
  "3a, a canvas": { html: `<canvas width="31" height="31"></canvas><script>{ const canvas = document.currentScript.previousElementSibling; const image = new Image(); image.onload = () => canvas.getContext("2d").drawImage(image, 0, 0); image.src = "/3a.svg"; }</script>`, files: () => picture(`${own}/3a.svg`, 31), isThere: (box) => { const [red, green, blueness] = box.querySelector("canvas").getContext("2d").getImageData(5, 5, 1, 1).data; return red === 0 && green === 0 && blueness === 255; } },
  "3b, what is kept for later": { html: `<script>{ localStorage.setItem("three", "/3b.svg"); document.cookie = "three=b"; const box = document.currentScript.parentNode; if (/three=b/.test(document.cookie)) box.insertAdjacentHTML("beforeend", '<img src="' + localStorage.getItem("three") + '">'); }</script>`, files: () => picture(`${own}/3b.svg`, 32) },
  "3c, an embedded page": { html: `<iframe src="${other}/3c.html"></iframe>`, files: () => [...file(`${other}/3c.html`, "text/html", `<script>const image = new Image(); image.onload = () => parent.postMessage(image.naturalWidth, "${own}"); image.src = "/3c.svg"</script>`), ...picture(`${other}/3c.svg`, 33)], isThere: () => window.heard === 33 },
  "3d, an embedded object": { html: `<object data="${own}/3d.svg" type="image/svg+xml"></object>`, files: () => picture(`${own}/3d.svg`, 34), isThere: (box) => box.firstElementChild.getBoundingClientRect().width === 34 },
  "3e, a database": { html: `<script>{ const box = document.currentScript.parentNode; const opening = indexedDB.open("three"); opening.onupgradeneeded = () => opening.result.createObjectStore("e"); opening.onsuccess = () => { const store = opening.result.transaction("e", "readwrite").objectStore("e"); store.put("/3e.svg", 1); store.get(1).onsuccess = ({ target }) => box.insertAdjacentHTML("beforeend", '<img src="' + target.result + '">'); }; }</script>`, files: () => picture(`${own}/3e.svg`, 35) },
  "absolute": { html: `<img src="${own}/set/absolute.svg">`, files: () => picture(`${own}/set/absolute.svg`, 41) },
  "from the root": { html: `<img src="/set/root.svg">`, files: () => picture(`${own}/set/root.svg`, 42) },
  "relative": { html: `<img src="set/../set/./relative.svg">`, files: () => picture(`${own}/set/relative.svg`, 43) },
  "by style": { html: `<p style="background: url('${own}/set/css.svg')">text</p>`, files: () => picture(`${own}/set/css.svg`, 44), isThere: (box) => loads(getComputedStyle(box.firstElementChild).backgroundImage.slice(5, -2)) },
  "by script": { html: `<img id="js"><script>document.querySelector("#js").src = "/set/js.svg"</script>`, files: () => picture(`${own}/set/js.svg`, 45) },
  "by a request": { html: `<img><script>{ const image = document.currentScript.previousElementSibling; fetch("${own}/set/ajax.json").then((answer) => answer.json()).then(({ src }) => (image.src = src)); }</script>`, files: () => [...file(`${own}/set/ajax.json`, "application/json", `{"src":"${own}/set/ajax.svg"}`), ...picture(`${own}/set/ajax.svg`, 46)] },
  "by sizes": { html: `<img src="/set/none.svg" srcset="${own}/set/set-1.svg 1x, ${own}/set/set-2.svg 4x">`, files: () => picture(`${own}/set/set-1.svg`, 47) },
  "a font": { html: `<p>text</p>`, head: `<style>@font-face { font-family: there; src: url(${own}/set/font.woff2) }</style>`, files: () => file(`${own}/set/font.woff2`, "font/woff2", "not a font"), isThere: async () => (await fetch("/set/font.woff2")).ok },
  "in a frame": { html: `<iframe src="/set/frame.html"></iframe>`, files: () => [...file(`${own}/set/frame.html`, "text/html", `<img src="frame.svg">`), ...picture(`${own}/set/frame.svg`, 48)], isThere: (box) => box.firstElementChild.contentDocument.images[0].naturalWidth === 48 },
  "in a frame of another host": { html: `<iframe src="${other}/set/outer.html"></iframe>`, files: () => [...file(`${other}/set/outer.html`, "text/html", `<img src="outer.svg" onload="parent.postMessage({ outer: this.naturalWidth }, '*')">`), ...picture(`${other}/set/outer.svg`, 49)], isThere: () => window.outer === 49 },
  "by a click": { html: `<img><button>show</button><script>{ const button = document.currentScript.previousElementSibling; button.addEventListener("click", () => (button.previousElementSibling.src = "/set/click.svg")); }</script>`, files: () => picture(`${own}/set/click.svg`, 50) },
  "by scrolling": { html: `<img loading="lazy" src="/set/lazy.svg" width="5" height="5">`, files: () => picture(`${own}/set/lazy.svg`, 51) },
};

export const boxNames = Object.keys(boxes);

/** In the page: whether an address is a picture, and whether each box is filled, in the order of boxes. */
const judge = `
const loads = (src) => new Promise((resolve) => Object.assign(new Image(), { onload: () => resolve(true), onerror: () => resolve(false), src }));
const isFilled = (box) => { const image = box.querySelector("img"); return Boolean(image && image.complete && image.naturalWidth > 10); };
const checks = {${boxNames.map((name, n) => (boxes[name].isThere ? `${n}: ${boxes[name].isThere},` : "")).join("\n")}};
window.judged = async () => { const all = []; for (const box of document.querySelectorAll(".box")) { const n = Number(box.id.slice(3)); try { all.push(Boolean(await (checks[n] ?? isFilled)(box))); } catch (error) { all.push(false); } } return all; };
document.querySelector("button").click();
scrollTo(0, document.documentElement.scrollHeight);`;

export const boxPage = `${own}/set.html`;

export function boxArchive() {
  const list = Object.values(boxes);
  const body = list.map(({ html }, n) => `${n === list.length - 1 ? '<div style="height: 5000px"></div>' : ""}<div class="box" id="box${n}">${html}</div>`).join("\n");
  const tools = `<script>function put(src) { document.currentScript.parentNode.insertAdjacentHTML("beforeend", '<img src="' + src + '">'); }
addEventListener("message", ({ data }) => { if (typeof data === "number") window.heard = data; else if (data.outer) window.outer = data.outer; });</script>`;
  const page = `<!doctype html><meta charset="utf-8"><title>Boxes</title>${tools}${list.map(({ head = "" }) => head).join("")}${body}<script>addEventListener("load", () => { ${judge} })</script>`;
  return warcGz(warcInfo(), ...file(boxPage, "text/html; charset=utf-8", page), ...list.map(({ files }) => files()).flat());
}
