// What documents cost, in Node, in processor time: pages read by the module against a parser that makes trees of them, and
// archives of such pages read with their documents and without. `npm run bench -- documents [ARCHIVE...]`; the archives of
// the corpus, where it is at hand, else the sample.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "parse5";
import { concat, exchange, warcGz, warcInfo } from "../fixtures/warc.mjs";
import { CACHE } from "./corpus.mjs";

const LIBRARY = new URL("../../dist/lib/", import.meta.url);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CORPUS = join(process.env.STACKROOM_CORPUS ?? join(ROOT, "../shared/corpus"), "files");
const TIMES = 5;
/** An archive of the pages again and again: long enough that nothing else counts. */
const ARCHIVE_BYTES = 60_000_000;

const load = (name) => import(new URL(name, LIBRARY).href);

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function least(work) {
  let best = Infinity;
  for (let n = 0; n < TIMES; n++) {
    const before = cpuSeconds();
    await work();
    best = Math.min(best, cpuSeconds() - before);
  }
  return best;
}

const filesBelow = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));

/** Each page once, as text. */
async function pagesOf(paths, openArchive) {
  const pages = new Set();
  for (const path of paths) {
    const archive = await openArchive(path).catch(() => undefined);
    if (!archive) continue;
    await archive.indexed.catch(() => undefined);
    for await (const row of archive.records()) {
      if (row.mime !== "text/html" || row.type !== "response" || row.size === 0) continue;
      const body = await archive.bytes(row, "body", { limit: 4 << 20 }).catch(() => undefined);
      if (body) pages.add(new TextDecoder().decode(body));
    }
    await archive.close();
  }
  return [...pages];
}

function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

/** A page in UTF-8, as it is handed to the reader. */
function found(body) {
  const charset = Buffer.from("utf-8");
  return Buffer.concat([Buffer.from([0, 0, 0, charset.length]), charset, Buffer.from([0, 0, ...varint(body.length)]), body]);
}

export async function bench(figures, { parts, say }) {
  const { openArchive } = await load("node.js");
  const { default: init, read_documents } = await load("wasm/documents.js");
  await init({ module_or_path: readFileSync(new URL("wasm/documents_bg.wasm", LIBRARY)) });
  const sources = parts.length > 0 ? parts : existsSync(CORPUS) ? filesBelow(CORPUS).filter((path) => statSync(path).size > 0 && /\.w?arc(\.gz)?$/.test(path)) : [join(ROOT, "dist/app/sample.warc.gz")];
  const pages = await pagesOf(sources, openArchive);
  const bodies = pages.map((page) => Buffer.from(page));
  const megabytes = bodies.reduce((sum, body) => sum + body.length, 0) / 1e6;
  const name = `${pages.length} pages, ${megabytes.toFixed(1)} MB`;
  say(name);
  const lots = bodies.map(found);
  const trees = await least(() => pages.forEach((page) => parse(page)));
  const ours = await least(() => lots.forEach((lot) => read_documents(lot)));
  figures.add(name, "read", megabytes / ours, "MB/s CPU", { peer: "parse5, trees alone", ratio: trees / ours });

  mkdirSync(CACHE, { recursive: true });
  const path = join(CACHE, "documents.warc.gz");
  try {
    const records = [warcInfo({})];
    for (let bytes = 0, n = 0; bytes < ARCHIVE_BYTES; n++) {
      const body = bodies[n % bodies.length];
      records.push(...exchange({ url: `http://pages.test/${n}`, headers: { "Content-Type": "text/html; charset=utf-8" }, body: concat(body) }));
      bytes += body.length;
    }
    writeFileSync(path, warcGz(...records));
    const read = async (withDocuments) => {
      const archive = await openArchive(path, { isForKeeping: true, withDocuments });
      let bytes = 0;
      if (withDocuments) for await (const { documents } of archive.documents()) bytes += documents.length;
      await archive.indexed;
      await archive.close();
      return bytes;
    };
    const [without, all] = [await least(() => read(false)), await least(() => read(true))];
    const inflated = ARCHIVE_BYTES / 1e6;
    figures.add("an archive of them", "read with documents", inflated / all, "MB/s CPU", { peer: "without", ratio: without / all });
  } finally {
    rmSync(path, { force: true });
  }
}
