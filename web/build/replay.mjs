/**
 * The files of a replay origin, web/replay -> dist/replay: the pipe as one classic script with the boot page inside, the
 * boot page by itself for the server, and as text the shim for rewriting and what the viewer has done in pages. What is
 * left of web/replay is tsc's.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { reportShim } from "./sizes.mjs";

const tsc = at("node_modules/typescript/bin/tsc");
const rolldown = at("node_modules/rolldown/bin/cli.mjs");

/** How long the pipe gathers requests into one message. */
const gatherMs = 2;

/** Replaced by who serves them: web/serve/hosted.ts. */
const hosting = '{"layout":"labels","viewer":""}';

/** One script that stands alone. */
async function bundle(path) {
  const out = at("target", "replay", `${path.split("/").at(-1)}.js`);
  await runScript(rolldown, [at("web/replay", `${path}.ts`), "--format", "iife", "--file", out, "--minify", "--platform", "browser", "--logLevel", "warn"]);
  // Hints for whoever bundles it again.
  return readFileSync(out, "utf8").trim().replaceAll("/* @__PURE__ */ ", "");
}

/** Inside a script element nothing may look like its end. */
const enclosable = (text) => text.replace(/<(?=\/?script|!--)/gi, "\\x3c");
const script = (text) => `<script>${enclosable(text)}</script>`;

/** Writes into the folder where tsc has put the rest. */
export async function buildPipe(folder) {
  await runScript(tsc, ["-p", at("web/replay")]);
  mkdirSync(at("target", "replay"), { recursive: true });
  const [boot, pipe] = [await bundle("boot"), await bundle("pipe")];
  const page = `<!doctype html><meta charset="utf-8"><title>Stackroom</title><body>${script(`const HOSTING=${hosting};`)}${script(boot)}`;
  // One expression, on one line, so that what comes after it keeps its line numbers. See shim/config.ts.
  const shim = enclosable(`(function __wa$self(__wa$config){${(await bundle("shim/shim")).replace(/\n/g, "")}})`);
  reportShim(shim);
  writeFileSync(`${folder}/boot.html`, page);
  writeFileSync(`${folder}/sw.js`, `const HOSTING=${hosting},BOOT_PAGE=${JSON.stringify(page)},GATHER_MS=${gatherMs};\n${pipe}\n`);
  writeFileSync(`${folder}/shimtext.js`, `export const SHIM = ${JSON.stringify(shim)};\n`);
  writeFileSync(`${folder}/markstext.js`, `export const MARKS = ${JSON.stringify(await bundle("shim/marks"))};\n`);
  for (const part of ["pipe.js", "pipe.d.ts", "line.js", "line.d.ts"]) rmSync(`${folder}/${part}`, { force: true });
}
