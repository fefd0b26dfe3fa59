/** `npm start`: set up, build, serve the production build. `npm start -- --port N` picks the port (0: any free one). */
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { at } from "./place.mjs";
import { main, say, stop } from "./say.mjs";

function wantedPort() {
  try {
    const { values } = parseArgs({ options: { port: { type: "string" } } });
    if (values.port === undefined || /^\d{1,5}$/.test(values.port)) return values.port && Number(values.port);
    throw new Error(`--port ${values.port} is not a number`);
  } catch (error) {
    throw stop("cannot start", error.message, "Usage: npm start [-- --port N]");
  }
}

await main(async () => {
  const port = wantedPort();
  await buildAll();
  const { startServer } = await import(pathToFileURL(at("dist/serve/server.js")).href);
  const server = await startServer({ root: at("dist/app"), ...(port === undefined ? {} : { port }) });
  // The address is the one thing on stdout, for scripts that start us.
  process.stdout.write(`Stackroom is at ${server.url}\n`);
  say("Drop a WARC file on the page, or open the sample. Ctrl-C stops.");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close());
});
