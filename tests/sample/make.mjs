// Writes the sample archive: `node tests/sample/make.mjs --out FILE`. Plain Node, nothing installed.
// Record-wise gzip, WARC/1.1. Same sources, same bytes: dates and ids are fixed, gzip members carry no time.
// Every response has its request; digests are of the bytes as stored, content codings and chunks included.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chunked, concat, gzipMember, httpRequest, httpResponse, recordId, sha1Digest, warcInfo, warcRecord } from "../fixtures/warc.mjs";
import { TYPES, VISITS } from "./captures.mjs";

const SITE = new URL("./site/", import.meta.url);
const REVISIT_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const LEVEL = 9;

/** `start` plus some seconds, in the form that WARC wants. */
function moment(start, seconds) {
  return new Date(Date.parse(start) + seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** The HTTP response of a capture: its header block, and the payload as stored. */
function answer(capture, date) {
  const plain = capture.body ?? readFileSync(new URL(capture.file, SITE));
  const coded = capture.encoding === "gzip" ? gzipMember(plain, { level: LEVEL }) : plain;
  const payload = capture.transfer === "chunked" ? chunked(coded, { size: 1536 }) : coded;
  const headers = {
    Date: new Date(date).toUTCString(),
    Server: "lantern/1.9",
    "Content-Type": capture.type ?? TYPES[extname(capture.file).slice(1)],
    ...(capture.encoding ? { "Content-Encoding": capture.encoding } : {}),
    ...(capture.transfer ? { "Transfer-Encoding": capture.transfer } : {}),
    ...capture.headers,
  };
  const message = httpResponse({ status: capture.status, headers, body: payload });
  return { message, head: message.subarray(0, message.length - payload.length), payload };
}

/** The records of one capture: its response or revisit, then its request. */
function recordsOf(capture, date, infoId, earlier) {
  const { url } = capture;
  const { message, head, payload } = answer(capture, date);
  const digest = sha1Digest(payload);
  const id = recordId(`sample response ${url} ${date}`);
  const common = { "WARC-Warcinfo-ID": infoId };
  const request = warcRecord({
    type: "request", url, date, id: recordId(`sample request ${url} ${date}`),
    headers: { ...common, "WARC-Concurrent-To": id, ...(capture.requestBody ? { "WARC-Payload-Digest": sha1Digest(capture.requestBody) } : {}) },
    block: httpRequest({
      url, method: capture.method, body: capture.requestBody,
      headers: { "User-Agent": "Mozilla/5.0 (compatible; stackroom-sample)", "Accept-Encoding": "gzip", ...capture.requestHeaders },
    }),
  });
  if (!capture.isRevisit) {
    if (!earlier.has(url)) earlier.set(url, { id, date, digest });
    return [warcRecord({ type: "response", url, date, id, block: message, headers: { ...common, "WARC-Payload-Digest": digest } }), request];
  }
  const first = earlier.get(url);
  if (first?.digest !== digest) throw new Error(`revisit of ${url} must have the payload of its first capture`);
  const revisit = warcRecord({
    type: "revisit", url, date, id, block: head,
    headers: {
      ...common, "WARC-Payload-Digest": digest, "WARC-Profile": REVISIT_PROFILE,
      "WARC-Refers-To": first.id, "WARC-Refers-To-Target-URI": url, "WARC-Refers-To-Date": first.date,
    },
  });
  return [revisit, request];
}

/** The whole archive. */
export function makeSample() {
  const [{ start }] = VISITS;
  const infoId = recordId("sample warcinfo");
  const info = warcInfo({
    date: start,
    headers: { "WARC-Record-ID": infoId, "WARC-Filename": "sample.warc.gz" },
    fields: {
      software: "stackroom tests/sample/make.mjs", format: "WARC File Format 1.1",
      conformsTo: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
      description: "The Lantern Library, a made-up site, visited in 2023 and in 2024", license: "CC0-1.0",
    },
  });
  const earlier = new Map();
  const records = VISITS.flatMap((visit) =>
    visit.captures.flatMap((capture, idx) => recordsOf(capture, moment(visit.start, idx), infoId, earlier)));
  return concat([info, ...records].map((record) => gzipMember(record, { level: LEVEL })));
}

function main(args) {
  const at = args.indexOf("--out");
  const out = at === -1 ? undefined : args[at + 1];
  if (out === undefined) {
    process.stderr.write("usage: node tests/sample/make.mjs --out FILE\n");
    return 2;
  }
  const archive = makeSample();
  mkdirSync(dirname(resolve(out)), { recursive: true });
  writeFileSync(out, archive);
  process.stderr.write(`${out}: ${archive.length} bytes\n`);
  return 0;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
