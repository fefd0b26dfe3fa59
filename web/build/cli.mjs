/** `npm run -s stackroom -- ARGS`: the command line from this clone, built first if needed. stdout is the command's alone. */
import { pathToFileURL } from "node:url";
import { buildPackage } from "./build.mjs";
import { at } from "./place.mjs";
import { main } from "./say.mjs";

await main(async () => {
  await buildPackage();
  const entry = at("dist/cli/main.js");
  process.argv[1] = entry;
  // npm runs scripts in the repository's folder; file names are meant from where the person stands.
  if (process.env.npm_lifecycle_event === "stackroom" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  await import(pathToFileURL(entry).href);
});
