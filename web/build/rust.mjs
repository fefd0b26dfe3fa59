/**
 * The Rust side of the set-up: the pinned toolchain with its WASM target, wasm-pack and wasm-bindgen.
 * wasm-bindgen must match the crate's own version to the letter, so the version is read from Cargo.lock.
 */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ask, run } from "./command.mjs";
import { at, toolCache } from "./place.mjs";
import { requireRust, versionIn } from "./require.mjs";
import { step, Stop } from "./say.mjs";

const wasmTarget = "wasm32-unknown-unknown";
const wasmPackVersion = "0.15.1";

function pinned(file, pattern) {
  const found = pattern.exec(readFileSync(at(file), "utf8"))?.[1];
  if (!found) throw new Stop(`${file} does not say which version is pinned (${pattern})`);
  return found;
}

const toolchain = () => pinned("rust-toolchain.toml", /^channel = "(.+)"/m);
const wasmBindgenVersion = () => pinned("Cargo.lock", /^name = "wasm-bindgen"\r?\nversion = "(.+)"/m);

export async function installToolchain() {
  requireRust();
  const channel = toolchain();
  if (!ask("rustup", ["toolchain", "list"])?.includes(`${channel}-`)) {
    const args = ["toolchain", "install", channel, "--profile", "minimal", "-c", "rustfmt", "-c", "clippy", "-t", wasmTarget];
    await step(`installing Rust ${channel}`, "a minute or two", () => run("rustup", args));
  }
  const has = (what, part) => ask("rustup", [what, "list", "--installed", "--toolchain", channel])?.includes(part);
  if (!has("target", wasmTarget)) {
    const args = ["target", "add", wasmTarget, "--toolchain", channel];
    await step("adding the WebAssembly target", "under a minute", () => run("rustup", args));
  }
  for (const part of ["rustfmt", "clippy"]) {
    if (has("component", part)) continue;
    await step(`adding ${part}`, "under a minute", () => run("rustup", ["component", "add", part, "--toolchain", channel]));
  }
}

/** The folder to put on PATH for one tool: "" where the right version is there already, else one of our cache. */
async function toolFolder(name, version, expectation, installArgs) {
  if (versionIn(ask(name, ["--version"])) === version) return "";
  const home = join(toolCache, `${name}-${version}`);
  const bin = join(home, "bin");
  if (!existsSync(join(bin, process.platform === "win32" ? `${name}.exe` : name))) {
    const args = ["install", "--quiet", "--root", home, ...installArgs, "--version", version];
    await step(`building ${name} ${version}, once for all clones`, expectation, () => run("cargo", args));
  }
  return bin;
}

/** Installs what is absent and gives the environment in which wasm-pack finds everything without a download. */
export async function installWasmTools() {
  await installToolchain();
  const folders = [
    await toolFolder("wasm-bindgen", wasmBindgenVersion(), "1 to 4 minutes", [
      // Unoptimised and without its test runner: it runs for half a second a build.
      // Not --locked: its lock file may name versions that a registry mirror does not have yet.
      "--debug", "--no-default-features", "--bin", "wasm-bindgen", "wasm-bindgen-cli",
    ]),
    await toolFolder("wasm-pack", wasmPackVersion, "2 to 6 minutes", ["--locked", "wasm-pack"]),
  ];
  return { ...process.env, PATH: [...folders.filter(Boolean), process.env.PATH].join(delimiter) };
}
