// What editing scripts costs, in Node, in processor time: the module against acorn and oxc, which make trees and edit nothing.
// `npm run -s bench -- scripts [FILE...]`; else the largest minified and plain scripts of the packages at hand.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { parseSync } from "rolldown/utils";

const LIBRARY = new URL("../../dist/lib/", import.meta.url);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TIMES = 5;
const EACH = 4;
/** Letters a line from which a script counts as minified. */
const MINIFIED_LINE = 500;

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** The least of several runs, each long enough to be told from none. */
function least(work) {
  let best = Infinity;
  for (let n = 0; n < TIMES; n++) {
    const before = cpuSeconds();
    let turns = 0;
    do {
      work();
      turns++;
    } while (cpuSeconds() - before < 0.05);
    best = Math.min(best, (cpuSeconds() - before) / turns);
  }
  return best;
}

const filesBelow = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : entry.isFile() ? [join(folder, entry.name)] : []));

const lineLength = (text) => text.length / text.split("\n").length;

const read = (text, sourceType) => parse(text, { ecmaVersion: "latest", sourceType, allowReturnOutsideFunction: true });

function isRead(text, sourceType) {
  try {
    read(text, sourceType);
    return true;
  } catch {
    return false;
  }
}

/** The largest of a kind, each once. */
function chosen() {
  const all = new Map();
  for (const path of filesBelow(join(ROOT, "node_modules"))) {
    if (!/\.[cm]?js$/.test(path)) continue;
    const text = readFileSync(path, "utf8");
    // What holds a program in a string is no script to read.
    if (text.length > 100_000 && text.length < 4_000_000) all.set(text, path);
  }
  const bySize = [...all].sort(([a], [b]) => b.length - a.length);
  const isMinified = ([text]) => lineLength(text) >= MINIFIED_LINE && !text.includes("base64");
  return [...bySize.filter(isMinified).slice(0, EACH), ...bySize.filter(([text]) => lineLength(text) < 100).slice(0, EACH)].map(([, path]) => path);
}

export async function bench(figures, { parts, say }) {
  const wasm = async (name) => {
    const { default: init, ...all } = await import(new URL(`wasm/${name}.js`, LIBRARY).href);
    await init({ module_or_path: readFileSync(new URL(`wasm/${name}_bg.wasm`, LIBRARY)) });
    return all;
  };
  const { ScriptEditor } = await wasm("scripts");
  const { needs_editing } = await wasm("rewrite");
  const editor = new ScriptEditor({ replay_url: () => undefined });
  for (const path of parts.length > 0 ? parts : chosen()) {
    const bytes = readFileSync(path);
    const text = bytes.toString();
    const megabytes = bytes.length / 1e6;
    const sourceType = ["script", "module"].find((type) => isRead(text, type));
    // Where there is none of them all of it is looked at.
    const without = Buffer.from(text.replace(/\b(?:location|top|postMessage|import|export)\b/g, "other"));
    const name = `${basename(path)}, ${megabytes.toFixed(1)} MB, ${lineLength(text) >= MINIFIED_LINE ? "minified" : "plain"}`;
    say(name);
    const ours = least(() => editor.edit_bytes(bytes, "script"));
    const acorn = least(() => read(text, sourceType));
    const oxc = least(() => parseSync(path, text, { sourceType }));
    figures.add(name, "edit", megabytes / ours, "MB/s CPU", { peer: "acorn, tree alone", ratio: acorn / ours });
    figures.add(name, "edit", megabytes / ours, "MB/s CPU", { peer: "oxc in native code, its tree handed to JavaScript", ratio: oxc / ours });
    figures.add(name, "tell that it is not needed", megabytes / least(() => needs_editing(without)), "MB/s CPU");
  }
  // Twice the text takes twice the time.
  const line = (count) => Buffer.from("if(a.location){b=`${top}`,c.d(function(location){return location})}".repeat(count));
  const [short, long] = [line(15_000), line(150_000)];
  const perByte = (bytes) => least(() => editor.edit_bytes(bytes, "script")) / bytes.length;
  figures.add(`one line of ${(long.length / 1e6).toFixed(0)} MB`, "time a byte", (1e9 * perByte(long)), "ns CPU", { peer: "a tenth of it", ratio: perByte(short) / perByte(long) });
}
