// A worker of a page, in a headless Chromium, that runs one task after another, each with nothing kept yet. The profile is
// on disk, as a user's is: without one, the browser answers every read and write of a file from another process. The CPU
// time of the worker's thread is read from outside where the system tells it: wall time is that of a busy machine too.

import { createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { driverOptions } from "../../e2e/browser.mjs";
import { CACHE } from "../corpus.mjs";
import { descendants } from "../processes.mjs";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../../../dist/lib/", import.meta.url));
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

async function serve(folders) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname);
    if (path === "/") return void response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>bench</title>");
    const [, first, ...rest] = path.split("/");
    const file = join(folders[first] ?? FOLDER, ...rest);
    const type = TYPES[extname(file)];
    if (!type || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": type });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://localhost:${server.address().port}/`, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** Nanoseconds that workers' threads of our browsers were on a CPU; undefined where the system does not tell. */
function workerCpu() {
  if (!existsSync("/proc/self/task")) return undefined;
  let sum = 0;
  for (const pid of descendants(process.pid)) {
    const tasks = `/proc/${pid}/task`;
    try {
      for (const thread of readdirSync(tasks)) {
        if (!/^DedicatedWorker/.test(readFileSync(`${tasks}/${thread}/comm`, "utf8"))) continue;
        sum += Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]);
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return sum;
}

/**
 * `use(inWorker)`: each `inWorker(task)` runs in a fresh page, with all that was kept thrown away, and gives what the
 * worker posts.
 * `folders`: further first parts of paths, and what they stand for. `worker`: the address of its script.
 */
export async function withWorker(use, folders = {}, worker = "/bench/worker.js") {
  const server = await serve({ lib: LIBRARY, bench: FOLDER, ...folders });
  const { launchOptions } = driverOptions("chromium");
  mkdirSync(CACHE, { recursive: true });
  const profile = mkdtempSync(join(CACHE, "profile-"));
  const context = await chromium.launchPersistentContext(profile, launchOptions);
  try {
    await context.exposeFunction("workerCpu", workerCpu);
    await use(async (task) => {
      const page = await context.newPage();
      try {
        await page.goto(server.url);
        await page.evaluate(clear);
        return await page.evaluate(inPage, { worker, task });
      } finally {
        await page.close();
      }
    });
  } finally {
    await context.close();
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Runs in the page. Handles of the worker before may be freed late. */
async function clear() {
  const root = await navigator.storage.getDirectory();
  const removed = async (name) => {
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        return await root.removeEntry(name, { recursive: true });
      } catch (error) {
        if (error.name !== "NoModificationAllowedError") throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    throw new Error(`${name} stays locked`);
  };
  for await (const name of root.keys()) await removed(name);
  for (const { name } of await indexedDB.databases()) {
    await new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = resolve;
      request.onerror = () => reject(request.error);
    });
  }
}

/** Runs in the page: starts the worker, answers its questions for its CPU time, gives its result. */
function inPage({ worker: address, task }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(address, { type: "module" });
    worker.onerror = (event) => reject(new Error(`worker: ${event.message}`));
    worker.onmessage = async ({ data }) => {
      if (data.ask === "cpu") return worker.postMessage({ cpu: await globalThis.workerCpu() });
      worker.terminate();
      if (data.error) reject(new Error(data.error));
      else resolve(data.result);
    };
    worker.postMessage(task);
  });
}
