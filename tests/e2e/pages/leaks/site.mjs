// The site that tries to get out, as an archive and as it is served where nothing holds it.
import { exchange, warcGz, warcInfo } from "../../../fixtures/warc.mjs";
import { markup } from "./markup.mjs";
import { runtime, windowRealms, workerRealms } from "./runtime.mjs";
import { alone, anywhere, leaving, windowed } from "./scripted.mjs";

export const realms = ["main", ...windowRealms, ...workerRealms];
export const spellings = ["plain", "evading"];
export const channels = { anywhere, windowed, leaving, alone, markup };
export const channelNames = Object.values(channels).flatMap((kind) => Object.keys(kind));
/** Each has a document of its own in realms that a page makes, and has to be alone in that of the page itself. */
export const leavingNames = Object.keys(leaving);
export const aloneNames = Object.keys(alone);

const functions = (kind) => `{${Object.entries(kind).map(([name, work]) => `${JSON.stringify(name)}:${work}`).join(",")}}`;

/** @param {{ port: number, tlsPort: number, stun: string }} setup */
function attack(setup) {
  const kinds = `{anywhere:${functions(anywhere)},windowed:${functions(windowed)},leaving:${functions(leaving)},alone:${functions(alone)},markup:${JSON.stringify(markup)}}`;
  return `globalThis.leaks=(${runtime})(${JSON.stringify(setup)},${kinds},globalThis.leaksText)`;
}

const headers = (address) => ({
  Link: `<${address}/leak/headers/plain/link>; rel=preload; as=image, <${address}>; rel=preconnect`,
  "Report-To": `{"group":"leak","max_age":9,"endpoints":[{"url":"${address}/leak/headers/plain/report-to"}]}`,
  "Reporting-Endpoints": `leak="${address}/leak/headers/plain/reporting"`,
  NEL: '{"report_to":"leak","max_age":9,"success_fraction":1}',
  "Content-Security-Policy-Report-Only": `default-src 'none'; report-uri ${address}/leak/headers/plain/csp; report-to leak`,
  "Speculation-Rules": `"${address}/leak/headers/plain/rules"`,
  "X-DNS-Prefetch-Control": "on",
  "Origin-Trial": "leak",
  "Set-Cookie": "leak=1",
  SourceMap: `${address}/leak/headers/plain/map`,
});

/** Every file of the site by its path: type, text, further headers, status. */
function filesOf(setup) {
  const text = attack(setup);
  const load = `globalThis.leaksText=${JSON.stringify(text).replace(/<\//g, "<\\/")};(0,eval)(leaksText);`;
  const begin = `${load}leaks.follow(JSON.parse(decodeURIComponent(location.hash.slice(1)))).catch((error)=>document.documentElement.setAttribute("data-tried",error))`;
  const http = `http://127.0.0.1:${setup.port}`;
  const files = {
    "/leak.html": ["text/html", `<!doctype html><title>leaks</title><body><script>${begin}</script>`],
    "/leak.svg": ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[${begin}]]></script></svg>`],
    "/leak.xhtml": ["application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>leaks</title></head><body><script><![CDATA[${begin}]]></script></body></html>`],
    "/worker.js": ["text/javascript", `${load}onmessage=({data})=>{leaks.home=data.home;leaks.run(data.realm,data.spelling,data.names)}`],
    "/shared.js": ["text/javascript", `${load}onconnect=({ports})=>{const [port]=globalThis.leaksPorts=ports;port.onmessage=({data})=>{leaks.home=data.home;leaks.run(data.realm,data.spelling,data.names)}}`],
    "/headers.html": ["text/html", "<!doctype html><title>headers</title><p>headers<script src='data:,'></script>", headers(http)],
    "/refresh.html": ["text/html", "<!doctype html><title>refresh</title><p>refresh", { Refresh: `0; url=${http}/leak/headers/plain/refresh` }],
    "/quiet.html": ["text/html", "<!doctype html><title>quiet</title><p>quiet"],
  };
  for (const name of channelNames.filter((channel) => channel.includes("redirected"))) {
    files[`/moved/${name}`] = ["text/html", "", { Location: `${http}/leak/redirect/plain/${name}`, "Access-Control-Allow-Origin": "*" }, 302];
  }
  for (const spelling of spellings) {
    const slashes = spelling === "evading" ? "///" : "//";
    const all = Object.entries(markup).map(([name, code]) => {
      const path = `/leak/static/${spelling}/${name}`;
      const host = `${name}.static-${spelling}.localhost`;
      return code.replaceAll("~", `http:${slashes}${host}:${setup.port}${path}`) + code.replaceAll("~", `https:${slashes}${host}:${setup.tlsPort}${path}`);
    });
    files[`/static-${spelling}.html`] = ["text/html", `<!doctype html><title>static</title><body>${all.join("\n")}`];
  }
  return files;
}

/** The site in an archive, under two hosts. */
export function leakArchive(setup) {
  const files = Object.entries(filesOf(setup));
  return warcGz(
    warcInfo(),
    files.map(([path, [type, body, more = {}, status = 200]]) => exchange({ url: `https://evil.example${path}`, status, headers: { "Content-Type": type, ...more }, body })).flat(),
    exchange({ url: "https://other.example/leak.html", headers: { "Content-Type": "text/html" }, body: filesOf(setup)["/leak.html"][1] }),
  );
}

/** Serves the site on control.localhost under no policy at all; what frames it is on controller.localhost. */
export function makeControl(setup) {
  const files = filesOf(setup);
  return (request, response) => {
    const name = (request.headers.host ?? "").split(".")[0];
    if (name === "controller") {
      response.writeHead(200, { "Content-Type": "text/html" });
      response.end("<!doctype html><title>controller</title><iframe></iframe><script>document.querySelector('iframe').src = decodeURIComponent(location.search.slice(1))</script>");
      return true;
    }
    if (!name.startsWith("control")) return false;
    const [type, body, headers = {}, status = 200] = files[new URL(request.url, "http://control").pathname] ?? ["text/plain", "", {}, 404];
    response.writeHead(status, { "Content-Type": type, ...headers }).end(body);
    return true;
  };
}
