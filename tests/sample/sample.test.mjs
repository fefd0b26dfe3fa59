// The sample archive is what its sources say, read back by an independent reader (npm warcio).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { WARCParser } from "warcio";
import { bytes, sha1Digest } from "../fixtures/warc.mjs";
import { MISSING } from "./captures.mjs";
import { makeSample } from "./make.mjs";

const BYTES_MAX = 300_000;

async function* chunks(content) {
  yield content;
}

/** Every record as warcio sees it: WARC headers, HTTP head, stored block and payload, decoded body. */
async function readBack(archive) {
  const records = [];
  for await (const record of new WARCParser(chunks(archive), { keepHeadersCase: false, parseHttp: false })) {
    const block = await record.readFully(false);
    records.push({ type: record.warcType, url: record.warcTargetURI, date: record.warcDate, headers: record.warcHeaders.headers, block: block ?? new Uint8Array(0) });
  }
  let at = 0;
  for await (const record of new WARCParser(chunks(archive))) {
    const entry = records[at++];
    entry.status = record.httpHeaders?.statusline;
    entry.http = record.httpHeaders?.headers;
    entry.body = entry.type === "warcinfo" ? null : await record.readFully(true);
  }
  return records;
}

function header(record, name) {
  return record.headers.get(name) ?? record.headers.get(name.toLowerCase()) ?? null;
}

/** What follows the blank line of an HTTP message. */
function payload(record) {
  const text = Buffer.from(record.block);
  return text.subarray(text.indexOf("\r\n\r\n") + 4);
}

const archive = makeSample();
const records = await readBack(archive);
const responses = records.filter((record) => record.type === "response");
const requests = records.filter((record) => record.type === "request");
const revisits = records.filter((record) => record.type === "revisit");
const captured = new Set([...responses, ...revisits].map((record) => record.url));
const text = (record) => new TextDecoder("utf-8", { fatal: true }).decode(record.body ?? new Uint8Array(0));
const mediaType = (record) => record.http.get("Content-Type") ?? "";

/** Addresses that a document refers to, absolute, without fragments. */
function references(record) {
  const found = [];
  const type = mediaType(record);
  if (type.startsWith("text/html")) {
    for (const [, , address] of text(record).matchAll(/\s(href|src|action)="([^"]*)"/g)) found.push(address);
  }
  if (type.startsWith("text/css")) for (const [, address] of text(record).matchAll(/url\(["']?([^"')]+)/g)) found.push(address);
  if (type.startsWith("text/javascript")) for (const [, address] of text(record).matchAll(/fetch\("([^"]+)"/g)) found.push(address);
  return found.map((address) => {
    const url = new URL(address, record.url);
    url.hash = "";
    return url.href;
  });
}

describe("sample archive", () => {
  test("is small and the same each time", () => {
    assert.ok(archive.length <= BYTES_MAX, `${archive.length} bytes`);
    assert.deepEqual(makeSample(), archive);
  });

  test("begins with warcinfo and holds what it should", () => {
    assert.equal(records[0].type, "warcinfo");
    assert.match(Buffer.from(records[0].block).toString(), /CC0/);
    assert.deepEqual(
      { responses: responses.length, requests: requests.length, revisits: revisits.length, all: records.length },
      { responses: 26, requests: 27, revisits: 1, all: 55 },
    );
    const count = (prefix) => responses.filter((record) => mediaType(record).startsWith(prefix) && record.status.includes(" 200")).length;
    assert.deepEqual(
      Object.fromEntries(["text/html", "text/css", "text/javascript", "application/json", "application/pdf", "image/png", "image/jpeg", "image/webp", "image/svg"].map((type) => [type, count(type)])),
      { "text/html": 12, "text/css": 2, "text/javascript": 1, "application/json": 1, "application/pdf": 1, "image/png": 1, "image/jpeg": 1, "image/webp": 1, "image/svg": 3 },
    );
  });

  test("every record is its own gzip member, in order", () => {
    const inflated = gunzipSync(archive).toString("latin1");
    assert.equal(inflated.match(/(?<=^|\r\n\r\n)WARC\/1\.1\r\n/g).length, records.length);
  });

  test("every response has its request, with the same address and date", () => {
    const byId = new Map([...responses, ...revisits].map((record) => [header(record, "WARC-Record-ID"), record]));
    assert.equal(byId.size, responses.length + revisits.length);
    for (const request of requests) {
      const response = byId.get(header(request, "WARC-Concurrent-To"));
      assert.ok(response, request.url);
      assert.equal(request.url, response.url);
      assert.equal(request.date, response.date);
    }
  });

  test("digests, lengths and dates are right", () => {
    for (const record of records) {
      assert.equal(header(record, "WARC-Block-Digest"), sha1Digest(record.block), record.url);
      assert.equal(Number(header(record, "Content-Length")), record.block.length);
      assert.match(record.date, /^202[34]-11-\d\dT\d\d:\d\d:\d\dZ$/);
      if (record.type === "response") assert.equal(header(record, "WARC-Payload-Digest"), sha1Digest(payload(record)), record.url);
    }
  });

  test("the home page has two captures a year apart that differ", () => {
    const [first, second] = responses.filter((record) => record.url === "https://lantern-library.example/");
    assert.ok(Date.parse(second.date) - Date.parse(first.date) > 365 * 24 * 3600 * 1000);
    assert.notEqual(text(first), text(second));
  });

  test("the redirect leads to a captured page", () => {
    const [redirect] = responses.filter((record) => record.status.includes(" 301"));
    assert.ok(captured.has(redirect.http.get("Location")));
  });

  test("the revisit refers to a capture with the same payload", () => {
    const [revisit] = revisits;
    const original = responses.find((record) => header(record, "WARC-Record-ID") === header(revisit, "WARC-Refers-To"));
    assert.equal(header(revisit, "WARC-Refers-To-Target-URI"), original.url);
    assert.equal(header(revisit, "WARC-Refers-To-Date"), original.date);
    assert.equal(header(revisit, "WARC-Payload-Digest"), header(original, "WARC-Payload-Digest"));
    assert.equal(payload(revisit).length, 0);
    assert.match(header(revisit, "WARC-Profile"), /identical-payload-digest$/);
  });

  test("one body is gzip encoded, one is chunked, and both read back as their sources", () => {
    const coded = responses.filter((record) => record.http.get("Content-Encoding") === "gzip");
    const inChunks = responses.filter((record) => record.http.get("Transfer-Encoding") === "chunked");
    assert.equal(coded.length, 1);
    assert.equal(inChunks.length, 1);
    const source = (name) => readFileSync(new URL(`./site/home/${name}`, import.meta.url), "utf8");
    assert.equal(text(coded[0]), source("catalogue/catalogue.json"));
    assert.equal(text(inChunks[0]), source("reading/the-climbing-stack.html"));
    assert.ok(JSON.parse(text(coded[0])).books.length > 30);
  });

  test("the form was sent by POST with its fields", () => {
    const [post] = requests.filter((record) => Buffer.from(record.block).toString("latin1").startsWith("POST "));
    const fields = new URLSearchParams(payload(post).toString());
    assert.equal(fields.get("name"), "Ada");
    assert.equal(fields.get("message"), "a book about fog, not too damp");
  });

  test("the PDF's cross-reference table points at its objects", () => {
    const pdf = Buffer.from(responses.find((record) => record.url.endsWith(".pdf")).body).toString("latin1");
    const table = Number(/startxref\n(\d+)/.exec(pdf)[1]);
    assert.equal(pdf.slice(table, table + 4), "xref");
    const entries = [...pdf.slice(table).matchAll(/(\d{10}) 00000 n/g)];
    entries.forEach(([, offset], idx) => assert.ok(pdf.startsWith(`${idx + 1} 0 obj`, Number(offset))));
    assert.ok(entries.length > 5);
    for (const [, length, stream] of pdf.matchAll(/\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g)) assert.equal(stream.length, Number(length));
  });

  test("one page is in another language and another script", () => {
    const page = responses.find((record) => record.url.includes("/ja/"));
    assert.equal(decodeURI(new URL(page.url).pathname), "/ja/\u66f8\u5eab.html");
    assert.match(text(page), /lang="ja"[\s\S]*\u66f8\u5eab/);
  });

  test("every address that a page refers to is captured, but for the two meant to be missing", () => {
    const lost = new Set(responses.flatMap(references).filter((address) => !captured.has(address)));
    // The address that a form posts or searches to is captured with its fields.
    lost.delete("https://lantern-library.example/search");
    assert.ok(captured.has("https://lantern-library.example/search?q=lamp"));
    assert.deepEqual([...lost], [MISSING.neverCaptured]);
    const answered = responses.find((record) => record.url === MISSING.notFound);
    assert.match(answered.status, / 404 /);
    assert.equal(responses.filter((record) => record.status.includes(" 404 ")).length, 1);
  });

  test("every captured page can be reached from the home page", () => {
    const reached = new Set(["http://lantern-library.example/", "https://lantern-library.example/", "https://lantern-library.example/search?q=lamp"]);
    for (let grew = true; grew; ) {
      const before = reached.size;
      for (const page of responses.filter((record) => reached.has(record.url))) for (const address of references(page)) reached.add(address);
      grew = reached.size > before;
    }
    const apart = [...captured].filter((url) => !reached.has(url) && !url.endsWith("/robots.txt"));
    assert.deepEqual(apart, []);
  });

  test("sources are small", () => {
    assert.ok(responses.every((record) => bytes(record.body ?? "").length < 40_000));
  });
});
