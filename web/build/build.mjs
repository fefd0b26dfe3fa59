/**
 * Everything from sources to dist/, each step skipped when nothing changed: packages, WASM, library, sample, viewer.
 * `node web/build/build.mjs` is `npm run build`.
 */
import { fileURLToPath } from "node:url";
import { buildApp, isAppFresh } from "./app.mjs";
import { buildLibrary, isLibraryFresh } from "./library.mjs";
import { arePackagesFresh, installPackages } from "./packages.mjs";
import { requireNode, requireRust } from "./require.mjs";
import { isSampleFresh, makeSample } from "./sample.mjs";
import { main, say } from "./say.mjs";
import { inTurn } from "./turn.mjs";
import { buildWasm, isWasmFresh } from "./wasm.mjs";

const isPackageFresh = () => arePackagesFresh() && isWasmFresh() && isLibraryFresh();

/** What Node needs: library, command line, server. Says nothing when nothing changed. */
export async function buildPackage() {
  requireNode();
  if (isPackageFresh()) return;
  await inTurn(makePackage);
}

/** What a browser needs too. True where there was something to do. */
export async function buildAll() {
  requireNode();
  if (isPackageFresh() && isSampleFresh() && isAppFresh()) return false;
  await inTurn(async () => {
    await makePackage();
    await makeSample();
    await buildApp();
  });
  return true;
}

async function makePackage() {
  // Before anything that takes time: what we cannot install ourselves.
  if (!isWasmFresh()) requireRust();
  await installPackages();
  await buildWasm();
  await buildLibrary();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    if (!(await buildAll())) say("stackroom: nothing changed, dist/ is up to date");
  });
}
