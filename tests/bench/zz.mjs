import { makeCorpus } from "./corpus.mjs";
import { hostFolder } from "./hosting.mjs";
import { stackroom } from "./programs.mjs";
import { run } from "./stage.mjs";
const corpus = makeCorpus();
const { startServer } = await import("../../dist/serve/server.js");
const viewer = await startServer({ root: new URL("../../dist/app", import.meta.url).pathname, port: 0 });
const archives = await hostFolder(corpus.folder);
const [browser="chromium", pages="1", name="once", n="3"] = process.argv.slice(2);
for (const mode of ["url","file"]) for (let i=0;i<Number(n);i++) {
  const r = await run(browser, stackroom(viewer.url, { withPages: pages==="1" }), mode==="url"?{url:`${archives.url}${name}.warc.gz`}:{path:corpus.paths[name]}, pages==="m"?{sampleEveryMs:100}:{});
  console.log(mode, JSON.stringify(r));
}
await Promise.all([viewer.close(), archives.close()]);
process.exit(0);
