/**
 * Runs one test program: its output is shown as it comes and kept, a hang ends it, nothing it started survives it.
 * The minutes are a guard against hanging, far above what the program takes, never a gate on speed.
 */
import { spawn } from "node:child_process";
import { at } from "../../web/build/place.mjs";

const keptChars = 20_000_000;

/** Resolves to the exit code (null after the guard) and all that was printed; never rejects for a failing program. */
export function runProgram(program, args, { env = {}, minutes = 10 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: at("."),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      // Its own process group, so that browsers and servers below it end with it.
      detached: process.platform !== "win32",
    });
    let output = "";
    let hung = false;
    const end = () => {
      try {
        process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
      } catch {
        // Already gone.
      }
    };
    const guard = setTimeout(() => {
      hung = true;
      end();
    }, minutes * 60_000);
    const interrupted = () => {
      end();
      process.exit(130);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        process.stdout.write(text);
        output = (output + text).slice(-keptChars);
      });
    }
    const done = (code, problem) => {
      clearTimeout(guard);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      end();
      resolve({ code, output, problem });
    };
    child.on("error", (error) => done(null, `${program} could not run: ${error.message}`));
    child.on("exit", (code, signal) => {
      const how = hung ? `hung for ${minutes} minutes` : `ended with ${signal ?? `exit code ${code}`}`;
      // What is left in the pipes still arrives; a survivor that holds them open must not hold us.
      const finish = () => done(code, code === 0 ? null : `${program} ${args.slice(0, 3).join(" ")} ${how}`);
      child.once("close", finish);
      setTimeout(finish, 2000).unref();
    });
  });
}

export const runNode = (args, options) => runProgram(process.execPath, args, options);

/** A program that is one test by itself: it passes or it fails. */
export async function asOneTest(name, work) {
  const { problem } = await work;
  return problem ? failure(name, problem) : { passed: 1, failed: 0, skipped: [], failures: [] };
}

export const failure = (name, problem) => ({ passed: 0, failed: 1, skipped: [], failures: [`${name}: ${problem}`] });

export const sum = (results) => ({
  passed: results.reduce((n, result) => n + result.passed, 0),
  failed: results.reduce((n, result) => n + result.failed, 0),
  skipped: results.flatMap((result) => result.skipped),
  failures: results.flatMap((result) => result.failures),
  /** What failed once and held when it was asked again by itself. */
  unsteady: results.flatMap((result) => result.unsteady ?? []),
  /** What was measured on the way, in words. */
  figures: results.flatMap((result) => result.figures ?? []),
});

/** A runner that ended badly without naming a failing test, or ran none, has failed all the same. */
export function withExit(name, result, problem) {
  if (problem && result.failed === 0) return sum([result, failure(name, problem)]);
  if (result.passed + result.failed + result.skipped.length === 0) return failure(name, "ran no test");
  return result;
}
