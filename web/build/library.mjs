/** The npm package: tsc over web/{lib,cli,serve,replay,element} -> dist/, with the WASM modules copied beside the code that loads them. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { buildPipe } from "./replay.mjs";
import { step } from "./say.mjs";
import { digest, isFresh, leaveStamp } from "./stamp.mjs";

export const tsc = at("node_modules/typescript/bin/tsc");
const parts = ["lib", "cli", "serve", "replay", "element"];
const outputs = ["dist/lib/index.js", "dist/lib/wasm/engine_bg.wasm", "dist/lib/wasm/tools_bg.wasm", "dist/serve/server.js", "dist/replay/sw.js", "dist/element/element.js"];

// The package's own facts matter too: module kind and exports. The lock pins the compiler.
const made = () => digest([...parts.map((part) => `web/${part}`), "tsconfig.json", "package.json", "package-lock.json"]);

export const isLibraryFresh = () => isFresh("library", made(), outputs);

export async function buildLibrary() {
  if (isLibraryFresh()) return;
  const stamp = made();
  await step("compiling the library", "seconds", async () => {
    // Aside first: a type error leaves the last good build in place, and removed sources leave nothing behind.
    const aside = at("target", "tsc");
    rmSync(aside, { recursive: true, force: true });
    // The one part with a document; what it imports is compiled again by the next, which has none.
    await runScript(tsc, ["-p", at("web/element"), "--outDir", aside]);
    await runScript(tsc, ["-p", at("tsconfig.json"), "--outDir", aside]);
    await buildPipe(`${aside}/replay`);
    copyWasm(`${aside}/lib/wasm`);
    mkdirSync(at("dist"), { recursive: true });
    for (const part of parts) {
      rmSync(at("dist", part), { recursive: true, force: true });
      if (existsSync(`${aside}/${part}`)) renameSync(`${aside}/${part}`, at("dist", part));
    }
  });
  leaveStamp("library", stamp);
}

export function copyWasm(to = at("dist/lib/wasm")) {
  cpSync(at("web/lib/wasm"), to, { recursive: true });
}
