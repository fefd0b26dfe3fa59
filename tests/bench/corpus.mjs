// The archives that benchmarks open, made once into an ignored folder and kept there.
// Real pages where the shared crawl script is at hand and can run (Debian's documentation, crawled by wget on this
// machine), else pages made up by our fixture generator. Sizes: `once` is 25 MB or more, `twice` double that, of other
// records of the same sites; `small` and `large` are 80 and 800 MB of the same records over and over; `million` holds
// a million small records.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { writeMillion } from "../fixtures/million.mjs";
import { concat, exchange, gzipMember, warcInfo } from "../fixtures/warc.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const CACHE = join(ROOT, "target/bench");
const FOLDER = join(CACHE, "corpus");

const ONCE_BYTES = 25_600_000;
const SMALL_BYTES = 80_000_000;
const LARGE_BYTES = 800_000_000;
/** Payload that the crawl is asked for; documentation compresses to a fifteenth. */
const CRAWL_MB = 860;
const PACKAGES = "debian-reference-en developers-reference debian-faq debian-handbook sqlite3-doc python3.11-doc postgresql-doc-15 python-django-doc openjdk-17-doc";
/** Neighbouring members stay together: a request and its response are not parted. */
const BLOCK_MEMBERS = 40;

const say = (text) => process.stderr.write(`bench: ${text}\n`);

/** Ends of the gzip members of a record-wise file. */
function memberEnds(file) {
  const ends = [];
  for (let at = 0; at < file.length; ) {
    let head = 10;
    const flags = file[at + 3];
    if (flags & 4) head += 2 + file.readUInt16LE(at + head);
    for (const flag of [8, 16]) if (flags & flag) head = file.indexOf(0, at + head) + 1 - at;
    if (flags & 2) head += 2;
    const { engine } = inflateRawSync(file.subarray(at + head), { info: true });
    at += head + engine.bytesWritten + 8;
    ends.push(at);
  }
  return ends;
}

/** Blocks of whole members, the archives in turn. */
function blocksOf(files) {
  const lists = files.map((path) => {
    const file = readFileSync(path);
    const ends = memberEnds(file);
    const blocks = [];
    for (let i = 0, at = 0; i < ends.length; i += BLOCK_MEMBERS) {
      const end = ends[Math.min(i + BLOCK_MEMBERS, ends.length) - 1];
      blocks.push(file.subarray(at, end));
      at = end;
    }
    return blocks;
  });
  const mixed = [];
  for (let i = 0; lists.some((list) => i < list.length); i++) for (const list of lists) if (i < list.length) mixed.push(list[i]);
  return mixed;
}

/** Writes blocks in turn, from the first again when they are used up, until the file is as long as wanted. */
function fill(path, blocks, bytesWanted) {
  const descriptor = openSync(`${path}.part`, "w");
  let written = 0;
  for (let i = 0; written < bytesWanted; i++) written += writeSync(descriptor, blocks[i % blocks.length]);
  closeSync(descriptor);
  renameSync(`${path}.part`, path);
}

function crawl() {
  const shared = process.env.STACKROOM_SHARED ?? join(ROOT, "../shared");
  const script = join(shared, "tools/make-crawl.sh");
  const out = join(CACHE, "crawl");
  const found = () => (existsSync(join(out, "warc")) ? readdirSync(join(out, "warc")).filter((name) => /-\d+\.warc\.gz$/.test(name)).sort().map((name) => join(out, "warc", name)) : []);
  const total = () => found().reduce((sum, path) => sum + statSync(path).size, 0);
  if (total() >= 2 * ONCE_BYTES) return found();
  if (!existsSync(script)) return [];
  say("crawling Debian's documentation into archives, a minute or two");
  const canFix = spawnSync("python3", ["-c", "import warcio"]).status === 0;
  mkdirSync(out, { recursive: true });
  spawnSync("bash", [script, out, String(CRAWL_MB)], { stdio: ["ignore", "ignore", "ignore"], env: { ...process.env, PKGS: PACKAGES, FIXED: canFix ? "1" : "0" } });
  rmSync(join(out, "work"), { recursive: true, force: true });
  return total() >= 2 * ONCE_BYTES ? found() : [];
}

/** Pages of prose and pictures of noise, when there is nothing to crawl. */
function synthetic() {
  say("no crawl to be had: making pages up");
  let state = 7;
  const random = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * limit);
  };
  const words = Array.from({ length: 4000 }, () => Array.from({ length: 2 + random(8) }, () => "etaoinshrdlucmfwypbgvk"[random(22)]).join(""));
  const blocks = [gzipMember(warcInfo())];
  let bytes = 0;
  for (let page = 0; bytes < 2.1 * ONCE_BYTES; page++) {
    const isPicture = random(10) === 0;
    const body = isPicture
      ? Uint8Array.from({ length: 2000 + random(20_000) }, () => random(256))
      : `<!doctype html><title>${words[page % 4000]}</title>${Array.from({ length: 10 + random(60) }, () => `<p class="text">${Array.from({ length: 40 + random(60) }, () => words[random(random(4000) + 1)]).join(" ")}</p>`).join("\n")}`;
    const [response, request] = exchange({ url: `https://www.${words[page % 97]}.example/${words[page % 991]}/${page}${isPicture ? ".png" : "/"}`, body, headers: { "Content-Type": isPicture ? "image/png" : "text/html" } });
    const block = concat(gzipMember(response), gzipMember(request));
    blocks.push(block);
    bytes += block.length;
  }
  return blocks;
}

function makeCrawled(paths) {
  const files = crawl();
  const blocks = files.length > 0 ? blocksOf(files) : synthetic();
  const [info, ...rest] = blocks;
  // The first block holds a warcinfo; every second one of the rest makes `once`, the others come after them in `twice`.
  const order = [info, ...rest.filter((_, i) => i % 2 === 0), ...rest.filter((_, i) => i % 2 === 1)];
  fill(paths.once, order, ONCE_BYTES);
  fill(paths.twice, order, 2 * statSync(paths.once).size);
  fill(paths.small, order, SMALL_BYTES);
  fill(paths.large, order, LARGE_BYTES);
  writeFileSync(join(FOLDER, "kind"), files.length > 0 ? "crawl" : "synthetic");
}

const PATHS = Object.fromEntries(["once", "twice", "small", "large", "million"].map((name) => [name, join(FOLDER, `${name}.warc.gz`)]));

/** Path of the archive of 50 MB, none of whose records is in it twice. */
export function makeTwice() {
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(join(FOLDER, "kind"))) makeCrawled(PATHS);
  return PATHS.twice;
}

/** Paths of the archives, and what they were made of. */
export function makeCorpus() {
  const paths = PATHS;
  makeTwice();
  if (!existsSync(paths.million)) {
    writeMillion(`${paths.million}.part.warc.gz`);
    renameSync(`${paths.million}.part.warc.gz`, paths.million);
  }
  return { folder: FOLDER, paths, kind: readFileSync(join(FOLDER, "kind"), "utf8") };
}
