/**
 * The seven WASM modules of the one crate: crate/ -> web/lib/wasm/, one wasm-pack run each.
 * `engine` is the first load; `rewrite`, `scripts`, `store`, `documents` and `pdf` are fetched when something first needs them. `tools` holds the
 * engine, decoders of rarer codings and all that writes and verifies: what Node runs on, and a browser where the engine is not enough.
 */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run, runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { installWasmTools } from "./rust.mjs";
import { step } from "./say.mjs";
import { reportModules } from "./sizes.mjs";
import { digest, isFresh, leaveStamp } from "./stamp.mjs";

export const wasmModules = ["engine", "tools", "rewrite", "scripts", "store", "documents", "pdf"];

const rustFlags = "-C target-feature=+simd128";
/** What is hardly longer than a call of it is put in its place: left to itself, "small" does so less, and is larger and slower for it. */
const smallFlags = `${rustFlags} -C llvm-args=-inline-threshold=15`;
/** Modules are small before they are fast, but for those whose whole point is speed and that no first load needs. */
const profiles = { store: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" }, documents: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" }, scripts: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" }, dictionary: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "3" } };
/** No file makes a reader of documents ask for more memory than this. */
const boundFlags = `${smallFlags} -C link-arg=--max-memory=536870912`;
const flagsOf = (name) => (name in profiles ? rustFlags : name === "pdf" ? boundFlags : smallFlags);
/**
 * What broke off in the middle has a memory in disorder, and one that asked for all there may be never gives it back: the
 * module goes on with another instance. The glue has no way to make one.
 */
const renewal = {
  pdf: {
    js: "\n/** Another instance, with a memory of its own, in place of this one. */\nexport function renew() {\n    __wbg_finalize_init(new WebAssembly.Instance(wasmModule, __wbg_get_imports()), wasmModule);\n}\n",
    ts: "\n/** Another instance, with a memory of its own, in place of this one. */\nexport function renew(): void;\n",
    needs: ["function __wbg_finalize_init(instance, module) {", "function __wbg_get_imports() {", "let wasmModule"],
  },
};

const outputs = (name) => [".js", ".d.ts", "_bg.wasm"].map((end) => `web/lib/wasm/${name}${end}`);
const inputs = ["crate", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "web/build/shrink.mjs"];

function staleModules() {
  const digested = digest(inputs);
  const all = wasmModules.map((name) => ({ name, made: [name, digested, flagsOf(name), ...Object.values(profiles[name] ?? {}), ...(renewal[name] ? [JSON.stringify(renewal[name])] : [])].join(" ") }));
  return all.filter(({ name, made }) => !isFresh(`wasm-${name}`, made, outputs(name)));
}

export const isWasmFresh = () => staleModules().length === 0;

export async function buildWasm() {
  const stale = staleModules();
  if (stale.length === 0) return;
  const env = await environment();
  const inTurn = async (modules) => {
    for (const { name, made } of modules) {
      await step(`compiling the ${name} module`, "the first time a minute or two", () => build(name, env));
      leaveStamp(`wasm-${name}`, made);
    }
  };
  // Whole-program optimisation keeps one processor busy; small and fast ones share nothing that is compiled.
  const isFast = ({ name }) => name in profiles;
  await Promise.all([inTurn(stale.filter((one) => !isFast(one))), inTurn(stale.filter(isFast))]);
  reportModules();
}

/** A module with further features, into a folder of its own: for benchmarks. */
export async function buildVariant(name, features, folder) {
  await build(name, await environment(), features, folder);
}

async function environment() {
  const env = await installWasmTools();
  // Flags from outside would silently replace ours.
  delete env.RUSTFLAGS;
  delete env.CARGO_ENCODED_RUSTFLAGS;
  // Panics are found by their names, which go then.
  env.CARGO_PROFILE_RELEASE_STRIP = "none";
  return env;
}

async function build(name, env, features = [], folder = at("web/lib/wasm")) {
  // wasm-pack drops a .gitignore of "*" into its folder, which would make npm pack skip everything: copy from aside.
  const aside = at("target", "wasm-pack", name);
  rmSync(aside, { recursive: true, force: true });
  const mode = ["--target", "web", "--mode", "no-install", "--no-pack", "--release", "--out-dir", aside, "--out-name", name];
  const own = name in profiles ? { ...profiles[name], CARGO_TARGET_DIR: at("target", "fast") } : {};
  await run("wasm-pack", ["build", at("crate"), ...mode, "--", "--locked", "--no-default-features", "--features", [name, ...features].join()], { env: { ...env, ...own, CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flagsOf(name) } });
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(aside)) {
    if (/\.wasm$/.test(file)) await runScript(at("web/build/shrink.mjs"), [`${aside}/${file}`, join(folder, file)]);
    else if (/\.(js|ts)$/.test(file)) copyFileSync(`${aside}/${file}`, join(folder, file));
  }
  if (name in renewal) addRenewal(name, folder);
}

function addRenewal(name, folder) {
  const { js, ts, needs } = renewal[name];
  const glue = join(folder, `${name}.js`);
  const text = readFileSync(glue, "utf8");
  if (!needs.every((piece) => text.includes(piece))) throw new Error(`${name}.js is not as wasm-bindgen made it until now: see what renews its instance`);
  appendFileSync(glue, js);
  appendFileSync(join(folder, `${name}.d.ts`), ts);
}
