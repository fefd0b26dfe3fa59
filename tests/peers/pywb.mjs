/**
 * pywb, as its registry has it. It is copyleft: it is installed into the cache of tools and run as a program of its own,
 * never read or imported.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { toolCache } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { freePort } from "./port.mjs";

export const PYWB = "pywb==2.10.0";

/** Its environment; null where it cannot be had. */
export function installPywb() {
  const venv = join(dirname(toolCache), PYWB.replace("==", "-"));
  const program = join(venv, "bin/wayback");
  if (existsSync(program)) return venv;
  mkdirSync(dirname(venv), { recursive: true });
  say(`installing ${PYWB}`);
  const made = spawnSync("python3", ["-m", "venv", venv], { encoding: "utf8" });
  if (made.status === 0) spawnSync(join(venv, "bin/pip"), ["install", "-q", "--disable-pip-version-check", PYWB], { stdio: "inherit" });
  if (existsSync(program)) return venv;
  rmSync(venv, { recursive: true, force: true });
  return null;
}

/** Serves the collections that the `config.yaml` of a folder names. */
export async function startPywb(folder) {
  const port = await freePort();
  const child = spawn(join(installPywb() ?? "", "bin/wayback"), ["-p", String(port), "-b", "127.0.0.1"], { cwd: folder, stdio: "ignore", detached: true });
  const close = () => process.kill(-child.pid, "SIGKILL");
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const isUp = await fetch(origin).then(() => true, () => false);
    if (isUp) return { origin, close };
    if (tries > 2_400) {
      close();
      throw new Error("pywb does not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
