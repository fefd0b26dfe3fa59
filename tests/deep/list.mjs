/** The deep tests by name. Each runs ordinary test programs with STACKROOM_DEEP=1 and gives their results. */
import { findCorpus } from "../rings/corpus.mjs";
import { run as runBrowsers } from "../rings/browsers.mjs";
import { runCargoTests } from "../rings/rust.mjs";
import { runVitest } from "../rings/typescript.mjs";
import { runFuzz } from "./fuzz.mjs";
import { runLastRecord } from "./lastrecord.mjs";
import { runLabels } from "./labels.mjs";
import { runLeaks } from "./leaks.mjs";
import { runLibrary } from "./library.mjs";
import { runPdf } from "./pdf.mjs";
import { runPywb } from "./pywb.mjs";
import { runReplayed } from "./replayed.mjs";
import { runS3 } from "./s3.mjs";
import { runWriters } from "./writers.mjs";

const hours = (n) => n * 60;

// Optimised, but linked quickly: the loops are long, the link time of the release profile longer.
const fast = { CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16" };

const runKills = async (which) => [await runBrowsers({ only: ["kills", ...which], minutes: hours(12) })];

export const deepTests = {
  browsers: {
    what: "every test of the browsers ring in both browsers, also what the ring asks of one alone",
    takes: "half an hour",
    run: async () => [await runBrowsers({ minutes: hours(2) })],
  },
  corpus: {
    what: "every Rust and TypeScript test at full count: each byte cut and flipped, every file of the corpus",
    takes: "minutes to an hour",
    needsCorpus: true,
    run: async () => [await runCargoTests({ args: ["--release"], env: fast, minutes: hours(3) }), await runVitest({ minutes: hours(1) })],
  },
  fuzz: {
    what: "every parser fuzzed until it had an hour of processor time, records of earlier runs included; needs nightly Rust and cargo-fuzz",
    takes: "hours",
    run: runFuzz,
  },
  hostile: {
    what: "every hostile record in every preview, both browsers",
    takes: "minutes",
    run: async () => [await runBrowsers({ only: ["hostile"], minutes: hours(1) })],
  },
  kills: {
    what: "workers, tabs and browsers killed 200 times each while they write to the store, on files and in a database, both browsers",
    takes: "hours",
    run: () => runKills([]),
  },
  "kills-opfs": { what: "the half of kills that is about files", takes: "hours", run: () => runKills(["--grep", "on opfs"]) },
  "kills-indexeddb": { what: "the half of kills that is about a database", takes: "hours", run: () => runKills(["--grep", "on indexeddb"]) },
  labels: {
    what: "the queries of a catalogue of two million labelled records in WASM and natively, and ten times the regular expressions, against scans",
    takes: "minutes",
    run: () => runLabels(fast),
  },
  leaks: {
    what: "an archived page tries every channel to the outside from every kind of realm, in every layout of replay, both browsers",
    takes: "an hour",
    run: runLeaks,
  },
  library: {
    what: "STACKROOM_LIBRARY_GB (20) of split WARCs kept in the library of each browser, killed twice on the way",
    takes: "an hour",
    run: runLibrary,
  },
  pdf: {
    what: "PDFs by ReportLab and fpdf2, and those in STACKROOM_PDFS, read as pypdf and pdfminer.six read them; needs python3 and its registry",
    takes: "minutes",
    run: runPdf,
  },
  pywb: {
    what: "pywb serves captures from our CDXJ, CDX and ZipNum indexes; needs python3 and its registry",
    takes: "minutes",
    run: runPywb,
  },
  replay: {
    what: "HTML documents of the corpus and pages that use libraries in replay, as they were behind a proxy that serves their archive, and in ReplayWeb.page; needs openssl",
    takes: "an hour",
    needsCorpus: true,
    run: () => runReplayed(findCorpus()),
  },
  s3: { what: "archives on a server of S3, read with its keys by the command line; needs Go and its module proxy", takes: "minutes", run: runS3 },
  search: {
    what: "ten thousand queries of every kind against going through all documents, twenty thousand changed segments, facets and conditions on columns; a phrase in the last record of STACKROOM_SEARCH_GB (1), both browsers",
    takes: "minutes",
    run: async () => [await runCargoTests({ args: ["--release", "--test", "search", "--test", "facets"], env: fast, minutes: hours(1) }), await runLastRecord()],
  },
  "search-viewer": { what: "the half of search that is in browsers", takes: "minutes", run: async () => [await runLastRecord()] },
  store: {
    what: "the store: a crash at every write, a million random operations, ten million records, a gigabyte in a value",
    takes: "minutes to an hour",
    run: async () => [await runCargoTests({ args: ["--release", "--test", "store"], env: fast, minutes: hours(3) })],
  },
  writers: {
    what: "archives of the corpus and the fixtures, written and judged by warcio check, FastWARC and jwarc",
    takes: "minutes",
    needsCorpus: true,
    run: async () => [await runWriters(findCorpus())],
  },
};
