/**
 * `npm run dev`: Vite's reloading server over the viewer's sources, tsc watching the library, and the engine
 * compiled again when the crate changes. Not what users get: `npm start` serves the production build.
 */
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { vite } from "./app.mjs";
import { buildAll } from "./build.mjs";
import { copyWasm, tsc } from "./library.mjs";
import { at, root } from "./place.mjs";
import { main, say } from "./say.mjs";
import { forgetStamp } from "./stamp.mjs";
import { inTurn } from "./turn.mjs";
import { buildWasm } from "./wasm.mjs";

const restMs = 300;

function watchCrate() {
  let timer;
  let work = Promise.resolve();
  const rebuild = async () => {
    try {
      await inTurn(buildWasm);
      copyWasm();
    } catch (error) {
      say(error.message);
    }
  };
  watch(at("crate"), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => (work = work.then(rebuild)), restMs);
  });
}

// A group of its own each: tsc is a launcher, and ending it alone would leave the compiler running.
const hasGroups = process.platform !== "win32";

const start = (args) => spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], detached: hasGroups });

function endGroup(child) {
  try {
    if (hasGroups) process.kill(-child.pid);
    else child.kill();
  } catch {
    // It has ended by itself.
  }
}

await main(async () => {
  await buildAll();
  // tsc writes to dist/ from here on, whatever the last build left there.
  forgetStamp("library");
  const children = [
    start([tsc, "-p", at("tsconfig.json"), "--watch", "--preserveWatchOutput"]),
    start([vite, "--config", at("vite.config.ts"), ...process.argv.slice(2)]),
  ];
  watchCrate();
  const end = () => {
    children.forEach(endGroup);
    process.exit();
  };
  for (const child of children) child.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, end);
});
