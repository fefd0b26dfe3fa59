// A worker of a page, in a headless Chromium, that runs one task after another, each in a profile of its own. The CPU
// time of its thread is read from outside where the system tells it: wall time is that of a busy machine too.

import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { driverOptions } from "../../e2e/browser.mjs";
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
 * `use(inWorker)`: each `inWorker(task)` runs in a fresh context, whose storage is empty, and gives what the worker posts.
 * `folders`: further first parts of paths, and what they stand for.
 */
export async function withWorker(use, folders = {}) {
  const server = await serve({ lib: LIBRARY, bench: FOLDER, ...folders });
  const { launchOptions } = driverOptions("chromium");
  const browser = await chromium.launch(launchOptions);
  try {
    await use(async (task) => {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await page.exposeFunction("workerCpu", workerCpu);
        await page.goto(server.url);
        return await page.evaluate(inPage, task);
      } finally {
        await context.close();
      }
    });
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Runs in the page: starts the worker, answers its questions for its CPU time, gives its result. */
function inPage(task) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("/bench/worker.js", { type: "module" });
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
