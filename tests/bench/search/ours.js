// Ours: the index of an archive as a library keeps it, on the private file system, driven below its cache of queries. Rows,
// what documents say and their texts are kept with it, which is in the time; its bytes are those of words and facets alone.

import { divided } from "/lib/library/files.js";
import { ArchiveIndex } from "/lib/library/archiveindex.js";
import { decodeHits, decodeValues } from "/lib/library/search.js";
import { SegmentFiles } from "/lib/library/segmentfiles.js";
import { openStorage } from "/lib/store/index.js";
import init, { KeptIndex } from "/lib/wasm/store.js";
import { Reader } from "/lib/wire.js";

const BEST = 10;
const [RANK, NO_GROUP, DONE] = [0, 3, 0];
const [RESPONSE, HTML] = [2, 0];
/** Documents come in lots, and are committed from time to time, as a library does it. */
const PAGES_A_COMMIT = 1_000;

const encoder = new TextEncoder();

class Bytes {
  #bytes = new Uint8Array(1 << 20);
  #length = 0;

  number(value) {
    this.#room(10);
    for (; value >= 128; value = Math.floor(value / 128)) this.#bytes[this.#length++] = (value % 128) + 128;
    this.#bytes[this.#length++] = value;
  }

  text(text) {
    const bytes = encoder.encode(text);
    this.number(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  take() {
    return this.#bytes.slice(0, this.#length);
  }

  #room(bytes) {
    if (this.#length + bytes <= this.#bytes.length) return;
    const more = new Uint8Array(2 * (this.#length + bytes));
    more.set(this.#bytes);
    this.#bytes = more;
  }
}

/** Rows as the engine hands them out, each with its part before it and its key behind it. */
function rowsOf(pages) {
  const out = new Bytes();
  for (const { id, url, host, text } of pages) {
    for (const number of [0, id * 1_000, 900, 0, RESPONSE, 201, text.length, 1_400_000_000 + id * 60, 0, 0, 0]) out.number(number);
    out.text("text/html");
    out.text(url);
    out.text(`${host.split(".").reverse().join(",")})${new URL(url).pathname}`);
  }
  return out.take();
}

function documentsOf(pages) {
  const out = new Bytes();
  for (const { id, title, text } of pages) {
    for (const number of [id - 1, HTML, 0]) out.number(number);
    for (const said of [title, "en", "", "", "", "", "", text]) out.text(said);
    out.number(0);
  }
  return out.take();
}

/** Of a manifest: its version, and of each segment file, bytes, end, documents, words of three fields. */
function segmentBytes(manifest) {
  const reader = new Reader(manifest);
  let bytes = 0;
  for (reader.number(); !reader.isAtEnd; ) {
    reader.number();
    bytes += reader.number();
    for (let others = 5; others > 0; others--) reader.number();
  }
  return bytes;
}

function asked(kind, words) {
  switch (kind) {
    case "or":
      return words.split(" ").join(" or ");
    case "phrase":
      return `"${words}"`;
    case "prefix":
      return `${words}*`;
    case "regex":
    case "regexAll":
      return `body:/${words}/`;
    default:
      return words;
  }
}

/** An index whose engine is at hand, to be asked without what it remembers. */
async function opened() {
  const { memory } = await init();
  const { storage } = await openStorage("bench-search");
  const files = divided(storage).shelf(1);
  let engine;
  function Made(cacheBytes) {
    engine = new KeptIndex(cacheBytes);
    return engine;
  }
  const index = await ArchiveIndex.open(Made, files, { cacheBytes: 16 << 20 });
  return { index, engine, memory, segments: new SegmentFiles(engine, files) };
}

export async function ours() {
  const { index, engine, memory, segments } = await opened();
  let [rows, committed] = [0, 0];
  const through = async (operation) => {
    let outcome;
    do outcome = await segments.step(operation);
    while (outcome !== DONE);
  };
  return {
    kinds: ["term", "and", "or", "phrase", "prefix", "regex", "regexAll", "facets"],
    async add(pages) {
      if (rows === 0) await index.addDocuments(0, 0, new Uint8Array(0));
      await index.add(rowsOf(pages));
      await index.addDocuments(rows, rows + pages.length, documentsOf(pages));
      rows += pages.length;
      if (rows - committed < PAGES_A_COMMIT) return;
      committed = rows;
      await index.keep();
      await index.tidy();
    },
    async finish() {
      await index.keep({ isWhole: true });
      await index.tidy();
    },
    memoryBytes: () => memory.buffer.byteLength,
    bytes: () => segmentBytes(engine.search_manifest()),
    async ask(kind, words) {
      const query = engine.begin_query(asked(kind, words), false);
      // Of patterns the first that are found, as the peer tells them, and as the viewer shows them.
      const isEnough = () => kind.startsWith("regex") && engine.query_total(query) >= BEST;
      for (let outcome; outcome !== DONE && !isEnough(); ) outcome = await segments.step(() => engine.query(query));
      let found;
      if (kind === "facets") {
        await through(() => engine.query_facet(query, "host", "", BEST));
        found = decodeValues(engine.take_value()).length;
      } else {
        await through(() => engine.query_hits(query, RANK, false, NO_GROUP, 0, BEST));
        found = decodeHits(engine.take_value()).length;
      }
      engine.end_query(query);
      return found;
    },
    close: () => index.close(),
  };
}
