/** versitygw, a server of S3 over a folder: buckets are folders in it, and objects files. Built by Go from its module, once for all clones. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { toolCache } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { freePort } from "./port.mjs";

const MODULE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const START_MS = 30_000;

/** The program; null where it cannot be had. */
export function installVersitygw() {
  const folder = join(dirname(toolCache), "versitygw-1.8.0");
  const program = join(folder, "versitygw");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  say("building versitygw 1.8.0, once for all clones (1 to 4 minutes)");
  spawnSync("go", ["install", MODULE], { env: { ...process.env, GOBIN: folder }, stdio: ["ignore", "ignore", "inherit"] });
  return existsSync(program) ? program : null;
}

/** Serves a folder to who has these keys. */
export async function startVersitygw(program, folder, { id, secret }) {
  const port = await freePort();
  const env = { ...process.env, ROOT_ACCESS_KEY: id, ROOT_SECRET_KEY: secret };
  const child = spawn(program, ["--port", `127.0.0.1:${port}`, "posix", folder], { env, stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + START_MS; ; ) {
    if (await fetch(endpoint).then(() => true, () => false)) return { endpoint, close: () => child.kill("SIGKILL") };
    if (performance.now() > end || child.exitCode !== null) {
      child.kill("SIGKILL");
      throw new Error("versitygw does not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
