import { makeCorpus } from "./corpus.mjs";
import { hostFolder } from "./hosting.mjs";
import { launch } from "./driver.mjs";
import { find } from "./driver.mjs";
const corpus = makeCorpus();
const { startServer } = await import("../../dist/serve/server.js");
const viewer = await startServer({ root: new URL("../../dist/app", import.meta.url).pathname, port: 0 });
const archives = await hostFolder(corpus.folder);
for (let i=0;i<3;i++) {
const page = await launch("chromium");
await page.beforePages(`(() => { const t = window.__t = []; const seen = new Set(); const note = (k) => { if (!seen.has(k)) { seen.add(k); t.push([k, Math.round(performance.now())]); } };
 setInterval(() => { const s = document.querySelector("stackroom-app")?.store; if (!s) return; note("store"); if (s.library) note("library"); if (s.archive) note("archive"); if (s.progress?.records) note("rows"); if (s.progress?.isDone) note("listed"); if (s.library?.keeping) note("keeping:"+s.library.keeping); const k=s.library?.kept; if (k) note("kept0"); if (k?.state==="ready") note("ready"); if (k?.state==="ready"&&k.documentsEnd===undefined&&k.documents!==undefined) note("pages"); }, 3); })()`);
await page.navigate(viewer.url); await new Promise(r=>setTimeout(r,2000));
await page.navigate(`${viewer.url}?src=${encodeURIComponent(`${archives.url}once.warc.gz`)}`);
await page.until(`window.__t?.some(([k]) => k === "pages") || null`, 20000);
console.log(JSON.stringify(await page.evaluate(`JSON.stringify(window.__t)`)));
console.log(await page.evaluate(`JSON.stringify(performance.getEntriesByType("resource").map(({name,startTime,responseEnd})=>[name.split("/").pop().slice(0,40),Math.round(startTime),Math.round(responseEnd)]))`));
await page.close();
}
process.exit(0);
