/**
 * `npm run dev`: Vite's reloading server over the viewer's sources, tsc watching the library, and the engine
 * compiled again when the crate changes. Not what users get: `npm start` serves the production build.
 */
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { buildAll } from "./build.mjs";
import { copyWasm, tsc } from "./library.mjs";
import { at, root } from "./place.mjs";
import { main, say } from "./say.mjs";
import { inTurn } from "./turn.mjs";
import { vite } from "./app.mjs";
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

await main(async () => {
  await buildAll();
  const children = [
    [tsc, "-p", at("tsconfig.json"), "--watch", "--preserveWatchOutput"],
    [vite, "--config", at("vite.config.ts"), ...process.argv.slice(2)],
  ].map((args) => spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }));
  watchCrate();
  const end = () => {
    for (const child of children) child.kill();
    process.exit();
  };
  for (const child of children) child.once("exit", end);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
});
