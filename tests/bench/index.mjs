// The kept index of an archive at one, two, five and ten million records, in Node, in files: what a record costs to add,
// kept as often as a library does, and what it takes; then look-ups and searches in it. Before that a hundred thousand records with
// documents, against the same without. `npm run bench -- index [MILLIONS...]`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./corpus.mjs";
import { median } from "./figures.mjs";

const LIBRARY = new URL("../../dist/lib/", import.meta.url);
const MILLIONS = [1, 2, 5, 10];
const ROWS_AT_ONCE = 2_000;
const LOOK_UPS = 200;
/** With web pages of some kB of text each. */
const DOCUMENTED = 100_000;
const WORDS = 2_000;

async function library() {
  const load = (name) => import(new URL(name, LIBRARY).href);
  const { default: init, KeptIndex } = await load("wasm/store.js");
  await init({ module_or_path: readFileSync(new URL("wasm/store_bg.wasm", LIBRARY)) });
  const [{ ArchiveIndex }, { divided }, { nodeStorage }] = [await load("library/archiveindex.js"), await load("library/files.js"), await load("store/nodefile.js")];
  return { ArchiveIndex, KeptIndex, divided, nodeStorage };
}

/** The same numbers each time. */
function random() {
  let state = 1;
  return (bound) => (state = (state * 48_271) % 0x7fff_ffff) % bound;
}

/** Rows as the engine hands them out: a crawl of hosts of all sizes, host after host, with paths as sites have them. */
function rowMaker() {
  const pick = random();
  const out = Buffer.allocUnsafe(ROWS_AT_ONCE * 400);
  let [offset, host, left] = [0, 0, 0];
  return (from, count) => {
    let at = 0;
    const varint = (value) => {
      for (; value >= 128; value = Math.floor(value / 128)) out[at++] = (value % 128) | 128;
      out[at++] = value;
    };
    const text = (value) => {
      varint(value.length);
      at += out.latin1Write(value, at);
    };
    for (let n = from; n < from + count; n++) {
      if (left-- === 0) [host, left] = [pick(50_000), pick(pick(2_000) + 1)];
      const [length, isImage] = [600 + pick(9_000), pick(3) === 0];
      const path = isImage ? `media/${pick(90)}/${pick(1e9).toString(36)}.jpg` : `section-${pick(40)}/article/${pick(1e6)}?page=${pick(3)}`;
      for (const number of [0, offset, length, 0, n % 2 === 0 ? 2 : 4, pick(9) === 0 ? 405 : 201, length * 3, 1_500_000_001 + Math.floor(n / 20), pick(0x7fff_ffff) * 4096 + 1, 0, 0]) varint(number);
      text(isImage ? "image/jpeg" : "text/html");
      text(`https://www.host${host}.example.org/${path}`);
      text(`org,example,host${host})/${path}`);
      offset += length;
    }
    return out.subarray(0, at);
  };
}

/** Web pages for two of three rows, as the engine tells them: words of a vocabulary, titles and links as pages have them. */
function documentMaker() {
  const pick = random();
  const words = Array.from({ length: WORDS }, () => pick(1e9).toString(36).slice(0, 2 + pick(7)));
  const said = (count) => Array.from({ length: count }, () => words[pick(pick(WORDS) + 1)]).join(" ");
  const out = Buffer.allocUnsafe(ROWS_AT_ONCE * 40_000);
  let [pages, textBytes, linkBytes] = [0, 0, 0];
  const lot = (from, count) => {
    let at = 0;
    const varint = (value) => {
      for (; value >= 128; value = Math.floor(value / 128)) out[at++] = (value % 128) | 128;
      out[at++] = value;
    };
    const text = (value) => {
      varint(value.length);
      at += out.latin1Write(value, at);
    };
    for (let n = from; n < from + count; n++) {
      if (n % 3 === 0) continue;
      const body = said(50 + pick(900));
      for (const value of [n, 0, 0]) varint(value);
      for (const value of [said(6), ["en", "de", "fr"][pick(3)], said(12), "/favicon.ico", `https://www.example.org/${n}`, "", "", body]) text(value);
      const links = 20 + pick(60);
      varint(links);
      for (let link = 0; link < links; link++) {
        varint(link % 3 === 0 ? 1 : 0);
        const before = at;
        text(`/section-${pick(40)}/article/${pick(1e6)}`);
        linkBytes += at - before;
      }
      pages++;
      textBytes += body.length;
    }
    return out.subarray(0, at);
  };
  return { lot, counts: () => ({ pages, textBytes, linkBytes }) };
}

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

async function grown({ ArchiveIndex, KeptIndex, divided, nodeStorage }, folder, count, documents) {
  const index = await ArchiveIndex.open(KeptIndex, divided(nodeStorage(folder)).shelf(1));
  const rows = rowMaker();
  let microseconds = 0;
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const some = rows(from, ROWS_AT_ONCE);
    const lot = documents?.(from, ROWS_AT_ONCE);
    const before = cpu();
    if (lot) await index.addDocuments(from, from + ROWS_AT_ONCE, lot);
    if (await index.add(some)) {
      await index.keep();
      await index.tidy();
    }
    microseconds += cpu() - before;
  }
  const before = cpu();
  await index.keep({ isWhole: true });
  await index.tidy();
  return { index, microseconds: microseconds + cpu() - before };
}

async function timesOf(work) {
  const times = [];
  for (let n = 0; n < LOOK_UPS; n++) {
    const start = performance.now();
    await work(n);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const milliseconds = async (work) => median(await timesOf(work));

/** Searches for what many records have, another each time: ten hits of each, in the order of the archive. */
async function searched(index, name, figures) {
  const pick = random();
  const kinds = {
    "a URL's beginning": () => `url:https://www.host${pick(50_000)}.example.org/section-${pick(40)}*`,
    "a host and a media type": () => `host:www.host${pick(50_000)}.example.org mime:image/jpeg`,
    "a media type, a status, and not a host": () => `mime:image/jpeg status:404 -host:www.host${pick(50_000)}.example.org`,
    "a regular expression with a literal": () => `url:/host${pick(50_000)}\\.example\\.org\\/media\\/${pick(10)}/`,
  };
  for (const [kind, query] of Object.entries(kinds)) {
    let hits = 0;
    const times = await timesOf(async () => {
      const asked = { query: query(), order: "file", count: 10 };
      let found;
      do found = await index.search(asked);
      while (!found.isDone);
      hits += found.total;
    });
    figures.add(name, `${kind}, median`, median(times), "ms");
    figures.add(name, `${kind}, p95`, times[Math.floor(times.length * 0.95)], "ms");
    figures.add(name, `${kind}, hits of a search`, hits / LOOK_UPS, "hits");
  }
}

async function documented(found, figures, say) {
  say("documents");
  const folder = mkdtempSync(join(CACHE, "index-"));
  try {
    const without = await grown(found, join(folder, "without"), DOCUMENTED);
    const { lot, counts } = documentMaker();
    const { index, microseconds } = await grown(found, join(folder, "with"), DOCUMENTED, lot);
    const { pages, textBytes, linkBytes } = counts();
    const name = `${DOCUMENTED / 1e3} thousand records with ${Math.round(pages / 1e3)} thousand pages`;
    const bytes = index.bytes - without.index.bytes;
    figures.add(name, "CPU a record", microseconds / DOCUMENTED, "us", { peer: "without documents", ratio: without.microseconds / microseconds });
    figures.add(name, "CPU a page", (microseconds - without.microseconds) / pages, "us");
    figures.add(name, "text and links a page", (textBytes + linkBytes) / pages, "bytes");
    figures.add(name, "kept a page", bytes / pages, "bytes", { peer: "text and links as they are", ratio: (textBytes + linkBytes) / bytes });
    figures.add(name, "memory of the process", process.memoryUsage().rss / 2 ** 20, "MiB");
    const pick = random();
    figures.add(name, "a screen of 50 pages anywhere, by title", await milliseconds(() => index.documents({ order: "title", from: pick(pages - 50), count: 50 })), "ms");
    figures.add(name, "a screen of 50 pages of a language, by time", await milliseconds(() => index.documents({ order: "time", language: "de", from: pick(pages / 4), count: 50 })), "ms");
    figures.add(name, "text and links of a page", await milliseconds(async () => {
      const row = pick(DOCUMENTED);
      await index.text(row);
      await index.links(row);
    }), "ms");
    await index.close();
    await without.index.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function bench(figures, { parts, say }) {
  const millions = parts.length > 0 ? parts.map(Number) : MILLIONS;
  if (!millions.every((many) => many > 0)) throw new Error("how many millions of records? [1 2 5 10]");
  const found = await library();
  mkdirSync(CACHE, { recursive: true });
  await documented(found, figures, say);
  let first;
  for (const many of millions) {
    say(`${many} million records`);
    const folder = mkdtempSync(join(CACHE, "index-"));
    try {
      const count = many * 1e6;
      const { index, microseconds } = await grown(found, folder, count);
      const name = `${many} million records`;
      const each = microseconds / count;
      first ??= { each, many };
      figures.add(name, "CPU a record", each, "us", { peer: `at ${first.many} million`, ratio: first.each / each });
      figures.add(name, "index a record", index.bytes / count, "bytes");
      figures.add(name, "memory of the process", process.memoryUsage().rss / 2 ** 20, "MiB");
      const pick = random();
      figures.add(name, "a screen of 50 rows anywhere, by URL", await milliseconds(() => index.sorted({ column: "url", from: pick(count - 50), count: 50 })), "ms");
      figures.add(name, "a screen of 50 rows anywhere, by size", await milliseconds(() => index.sorted({ column: "size", from: pick(count - 50), count: 50 })), "ms");
      figures.add(name, "captures of a URL", await milliseconds(async () => {
        const [row] = await index.rows(pick(count), 1);
        const { host, pathname, search } = new URL(row.url);
        await index.captures(`org,example,${host.split(".")[1]})${pathname}${search}`);
      }), "ms");
      figures.add(name, "place of the capture of a URL nearest to a time", await milliseconds(async () => {
        const [row] = await index.rows(pick(count), 1);
        const { host, pathname, search } = new URL(row.url);
        await index.nearest(`org,example,${host.split(".")[1]})${pathname}${search}`, { captured: row.captured });
      }), "ms");
      const period = await index.period();
      const bars = Array.from({ length: 101 }, (_, n) => period.from + ((period.to - period.from) * n) / 100);
      figures.add(name, "100 bars of time", await milliseconds(() => index.timeline(bars)), "ms");
      figures.add(name, "100 hosts with records and bytes", await milliseconds(() => index.hosts("org,example", { count: 100 })), "ms");
      await searched(index, name, figures);
      await index.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
