/** The viewer: Vite over web/app -> dist/app. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { step } from "./say.mjs";
import { reportEverything, reportFirstLoad } from "./sizes.mjs";
import { digest, filesBelow, isFresh, leaveStamp } from "./stamp.mjs";

const rolldown = at("node_modules/rolldown/bin/cli.mjs");
export const vite = at("node_modules/vite/bin/vite.js");

const made = () => digest(["web/app", "dist/lib", "dist/replay", "dist/serve", "vite.config.ts", "package-lock.json"]);

export const isAppFresh = () => isFresh("app", made(), ["dist/app/index.html"]);

/** The viewer's own service worker, told which files there are: all but the sample and what browsers fetch past it. */
async function putShell() {
  const files = filesBelow(["dist/app"]).map((path) => path.replace(/^dist\/app\//, "")).filter((path) => !/^(?:replayed\/|shell\.js$|sample)/.test(path));
  const version = digest(files.map((file) => `dist/app/${file}`)).slice(0, 16);
  const out = at("target", "shell.js");
  await runScript(rolldown, [at("web/app/offline/shell.ts"), "--format", "iife", "--file", out, "--minify", "--platform", "browser", "--logLevel", "warn"]);
  writeFileSync(at("dist/app/shell.js"), `const FILES=${JSON.stringify(files)},VERSION=${JSON.stringify(version)};\n${readFileSync(out, "utf8")}`);
}

/** The service worker of pages that are replayed below the viewer's own address, without scripts. */
async function putInertPipe() {
  const { replayFile } = await import(pathToFileURL(at("dist/serve/hosted.js")).href);
  mkdirSync(at("dist/app/replayed"), { recursive: true });
  writeFileSync(at("dist/app/replayed/sw.js"), await replayFile("sw.js", { layout: "inert", viewer: "" }));
}

export async function buildApp() {
  const stamp = made();
  if (isFresh("app", stamp, ["dist/app/index.html"])) return;
  await step("building the viewer", "seconds", () => runScript(vite, ["build", "--config", at("vite.config.ts"), "--logLevel", "warn"]));
  await putInertPipe();
  await putShell();
  // Before the stamp: a build that is too big is never called done.
  reportFirstLoad();
  reportEverything();
  leaveStamp("app", stamp);
}
