// Child process: reads every record of an archive into the table with our engine in WebAssembly, and says what it cost.
// `node tests/bench/formats/wasm.mjs FOLDER FILE` prints {"records","wallSeconds","cpuSeconds"}; FOLDER has the module `tools`.

import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, path] = process.argv.slice(2);
const exports = await import(pathToFileURL(join(resolve(folder), "tools.js")).href);
await exports.default({ module_or_path: readFileSync(join(folder, "tools_bg.wasm")) });

const file = openSync(path, "r");
const size = fstatSync(file).size;
// Larger ones, copied into the engine, leave the cache of most processors.
const window = Buffer.allocUnsafe(512 << 10);
const before = process.cpuUsage();
const start = performance.now();
const index = new exports.Index();
index.begin(window.subarray(0, readSync(file, window, 0, 64 << 10, 0)), size);
for (;;) {
  const at = index.wanted();
  const count = at < size ? readSync(file, window, 0, window.length, at) : 0;
  if (count === 0 && index.finish(size)) break;
  for (let taken = 0; taken < count && index.wanted() === at + taken; ) taken += index.feed(window.subarray(taken, count));
}
const wallSeconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(before);
closeSync(file);
process.stdout.write(`${JSON.stringify({ records: index.records(), wallSeconds, cpuSeconds: (user + system) / 1e6 })}\n`);
