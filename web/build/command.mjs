/** Runs other programs. Their output goes to stderr: at once on a terminal, else only if they fail. */
import { spawn, spawnSync } from "node:child_process";
import { root } from "./place.mjs";
import { Stop } from "./say.mjs";

const outputChars = 60_000;

/** Resolves when the program ends well; a Stop carries the end of its output otherwise. */
export function run(program, args, { env = process.env, cwd = root, loud = process.stderr.isTTY === true } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", loud ? 2 : "pipe", loud ? 2 : "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-outputChars)));
    }
    const failed = (how) => reject(new Stop(`\`${[program, ...args].join(" ")}\` ${how}\n${output}`.trimEnd()));
    child.on("error", (error) => failed(`could not run: ${error.message}`));
    child.on("close", (code, signal) => (code === 0 ? resolve() : failed(`ended with ${signal ?? `exit code ${code}`}`)));
  });
}

/** Runs a script of node_modules without a shell, so that paths with spaces and Windows work. */
export const runScript = (script, args, options) => run(process.execPath, [script, ...args], options);

/** What a program prints, or null where it is absent or fails. */
export function ask(program, args, env = process.env) {
  const answer = spawnSync(program, args, { cwd: root, env, encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim() : null;
}
