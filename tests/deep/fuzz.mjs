/**
 * Fuzzes every parser with cargo-fuzz, from the fixtures as seeds, two at a time on two cores, until each has had an hour of
 * processor time since what it reaches was changed last; records of earlier runs count. STACKROOM_FUZZ_TARGETS names some of
 * them, STACKROOM_FUZZ_MINUTES says how much each gets in this run whatever it had, STACKROOM_FUZZ_BUDGET how much all get
 * together, those first that lack least. What is found is kept in tests/fuzz/artifacts; mended, it becomes an ordinary case.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { at } from "../../web/build/place.mjs";
import { drawn, pdf } from "../fixtures/pdf.mjs";
import { failure, runNode, runProgram } from "../rings/program.mjs";
import { minutesFuzzed } from "./fuzzed.mjs";

const folder = "tests/fuzz";
const sliceSeconds = 600;
const MINUTES_ASKED = 60;
const cargo = (args, options) => runProgram("cargo", ["+nightly", "fuzz", ...args], options);

/** Which fixtures are seeds of a target, by how they are called. */
const seeds = {
  arc: /\.arc$/, arc_gz: /\.arc\.gz$/, body: null, cdx: /\.cdxj?$/, cdx_gz: /\.cdx\.gz$/, detected: /./, dictionary: null, document: null, examine: /\.(?:warc|warc\.gz|arc|har|wacz)$/, facets: null, har: /\.har$/, manifest: /datapackage|\.json$/, pdf: null, query: null, rewrite: null, script: null, search: null, state: null, tar: /\.tar$/, tar_gz: /tar\.gz$/,
  warc: /\.warc$/, warc_gz: /\.warc\.gz$/, warc_zst: /\.zst$/, wbn: /\.wbn$/, zip: /\.(?:zip|wacz)$/,
};
const codings = { gzip: "|gzip", "gzip-twice": "|gzip, gzip", deflate: "|deflate", br: "|br", zstd: "|zstd", chunked: "chunked|", "chunked-gzip": "chunked|gzip" };

/** The bodies of the fixtures about codings, each after a line that names them. */
async function bodySeeds(into) {
  const { cases } = await import("../fixtures/cases/payloads.mjs");
  const [{ bytes, records }] = cases();
  for (const [name, line] of Object.entries(codings)) {
    const record = records.find(({ uri }) => uri?.endsWith(`/${name}`));
    const end = record.offset + record.length;
    const content = Buffer.from(bytes.subarray(end - record.raw_len, end));
    writeFileSync(`${into}/${name}`, Buffer.concat([Buffer.from(`${line}\n`), content]));
  }
}

/** Documents of every kind, each after a byte that says which. */
function documentSeeds(into) {
  const page = readFileSync(at("tests/sample/site/home/reading/a-box-of-weather.html"));
  const feed = "<?xml version='1.0'?><rss><channel><title>A</title><item><link>http://a.test/</link><description><![CDATA[<p>b &amp; c]]></description></item></channel></rss>";
  const markup = "<!doctype html><svg><title>a</title><![CDATA[b]]></svg><script><!--<script></script>--></script><template><p></template><pre>\n&notin;</pre><img srcset='a 1x, b 2x' alt=c>";
  const texts = [page, page, "One line\nand another", '{"a": ["b\\u00e4\\ud83d\\ude00", {"c": "http://a.test/"}]}', feed, feed, pdf(drawn("One line", "and \\001ne more")), "/location", markup];
  for (const [kind, text] of texts.entries()) writeFileSync(`${into}/kind-${kind}`, Buffer.concat([Buffer.from([kind % 8]), Buffer.from(text)]));
}

/** PDFs with text in several ways. */
function pdfSeeds(into) {
  const contents = [drawn("One line", "and \\001ne more"), "BT /F 9 Tf 1 0 0 1 9 9 Tm [(a) -400 <0041> 20] TJ /Span << /ActualText (b) >> BDC (c) ' EMC 2 1 (d) \" T* ET q 1 0 0 1 9 9 cm /X Do Q"];
  for (const [number, content] of contents.entries()) writeFileSync(`${into}/seed-${number}`, pdf(content));
}

/** Texts of archived pages, each after a byte that says as what they are rewritten. */
function rewriteSeeds(into) {
  const css = "@import '//a.test/x';@namespace url(http://b.test/);a{b:image-set('https://a.test/\\2f' 1x);c:url( //d.test/ )/* url(//e.test) */}";
  const list = '#EXTM3U\n#EXT-X-KEY:URI="https://a.test/k"\nhttps://a.test/1.ts\n';
  const manifest = "<MPD xmlns='http://b.test/'><BaseURL>https://a.test/</BaseURL><S media='https://a.test/$n$'/></MPD>";
  const page = `<!doctype html><base href=//a.test><style>${css}</style><script type=importmap>{"a":"https://a.test/"}</script><iframe sandbox srcdoc='<p onclick=&quot;l&quot;>'></iframe><svg><style>a{b:url(//a.test)}<image xlink:href=//a.test/></svg><object data=//a.test/x.png></object><meta http-equiv=refresh content='1;url=//a.test/'><img srcset='//a.test/1 1x, /2'><a href='javascript:l'>`;
  for (const [kind, text] of [css, list, manifest, page, page].entries()) writeFileSync(`${into}/kind-${kind}`, Buffer.concat([Buffer.from([kind]), Buffer.from(text)]));
}

/** Scripts with much of the language in them, each after a byte that says as what it is read. */
function scriptSeeds(into) {
  const texts = [
    "class A extends B { static #a = 1; async *b({c = location}, [d]) { yield* `${top}`; for await (const e of f?.g.location); } get [h]() {} }",
    "import a, {b as c} from '//d.test/'; export default async (e, ...f) => { const {location} = self; import('g') }; label: for (let i = 0; i < 1; i++) continue label;",
    "if (a) { var location = 0x1f, r = /[/\\]]+/g; try { new a.location.b() } catch ({c}) { with (d) top } finally { return a ? b : c } }",
    "async function* () { switch (await y) { case 1: do ; while (0) default: (a, b) => a ?? b } parent.top.postMessage(1, '*') }",
    "x = a\n++b /* c */ / d; <!-- e\n--> f\n'\\u{61}'\n.top; ({location, top: [location], ...a} = window); async (a = top) => { var top }",
  ];
  for (const [number, text] of texts.entries()) writeFileSync(`${into}/seed-${number}`, Buffer.concat([Buffer.from([number]), Buffer.from(text)]));
}

/** Layouts of dictionaries, each with a change of its footer, the last one a second time with its filter. */
function dictionarySeeds(into) {
  for (const kind of [0, 1, 2, 3, 4, 5, 6, 69]) writeFileSync(`${into}/kind-${kind}`, Buffer.from([kind, 0, 40 + 8 * kind, 1, 0xff, 0xff, 0, 0, 0, 0, 20]));
}

/** States and rows of the fixtures, each after the length of the state. */
async function stateSeeds(into, fixtures) {
  const load = async (name) => {
    const { default: init, ...all } = await import(at(`web/lib/wasm/${name}.js`));
    await init({ module_or_path: readFileSync(at(`web/lib/wasm/${name}_bg.wasm`)) });
    return all;
  };
  const [{ Index, keyed_rows, kept_state }, { KeptIndex }] = [await load("tools"), await load("store")];
  for (const { name, bytes: length } of JSON.parse(readFileSync(`${fixtures}/cases.json`, "utf8"))) {
    if (length >= 8_000) continue;
    const bytes = readFileSync(`${fixtures}/${name}`);
    const [table, index] = [new Index(), new KeptIndex(1 << 16)];
    try {
      table.begin(bytes, bytes.length);
    } catch {
      continue;
    }
    while (table.wanted() < bytes.length || !table.finish(bytes.length)) table.feed(bytes.subarray(table.wanted()));
    index.add(keyed_rows(table, 0, table.records()));
    index.begin_stored();
    index.stored_rows(0, index.count());
    const state = kept_state(table, table.records());
    const header = Buffer.from([state.length & 255, state.length >> 8]);
    if (state.length < 65_536) writeFileSync(`${into}/${name.replaceAll("/", "-")}`, Buffer.concat([header, state, index.take_value()]));
  }
}

/** An archive after a query of what only its records tell, another one for each. */
function examineSeed(seed, bytes) {
  const queries = ["raw:/[a-z]+<|\\bthe$/i -method:POST", "header.content-type:*html* or raw:\"<p>\"", "digest:/^sha1:[A-F]/ (raw:/(?m)^x/ or header.server:*)"];
  writeFileSync(seed, Buffer.concat([Buffer.from(`${queries[bytes.length % queries.length]}\n`), bytes]));
}

async function plant(target, fixtures) {
  const into = at(folder, "corpus", target);
  mkdirSync(into, { recursive: true });
  if (target === "body") return bodySeeds(into);
  if (target === "state") return stateSeeds(into, fixtures);
  if (target === "dictionary") return dictionarySeeds(into);
  if (target === "document") return documentSeeds(into);
  if (target === "pdf") return pdfSeeds(into);
  if (target === "rewrite") return rewriteSeeds(into);
  if (target === "script") return scriptSeeds(into);
  for (const { name, bytes } of JSON.parse(readFileSync(`${fixtures}/cases.json`, "utf8"))) {
    if (!(seeds[target] ?? /./).test(name) || bytes >= 30_000) continue;
    const seed = `${into}/${name.replaceAll("/", "-")}`;
    if (target === "examine") examineSeed(seed, readFileSync(`${fixtures}/${name}`));
    else copyFileSync(`${fixtures}/${name}`, seed);
  }
}

/** Processor seconds of what a shell ran, as its `times` tells them in its last line: 1m2.34s 0m0.56s. */
function processorSeconds(output) {
  const [user, system] = [...output.trimEnd().split("\n").at(-1).matchAll(/(\d+)m([\d.,]+)s/g)].map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds.replace(",", ".")));
  return (user ?? 0) + (system ?? 0);
}

/** On a machine that has other work an hour of the clock may be minutes of fuzzing: it goes on until the processor spent the time. */
async function fuzz(target, minutes) {
  let [spent, inputs] = [0, 0];
  while (spent < minutes * 60) {
    const seconds = Math.ceil(Math.min(sliceSeconds, minutes * 60 - spent));
    const limits = [`-max_total_time=${seconds}`, "-max_len=65536", "-timeout=30", "-rss_limit_mb=1500", "-print_final_stats=1"];
    const command = ["cargo", "+nightly", "fuzz", "run", target, "--fuzz-dir", at(folder), "--", ...limits];
    const { problem, output } = await runProgram("sh", ["-c", '"$@" 2>&1; code=$?; times; exit $code', "sh", ...command], { minutes: seconds / 60 + 30 });
    const found = at(folder, "artifacts", target);
    const finds = existsSync(found) ? readdirSync(found) : [];
    if (problem) return failure(`fuzz ${target}`, `${problem}; found: ${finds.join(", ") || "nothing"}`);
    const fresh = processorSeconds(output);
    if (fresh === 0) return failure(`fuzz ${target}`, "no processor time was told");
    spent += fresh;
    inputs += Number(/stat::number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? 0);
  }
  return { passed: 1, failed: 0, skipped: [], failures: [], figures: [`${target}: ${inputs} inputs in ${(spent / 60).toFixed(1)} minutes of processor time`] };
}

/**
 * Minutes for each target, of a budget for all: what it lacks of an hour, first those that lack least, since each run begins
 * at the seeds again.
 * @param {ReadonlyMap<string, number>} had
 * @returns {Map<string, number>}
 */
export function shared(had, budget) {
  const shares = new Map();
  let left = budget;
  for (const [target, minutes] of [...had].sort(([, one], [, other]) => other - one)) {
    const share = Math.min(Math.ceil(MINUTES_ASKED - minutes), left);
    if (share <= 0) continue;
    shares.set(target, share);
    left -= share;
  }
  return shares;
}

function sharesOf(targets) {
  const each = Number(process.env.STACKROOM_FUZZ_MINUTES ?? 0);
  if (each > 0) return new Map(targets.map((target) => [target, each]));
  return shared(minutesFuzzed(targets), Number(process.env.STACKROOM_FUZZ_BUDGET ?? Infinity));
}

export async function runFuzz() {
  const wanted = process.env.STACKROOM_FUZZ_TARGETS?.split(",");
  const all = readdirSync(at(folder, "targets")).map((file) => file.replace(/\.rs$/, "")).filter((name) => !wanted || wanted.includes(name));
  if (all.length === 0) return [failure("fuzz", "no target of that name")];
  const shares = sharesOf(all);
  if (shares.size === 0) return [{ passed: all.length, failed: 0, skipped: [], failures: [], figures: ["each target has had its hour, by the records"] }];
  const targets = [...shares.keys()];
  const fixtures = at("test-results/fuzz-seeds");
  rmSync(fixtures, { recursive: true, force: true });
  const { problem } = await runNode([at("tests/fixtures/make.mjs"), fixtures], {});
  if (problem) return [failure("fixtures", problem)];
  const built = await cargo(["build", "--fuzz-dir", at(folder)], { minutes: 60 });
  if (built.problem) return [failure("fuzz targets", `${built.problem} (needs a nightly toolchain, and cargo-fuzz: cargo install cargo-fuzz)`)];
  for (const target of targets) await plant(target, fixtures);
  const results = [];
  const waiting = [...targets];
  const worker = async () => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) results.push(await fuzz(target, shares.get(target)));
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(4, availableParallelism())) }, worker));
  return results;
}
