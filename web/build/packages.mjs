/** node_modules, exactly as package-lock.json has it; installed again when the lock changes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { run, runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { requireNpm } from "./require.mjs";
import { step } from "./say.mjs";
import { digest } from "./stamp.mjs";

// Inside node_modules, so that removing the folder removes the stamp too.
const stamp = at("node_modules", ".stackroom-lock");

const isFresh = (wanted) => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
const wanted = () => digest(["package-lock.json"]);

export const arePackagesFresh = () => isFresh(wanted());

export async function installPackages() {
  const lock = wanted();
  if (isFresh(lock)) return;
  requireNpm();
  await step("installing node modules from the lock file", "under a minute", async () => {
    // No package of ours needs an install script, so none runs.
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    const npm = process.env.npm_execpath;
    await (npm?.endsWith(".js") ? runScript(npm, args) : run("npm", args));
    writeFileSync(stamp, lock);
  });
}
