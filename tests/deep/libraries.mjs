/**
 * Pages that use libraries of the last twenty years as they are published, each on a host of its own, with the packages on
 * another one: loaders of every kind, editors, workers, WebAssembly, templates that become code, routers. Each page writes
 * into itself how it went. They are in the public domain (CC0); the packages are fetched for the run.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fetchPackage } from "../bench/peers.mjs";
import { drawn, pdf } from "../fixtures/pdf.mjs";
import { wav } from "../e2e/pages/replaysite.mjs";

const PACKAGES = [
  "@babel/standalone@7.29.13", "@excalidraw/excalidraw@0.17.6", "@hotwired/turbo@8.0.23", "@ionic/core@9.0.5", "@shoelace-style/shoelace@2.20.1", "ace-builds@1.45.2",
  "alpinejs@3.17.5", "angular@1.8.3", "angular-route@1.8.3", "backbone@1.6.1", "codemirror@5.65.21", "comlink@4.4.2", "core-js-bundle@3.50.0", "d3@7.9.2",
  "datatables.net@3.1.5", "dijit@1.17.3", "dojo@1.17.3", "echarts@6.1.0", "es-module-shims@2.8.4", "handlebars@4.7.10", "hls.js@1.7.4", "htmx.org@4.0.1",
  "jquery@3.8.0", "jquery-ui-dist@1.13.3", "knockout@3.5.3", "leaflet@1.9.4", "lodash@4.18.1", "lunr@2.3.9", "marked@18.2.1", "mathjax@3.2.2", "mermaid@11.17.2",
  "mirador@3.4.3", "monaco-editor@0.52.2", "openseadragon@6.1.1", "pdfjs-dist@4.10.38", "plotly.js-dist-min@4.1.2", "quill@2.0.3", "react@18.3.1", "react-dom@18.3.1",
  "redoc@2.5.4", "requirejs@2.3.8", "reveal.js@6.0.2", "sql.js@1.16.0", "swagger-ui-dist@5.35.0", "systemjs@6.15.1", "three@0.187.0", "tinymce@6.8.6",
  "underscore@1.13.8", "video.js@8.24.1", "vue@3.5.45", "zone.js@0.16.3",
];
const nameOf = (spec) => spec.slice(0, spec.lastIndexOf("@"));

const cdn = "https://cdn.libraries.example";
const media = "https://media.libraries.example";
const hostOf = (name) => `https://${name}.libraries.example/`;

const scripts = (...paths) => paths.map((path) => `<script src="${cdn}/${path}"></script>`).join("");
const styles = (...paths) => paths.map((path) => `<link rel="stylesheet" href="${cdn}/${path}">`).join("");
const say = `<script>
const say = (name, value) => { const line = document.createElement("p"); line.textContent = name + ": " + value; (document.body || document.documentElement).append(line); };
const tell = async (name, step) => { try { say(name, await step()); } catch (error) { say(name, "failed, " + error.name); } };
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
</script>`;
const page = (name, head, body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,">${say}${head}</head><body>${body}</body></html>`;

/** Head and body of each page. */
const PAGES = {
  ace: [scripts("ace-builds/src/ace.js"), `<div id="at" style="height: 200px">var a = ;</div><script>ace.config.set("basePath", "${cdn}/ace-builds/src"); const editor = ace.edit("at"); editor.setTheme("ace/theme/monokai"); editor.session.setMode("ace/mode/javascript");</script>`],
  alpine: [`<script defer src="${cdn}/alpinejs/dist/cdn.js"></script>`, `<div x-data="{ open: false, name: location.hostname }" x-init="setTimeout(() => open = true, 100)"><p x-text="name"></p><p x-show="open">shown</p><template x-for="n in 3"><b x-text="n"></b></template></div>`],
  angular: [`<base href="/">${scripts("angular/angular.js", "angular-route/angular-route.js")}`, `<div ng-app="app" ng-controller="at"><p>{{ 1 + 2 }} {{ name }}</p><ul><li ng-repeat="value in values">{{ value }}</li></ul><a href="/deep/two">two</a><div ng-view></div></div><script>angular.module("app", ["ngRoute"]).config(($routeProvider, $locationProvider) => { $locationProvider.html5Mode(true); $routeProvider.when("/deep/:id", { template: "<b>deep {{ id }}</b>", controller: ($scope, $routeParams) => { $scope.id = $routeParams.id; } }).when("/", { templateUrl: "/part.html" }); }).controller("at", ($scope, $http, $timeout, $location) => { $http.get("/data.json").then(({ data }) => { $scope.name = data.name; $scope.values = data.values; }); $timeout(() => $location.url("/deep/4?x=1"), 300); }); setTimeout(() => say("at", location.href), 900);</script>`],
  babel: [scripts("react/umd/react.development.js", "react-dom/umd/react-dom.development.js", "@babel/standalone/babel.js"), `<div id="at"></div><script type="text/babel">const App = () => { const [count, set] = React.useState(0); React.useEffect(() => { const timer = setTimeout(() => set(5), 100); return () => clearTimeout(timer); }, []); return <div>count {count} at {location.pathname}, {top === window ? "on top" : "within"}</div>; }; ReactDOM.createRoot(document.getElementById("at")).render(<App/>);</script>`],
  backbone: [scripts("underscore/underscore.js", "jquery/dist/jquery.js", "backbone/backbone.js"), `<script>const Router = Backbone.Router.extend({ routes: { "": "home", "x/:id": "x" }, home() { say("route", "home"); }, x(id) { say("route", "x " + id); } }); const router = new Router(); Backbone.history.start({ pushState: true }); router.navigate("x/3", { trigger: true }); say("fragment", Backbone.history.getFragment() + " " + location.href); say("template", _.template("<%= location.host %> <%= a %>")({ a: 1 })); new (Backbone.Model.extend({ url: "/data.json" }))().fetch({ success: (model) => say("model", model.get("name")) });</script>`],
  codemirror: [styles("codemirror/lib/codemirror.css") + scripts("codemirror/lib/codemirror.js", "codemirror/mode/javascript/javascript.js"), `<textarea id="at">var top = location; // c</textarea><script>CodeMirror.fromTextArea(document.getElementById("at"), { lineNumbers: true, mode: "javascript" }); say("tokens", document.querySelectorAll(".cm-def, .cm-comment").length);</script>`],
  comlink: ["", `<script type="module">import { wrap } from "${cdn}/comlink/dist/esm/comlink.mjs"; const remote = wrap(new Worker("/comlink-worker.js", { type: "module" })); await tell("remote", () => remote.add(2, 3)); await tell("where", () => remote.where());</script>`],
  d3: [scripts("d3/dist/d3.js"), `<svg width="300" height="60"></svg><script>d3.json("/data.json").then(({ values }) => { d3.select("svg").selectAll("rect").data(values).join("rect").attr("x", (value, n) => n * 20).attr("height", (value) => value * 5).attr("width", 15); say("bars", document.querySelectorAll("rect").length); return d3.csv("/data.csv"); }).then((rows) => say("rows", rows.length));</script>`],
  datatables: [scripts("jquery/dist/jquery.js", "datatables.net/js/dataTables.js"), `<table id="at"><thead><tr><th>a</th><th>b</th></tr></thead></table><script>new DataTable("#at", { ajax: "/table.json", columns: [{ data: "a" }, { data: "b" }] });</script>`],
  dojo: [`${styles("dijit/themes/claro/claro.css")}<script>window.dojoConfig = { async: true, baseUrl: "${cdn}/", packages: ["dojo", "dijit"] };</script>${scripts("dojo/dojo.js")}`, `<div id="button"></div><div id="calendar"></div><script>require(["dijit/form/Button", "dijit/Calendar", "dojo/request/xhr", "dojo/request/script", "dojo/domReady!"], async (Button, Calendar, xhr, script) => { new Button({ label: "A lamp" }, "button").startup(); new Calendar({ value: new Date(2020, 1, 2) }, "calendar").startup(); say("asked", (await xhr("/data.json", { handleAs: "json" })).name); say("called", (await script.get("/data.json", { jsonp: "callback" })).name); });</script>`],
  echarts: [scripts("echarts/dist/echarts.js"), `<div id="at" style="width: 400px; height: 300px"></div><script>echarts.init(document.getElementById("at"), null, { renderer: "svg" }).setOption({ animation: false, xAxis: { data: ["a", "b"] }, yAxis: {}, series: [{ type: "bar", data: [1, 2] }] });</script>`],
  excalidraw: [`<script>window.EXCALIDRAW_ASSET_PATH = "${cdn}/@excalidraw/excalidraw/dist/";</script>${scripts("react/umd/react.production.min.js", "react-dom/umd/react-dom.production.min.js", "@excalidraw/excalidraw/dist/excalidraw.production.min.js")}`, `<div id="at" style="height: 500px"></div><script>ReactDOM.createRoot(document.getElementById("at")).render(React.createElement(ExcalidrawLib.Excalidraw, {}));</script>`],
  handlebars: [scripts("handlebars/dist/handlebars.js"), `<script type="text/x-handlebars" id="template">{{#each xs}}<b>{{this}}</b>{{/each}}{{location.host}}</script><div id="at"></div><script>document.getElementById("at").innerHTML = Handlebars.compile(document.getElementById("template").innerHTML)({ xs: [1, 2], location: { host: "h" } });</script>`],
  hls: [scripts("hls.js/dist/hls.js"), `<video id="at"></video><script>const hls = new Hls(); hls.on(Hls.Events.MANIFEST_PARSED, (_, { levels }) => say("levels", levels.map(({ url }) => url[0]))); hls.on(Hls.Events.LEVEL_LOADED, (_, { details }) => say("fragments", details.fragments.map(({ url }) => url))); hls.loadSource("${media}/hls/master.m3u8"); hls.attachMedia(document.getElementById("at"));</script>`],
  htmx: [scripts("htmx.org/dist/htmx.js"), `<div hx-get="/part.html" hx-trigger="load">before</div><button hx-post="/echo" hx-vals='{"a": 1}' hx-target="#at">post</button><div id="at"></div><script>setTimeout(() => document.querySelector("button").click(), 300);</script>`],
  ionic: [`${styles("@ionic/core/css/ionic.bundle.css")}<script type="module" src="${cdn}/@ionic/core/dist/ionic/ionic.esm.js"></script>`, `<ion-app><ion-header><ion-toolbar><ion-title>Lamps</ion-title></ion-toolbar></ion-header><ion-content><ion-button>Press</ion-button><ion-list><ion-item><ion-label>One</ion-label></ion-item></ion-list></ion-content></ion-app>`],
  jquery: [styles("jquery-ui-dist/jquery-ui.css") + scripts("jquery/dist/jquery.js", "jquery-ui-dist/jquery-ui.js"), `<div id="tabs"><ul><li><a href="#first">A</a></li><li><a href="/part.html">B</a></li></ul><div id="first">first</div></div><script>$("#tabs").tabs().tabs("option", "active", 1); (async () => { say("called", (await $.getJSON("/data.json?callback=?&x=1")).name); say("asked", (await $.ajax("https://api.libraries.example/data.json")).name); await $.getScript("/later.js"); say("script", window.later1); $("<div>").appendTo("body").html("<i>in</i><script>say('inserted', location.host + (top === self))<\\/script>"); $("<div>").load("/part.html #x", function () { say("loaded", $(this).text()); }); })();</script>`],
  knockout: [scripts("knockout/build/output/knockout-latest.debug.js"), `<ul data-bind="foreach: xs"><li data-bind="text: $data"></li></ul><a data-bind="attr: { href: url }, text: url"></a><script>ko.applyBindings({ xs: ["a", "b"], url: ko.observable("https://www.libraries.example/x") });</script>`],
  leaflet: [styles("leaflet/dist/leaflet.css") + scripts("leaflet/dist/leaflet.js"), `<div id="at" style="height: 300px"></div><script>const map = L.map("at", { fadeAnimation: false, zoomAnimation: false }).setView([51.5, -0.09], 3); L.tileLayer("https://{s}.tiles.libraries.example/{z}/{x}/{y}.svg", { attribution: "tiles" }).addTo(map); L.marker([51.5, -0.09]).addTo(map).bindPopup("A lamp").openPopup();</script>`],
  marked: [scripts("marked/lib/marked.umd.js", "lunr/lunr.js", "lodash/lodash.js"), `<div id="at"></div><script>document.getElementById("at").innerHTML = marked.parse("# Hi\\n\\n[a](https://www.libraries.example/x) ![p](/picture.svg)"); const found = lunr(function () { this.field("text"); this.ref("id"); this.add({ id: 1, text: "lamps and oil" }); }); say("found", found.search("lamp").length); say("template", _.template("<%- a %> \${location.host}")({ a: "<" }));</script>`],
  mathjax: ["", `<p>When \\(a \\ne 0\\), $$x = {-b \\pm \\sqrt{b^2-4ac} \\over 2a}$$</p><script>window.MathJax = { loader: { load: ["[tex]/mhchem"] }, tex: { packages: { "[+]": ["mhchem"] } } };</script><script async src="${cdn}/mathjax/es5/tex-mml-chtml.js"></script>`],
  mermaid: ["", `<pre class="mermaid">graph TD; A-->B; B-->C</pre><pre class="mermaid">sequenceDiagram\nA->>B: hello</pre><script type="module">import mermaid from "${cdn}/mermaid/dist/mermaid.esm.min.mjs"; mermaid.initialize({ startOnLoad: false }); await tell("drawn", async () => { await mermaid.run(); return document.querySelectorAll("svg").length; });</script>`],
  mirador: [scripts("mirador/dist/mirador.min.js"), `<div id="at" style="position: relative; height: 500px"></div><script>Mirador.viewer({ id: "at", windows: [{ manifestId: "https://iiif.libraries.example/manifest.json" }] });</script>`],
  monaco: [scripts("monaco-editor/min/vs/loader.js"), `<div id="at" style="height: 300px"></div><script>require.config({ paths: { vs: "${cdn}/monaco-editor/min/vs" } }); window.MonacoEnvironment = { getWorkerUrl: () => URL.createObjectURL(new Blob(["self.MonacoEnvironment = { baseUrl: '${cdn}/monaco-editor/min/' }; importScripts('${cdn}/monaco-editor/min/vs/base/worker/workerMain.js');"], { type: "text/javascript" })) }; require(["vs/editor/editor.main"], () => monaco.editor.create(document.getElementById("at"), { value: "const a = 1;\\nlet x: string = 3;", language: "typescript" }));</script>`],
  openseadragon: [scripts("openseadragon/build/openseadragon/openseadragon.js"), `<div id="at" style="width: 300px; height: 200px"></div><script>const viewer = OpenSeadragon({ id: "at", prefixUrl: "${cdn}/openseadragon/build/openseadragon/images/", tileSources: { type: "image", url: "/picture.svg" }, drawer: "canvas", immediateRender: true, animationTime: 0 }); viewer.addHandler("open", () => say("size", viewer.world.getItemAt(0).getContentSize()));</script>`],
  pdfjs: ["", `<canvas id="at"></canvas><script type="module">import * as pdf from "${cdn}/pdfjs-dist/build/pdf.min.mjs"; pdf.GlobalWorkerOptions.workerSrc = "${cdn}/pdfjs-dist/build/pdf.worker.min.mjs"; await tell("text", async () => { const document = await pdf.getDocument("/doc.pdf").promise; const { items } = await (await document.getPage(1)).getTextContent(); return items.map(({ str }) => str).join(" "); });</script>`],
  plotly: [scripts("plotly.js-dist-min/plotly.min.js"), `<div id="at" style="width: 400px; height: 300px"></div><script>Plotly.newPlot("at", [{ x: [1, 2, 3], y: [2, 1, 3], name: "line" }], { title: { text: "Lamps" } });</script>`],
  quill: [styles("quill/dist/quill.snow.css") + scripts("quill/dist/quill.js"), `<div id="at"><p>Hello <strong>you</strong></p></div><script>const quill = new Quill("#at", { theme: "snow" }); quill.insertText(0, "first "); say("text", quill.getText());</script>`],
  redoc: ["", `<redoc spec-url="/spec.json"></redoc>${scripts("redoc/bundles/redoc.standalone.js")}`],
  requirejs: [`<script>window.require = { baseUrl: "/amd", paths: { jquery: "${cdn}/jquery/dist/jquery", lodash: "${cdn}/lodash/lodash" } };</script><script data-main="/amd/main.js" src="${cdn}/requirejs/require.js"></script>`, ""],
  reveal: [styles("reveal.js/dist/reveal.css", "reveal.js/dist/theme/black.css"), `<div class="reveal"><div class="slides"><section>One</section><section><h2>Two</h2></section></div></div>${scripts("reveal.js/dist/reveal.js")}<script>Reveal.initialize({ hash: true, transition: "none" }).then(() => Reveal.next());</script>`],
  shims: [`${scripts("core-js-bundle/index.js", "zone.js/bundles/zone.umd.js")}<script async src="${cdn}/es-module-shims/dist/es-module-shims.js"></script><script type="importmap-shim">{"imports":{"x":"/modules/x.mjs"}}</script>`, `<script type="module-shim">import { x } from "x"; say("shim", x + " " + new URL(import.meta.url).pathname);</script><script>say("zone", Zone.current.name); tell("fetched", async () => (await (await fetch("/data.json")).json()).name); tell("frame", () => new Promise((resolve) => { const frame = document.createElement("iframe"); frame.src = "/part.html"; frame.onload = () => resolve(frame.contentDocument.body.textContent.trim()); document.body.append(frame); }));</script>`],
  shoelace: [`${styles("@shoelace-style/shoelace/cdn/themes/light.css")}<script type="module" src="${cdn}/@shoelace-style/shoelace/cdn/shoelace-autoloader.js"></script>`, `<sl-button>A button</sl-button><sl-icon name="gear"></sl-icon><sl-details summary="More" open>text in it</sl-details><sl-include src="/part.html"></sl-include>`],
  sqljs: [scripts("sql.js/dist/sql-wasm.js"), `<script>tell("sum", async () => { const SQL = await initSqlJs({ locateFile: (file) => "${cdn}/sql.js/dist/" + file }); const db = new SQL.Database(); db.run("create table a(b); insert into a values (1), (2)"); return db.exec("select sum(b) from a")[0].values; });</script>`],
  swagger: [styles("swagger-ui-dist/swagger-ui.css"), `<div id="at"></div>${scripts("swagger-ui-dist/swagger-ui-bundle.js", "swagger-ui-dist/swagger-ui-standalone-preset.js")}<script>SwaggerUIBundle({ url: "/spec.json", dom_id: "#at", presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], layout: "StandaloneLayout", validatorUrl: null, onComplete: async () => { await later(200); document.querySelector(".opblock-summary-control").click(); } });</script>`],
  systemjs: [`<script type="systemjs-importmap">{"imports":{"lamp":"/modules/lamp.js"}}</script>${scripts("systemjs/dist/system.js")}`, `<script>tell("name", async () => (await System.import("lamp")).name); tell("resolved", () => System.resolve("lamp"));</script>`],
  three: [`<script type="importmap">{"imports":{"three":"${cdn}/three/build/three.module.js","three/addons/":"${cdn}/three/examples/jsm/"}}</script>`, `<script type="module">import { Scene } from "three"; import { OrbitControls } from "three/addons/controls/OrbitControls.js"; say("made", new Scene().type + " " + typeof OrbitControls);</script>`],
  tinymce: [scripts("tinymce/tinymce.js"), `<textarea id="at"><p>Hello <b>you</b></p></textarea><script>tinymce.init({ selector: "#at", base_url: "${cdn}/tinymce", plugins: "table link lists code", promotion: false }).then(([editor]) => { say("content", editor.getContent()); say("inner", editor.getDoc().body.innerText); });</script>`],
  turbo: [`<script type="module">import * as Turbo from "${cdn}/@hotwired/turbo/dist/turbo.es2017-esm.js"; addEventListener("turbo:load", () => say("loaded", location.href)); setTimeout(() => Turbo.visit("/two.html"), 500);</script>`, `<h1>First</h1><turbo-frame id="at" src="/frame.html"></turbo-frame>`],
  videojs: [styles("video.js/dist/video-js.css") + scripts("video.js/dist/video.js"), `<video id="at" class="video-js" controls preload="auto" width="300"><source src="${media}/tone.wav" type="audio/wav"></video><script>const player = videojs("at"); player.ready(() => say("ready", player.currentSrc())); player.on("loadedmetadata", () => say("duration", player.duration()));</script>`],
  vue: [scripts("vue/dist/vue.global.js"), `<div id="at"><p v-for="x in xs" :key="x">{{ x }} {{ here }}</p><a :href="'/to/' + n">link</a><button @click="n++">n {{ n }}</button></div><script>Vue.createApp({ data: () => ({ xs: [1, 2], n: 0, here: location.href }), mounted() { this.n = 7; } }).mount("#at");</script>`],
};

const data = JSON.stringify({ name: "lamp", values: [3, 5, 8] });
const spec = JSON.stringify({ openapi: "3.0.0", info: { title: "Lamps", version: "1.0" }, paths: { "/lamps/{id}": { get: { tags: ["lamp"], summary: "One lamp", parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }], responses: { 200: { description: "it" } } } } } });
const canvas = { "@id": "https://iiif.libraries.example/c1", "@type": "sc:Canvas", label: "p. 1", height: 64, width: 64, images: [{ "@type": "oa:Annotation", motivation: "sc:painting", on: "https://iiif.libraries.example/c1", resource: { "@id": "https://iiif.libraries.example/picture.svg", "@type": "dctypes:Image", format: "image/svg+xml", height: 64, width: 64 } }] };
const manifest = JSON.stringify({ "@context": "http://iiif.io/api/presentation/2/context.json", "@id": "https://iiif.libraries.example/manifest.json", "@type": "sc:Manifest", label: "A book of lamps", sequences: [{ "@type": "sc:Sequence", canvases: [canvas] }] });
const [html, js, json, hls] = ["text/html; charset=utf-8", "text/javascript", "application/json", "application/vnd.apple.mpegurl"];

/** What every host has. */
const SHARED = {
  "/amd/late.js": [js, 'define({ x: "late" })'],
  "/amd/main.js": [js, 'define(["jquery", "lodash", "./part"], ($, _, part) => { say("loaded", [$.fn.jquery, _.VERSION, part].join(" ")); require(["./late"], ({ x }) => say("late", x + " " + require.toUrl("./late"))); })'],
  "/amd/part.js": [js, "define((require, exports, module) => module.uri)"],
  "/comlink-worker.js": [js, `import { expose } from "${cdn}/comlink/dist/esm/comlink.mjs"; expose({ add: (a, b) => a + b, where: () => self.location.href });`],
  "/data.csv": ["text/csv", "a,b\n1,2\n3,4\n"],
  "/doc.pdf": ["application/pdf", Buffer.from(pdf(drawn("A lamp")))],
  "/frame.html": [html, '<turbo-frame id="at">from a frame</turbo-frame>'],
  "/hls/low/list.m3u8": [hls, `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n/hls/1.ts\n#EXTINF:4,\n${cdn}/2.ts\n#EXT-X-ENDLIST\n`],
  "/hls/master.m3u8": [hls, '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="mp4a.40.2"\nlow/list.m3u8\n'],
  "/later.js": [js, "window.later1 = location.host"],
  "/manifest.json": [json, manifest],
  "/modules/lamp.js": [js, 'System.register(["./x.js"], (give, { meta }) => { let x; return { setters: [(module) => (x = module.x)], execute() { give("name", "lamp " + x + " " + meta.url); } }; })'],
  "/modules/x.js": [js, 'System.register([], (give) => ({ execute() { give("x", 9); } }))'],
  "/modules/x.mjs": [js, "export const x = 4;"],
  "/part.html": [html, '<div id="x">a part</div>'],
  "/picture.svg": ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="teal"/></svg>'],
  "/spec.json": [json, spec],
  "/table.json": [json, JSON.stringify({ data: Array.from({ length: 30 }, (_, n) => ({ a: `x${n}`, b: n })) })],
  "/tone.wav": ["audio/wav", Buffer.from(wav(1))],
  "/two.html": [html, page("two", "", '<h1>Second</h1><img src="/picture.svg" alt="">')],
};

const TYPES = { ".css": "text/css", ".gif": "image/gif", ".html": html, ".js": js, ".json": json, ".mjs": js, ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".woff": "font/woff", ".woff2": "font/woff2" };

function packaged(folders, path) {
  const name = /^\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  const file = name && folders.has(name) ? join(folders.get(name), path.slice(name.length + 2)) : "";
  return existsSync(file) && statSync(file).isFile() ? [TYPES[extname(file)] ?? "application/octet-stream", readFileSync(file)] : undefined;
}

function found(folders, url, sent) {
  const { hostname, pathname, searchParams } = new URL(url);
  const path = decodeURIComponent(pathname);
  const [host] = hostname.split(".");
  if (host === "cdn") return packaged(folders, path);
  if (hostname.includes(".tiles.")) return SHARED["/picture.svg"];
  if (path === "/" && PAGES[host]) return [html, page(host, ...PAGES[host])];
  if (path === "/echo") return [html, `<i>sent ${sent}</i>`];
  if (path === "/data.json") return searchParams.has("callback") ? [js, `${searchParams.get("callback")}(${data})`] : [json, data];
  return SHARED[path];
}

/** The pages' names and addresses, and what answers for them; undefined where the packages cannot be had. */
export function libraries() {
  const folders = new Map(PACKAGES.map((spec) => [nameOf(spec), fetchPackage(spec)]));
  if ([...folders.values()].includes(undefined)) return undefined;
  const answerOf = (url, { method }, sent) => {
    const [type, body] = (method === "OPTIONS" ? ["text/plain", ""] : found(folders, url, sent)) ?? [];
    const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*", "Content-Type": type ?? "text/plain" };
    return { status: type === undefined ? 404 : 200, headers, body: body ?? "not here" };
  };
  return { pages: Object.keys(PAGES).map((name) => ({ name, url: hostOf(name) })), answerOf };
}
