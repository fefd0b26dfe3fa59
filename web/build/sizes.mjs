/**
 * What a first visit fetches, gzipped, and its limit; and what all visits together can.
 * Counted: HTML, JavaScript, CSS, WASM of dist/app, worker included, but for assets/lazy/ (see vite.config.ts), the service
 * workers, and what only scripts in there import.
 * Not counted: the sample archive and pictures.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { at } from "./place.mjs";
import { kilobytes, say, Stop } from "./say.mjs";
import { filesBelow } from "./stamp.mjs";

export const firstLoadBytesMax = 211_000;
/** Each WASM module, gzipped. Of `store`, 30 kB are stemmers of eleven languages. */
export const moduleBytesMax = { engine: 143_000, tools: 439_500, rewrite: 132_000, scripts: 25_600, store: 418_500, documents: 58_500, pdf: 140_000 };

const gzipped = (path) => gzipSync(readFileSync(at(path)), { level: 9 }).length;

/** Scripts that pages and workers import before they run, at whatever remove, by their names. */
function importedBy(paths) {
  const imported = new Set();
  for (let waiting = paths; waiting.length > 0; ) {
    const path = waiting.pop();
    const text = readFileSync(at(path), "utf8");
    const names = text.matchAll(/(?:\bfrom|\bimport|src=|href=)\s*["'][^"']*?([^/"']+\.js)["']/g);
    for (const [, name] of names) {
      if (imported.has(name)) continue;
      imported.add(name);
      waiting.push(`${path.replace(/(?:assets\/)?[^/]*$/, "")}assets/${name}`);
    }
  }
  return imported;
}

/** Files of the first load, largest first. */
export function firstLoad(folder = "dist/app") {
  const paths = filesBelow([folder]).filter((path) => /\.(html|js|css|wasm)$/.test(path) && !/\/assets\/lazy\/|\/replayed\/|\/shell\.js$/.test(path));
  const imported = importedBy(paths.filter((path) => /\.html$|\/worker-[^/]*\.js$/.test(path)));
  return paths
    .filter((path) => !path.includes("/assets/") || !path.endsWith(".js") || /\/worker-/.test(path) || imported.has(path.split("/").at(-1)))
    .map((path) => ({ path, bytes: gzipped(path) }))
    .sort((a, b) => b.bytes - a.bytes);
}

export function reportFirstLoad() {
  const files = firstLoad();
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const parts = files.map((file) => `${file.path.split("/").at(-1)} ${kilobytes(file.bytes)}`).join(", ");
  say(`stackroom: first load ${kilobytes(total)} gzipped of ${kilobytes(firstLoadBytesMax)} (${parts})`);
  if (total > firstLoadBytesMax) {
    throw new Stop(`the first load is ${kilobytes(total)} gzipped, the limit is ${kilobytes(firstLoadBytesMax)}`);
  }
}

/** All that a browser can ever fetch of the viewer: the same with what comes later, each file once. */
export const everythingBytesMax = 1_608_000;

export function reportEverything(folder = "dist/app") {
  const paths = filesBelow([folder]).filter((path) => /\.(html|js|css|wasm)$/.test(path));
  const total = paths.reduce((sum, path) => sum + gzipped(path), 0);
  say(`stackroom: all that can load ${kilobytes(total)} gzipped of ${kilobytes(everythingBytesMax)}`);
  if (total > everythingBytesMax) throw new Stop(`all that can load is ${kilobytes(total)} gzipped, the limit is ${kilobytes(everythingBytesMax)}`);
}

/** What each replayed document begins with. */
export const shimBytesMax = 12_000;

export function reportShim(text) {
  const bytes = gzipSync(text, { level: 9 }).length;
  say(`stackroom: shim of replayed documents ${kilobytes(bytes)} gzipped of ${kilobytes(shimBytesMax)}`);
  if (bytes > shimBytesMax) throw new Stop(`the shim is ${kilobytes(bytes)} gzipped, the limit is ${kilobytes(shimBytesMax)}`);
}

export function reportModules() {
  for (const [name, limit] of Object.entries(moduleBytesMax)) {
    const bytes = gzipped(`web/lib/wasm/${name}_bg.wasm`);
    say(`stackroom: ${name}_bg.wasm ${kilobytes(bytes)} gzipped of ${kilobytes(limit)}`);
    if (bytes > limit) throw new Stop(`the ${name} module is ${kilobytes(bytes)} gzipped, the limit is ${kilobytes(limit)}`);
  }
}
