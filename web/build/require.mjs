/** The tools that the set-up cannot install by itself. A missing or too old one stops with one line: what, why, how. */
import { ask } from "./command.mjs";
import { stop } from "./say.mjs";

/** True where version `a` is at least `b`, both like "1.95.0". */
export function isAtLeast(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (const [i, wanted] of right.entries()) {
    if ((left[i] ?? 0) !== wanted) return (left[i] ?? 0) > wanted;
  }
  return true;
}

export const versionIn = (text) => /\d+\.\d+(\.\d+)?/.exec(text ?? "")?.[0] ?? null;

/** Vite states these; Node 21 never had them. */
export function requireNode(version = process.versions.node) {
  const isFine = version.startsWith("20.") ? isAtLeast(version, "20.19") : isAtLeast(version, "22.12");
  if (isFine) return;
  throw stop(`Node ${version} is too old`, "the build needs 20.19 or later (of 22: 22.12)", "Get one at https://nodejs.org or with your version manager.");
}

export function requireRust(version = versionIn(ask("rustup", ["--version"]))) {
  const how = "Get it at https://rustup.rs, then open a new terminal.";
  if (version === null) throw stop("rustup is missing", "the engine is Rust, compiled to WebAssembly", how);
  if (!isAtLeast(version, "1.24")) {
    throw stop(`rustup ${version} is too old`, "rust-toolchain.toml needs 1.24 or later", "Run `rustup self update`.");
  }
}

export function requireNpm() {
  // Where npm itself started us, it is there.
  if (process.env.npm_execpath || ask("npm", ["--version"], process.env)) return;
  throw stop("npm is missing", "the viewer's build tools come from it", "It is part of Node: https://nodejs.org.");
}
