/** Archives that the specs of the viewer open, made anew in each run. */
import { deflateSync } from "node:zlib";
import { drawn, pdf } from "../fixtures/pdf.mjs";
import { bytes, concat, exchange, httpResponse, truncate, warcGz, warcInfo, warcRecord } from "../fixtures/warc.js";

const page = (url: string, type: string, body: string | Uint8Array, status = 200): Uint8Array[] =>
  exchange({ url, status, headers: { "Content-Type": type }, body });

function crc32(data: Uint8Array): number {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  }
  return ~crc >>> 0;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concat(type, data);
  const frame = new DataView(new ArrayBuffer(8));
  frame.setUint32(0, data.length);
  frame.setUint32(4, crc32(body));
  return concat(new Uint8Array(frame.buffer, 0, 4), body, new Uint8Array(frame.buffer, 4, 4));
}

/** A PNG whose header claims any size; its pixels are really there only for `rows` rows. */
export function png(width: number, height: number, rows = height): Uint8Array {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 8);
  header.setUint8(9, 2);
  const pixels = new Uint8Array((width * 3 + 1) * rows).map((_, at) => (at % (width * 3 + 1) === 0 ? 0 : at & 255));
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return concat(signature, chunk("IHDR", new Uint8Array(header.buffer)), chunk("IDAT", deflateSync(pixels)), chunk("IEND", new Uint8Array()));
}

export const json = JSON.stringify({
  title: "Catalogue",
  id: 0,
  boxes: Array.from({ length: 250 }, (_, box) => ({ box, label: `Box ${box}` })),
}).replace('"id":0', '"id":12345678901234567890');

/** In windows-1252: the e with an accent is one byte, which UTF-8 would not have. */
const latin = concat("Caf", Uint8Array.of(0xe9), " open\n");

/** A few records of each kind that the viewer tells apart. */
export function smallArchive(): Uint8Array {
  return warcGz(
    warcInfo(),
    page("https://stack.example/", "text/html; charset=utf-8", "<!doctype html><title>Front</title><p>Reading room</p>\n"),
    page("https://stack.example/map.png", "image/png", png(40, 30)),
    page("https://stack.example/api/boxes.json", "application/json", json),
    page("https://stack.example/latin.txt", "text/plain; charset=windows-1252", latin),
    page("https://stack.example/long.js", "text/javascript", "var a=1;".repeat(220_000)),
    page("https://stack.example/bytes.bin", "application/octet-stream", Uint8Array.from({ length: 150_000 }, (_, at) => (at * 7) & 255)),
    page("https://stack.example/gone", "text/html", "gone", 404),
    warcRecord({
      type: "revisit",
      url: "https://stack.example/map.png",
      headers: { "Content-Type": "application/http; msgtype=response", "WARC-Refers-To-Target-URI": "https://stack.example/map.png" },
      block: httpResponse({ headers: { "Content-Type": "image/png", "Content-Length": null } }),
    }),
  );
}

/** The small archive, cut in the middle of its last but one record. */
export function cutArchive(): Uint8Array {
  const whole = smallArchive();
  return truncate(whole, whole.length - 700);
}

/** Many records, without compression, so that a server can stop at any byte of it. */
export function longArchive(count: number): Uint8Array {
  const records = Array.from({ length: count }, (_, at) =>
    warcRecord({
      type: "resource",
      url: `https://long.example/item-${at}`,
      headers: { "Content-Type": "text/plain" },
      block: bytes(`item ${at}\n`.repeat(40)),
    }),
  );
  return concat(...records);
}

/** Sixty captures of three hosts over five years, and three of one URL. */
export function widelyArchive(): Uint8Array {
  const hosts = ["a.example.org", "b.example.org", "other.net"];
  const resource = (url: string, date: string, type: string, status: number): Uint8Array =>
    warcRecord({ type: "response", url, date, headers: { "Content-Type": "application/http; msgtype=response" }, block: httpResponse({ status, headers: { "Content-Type": type }, body: `of ${url} at ${date}\n` }) });
  const many = Array.from({ length: 60 }, (_, at) => {
    const date = `${2012 + (at % 5)}-0${1 + (at % 9)}-11T10:${String(at % 60).padStart(2, "0")}:00Z`;
    return resource(`https://${hosts[at % 3]}/page-${String(at).padStart(2, "0")}`, date, at % 4 === 0 ? "image/png" : "text/html", at % 10 === 0 ? 404 : 200);
  });
  const again = ["2012", "2014", "2016"].map((year) => resource("https://a.example.org/again", `${year}-06-01T00:00:00Z`, "text/html", 200));
  return warcGz(...many, ...again);
}

/** Titles that want to be more than text. */
export const hostileTitles = ["<img src=x onerror=alert(1)>", "\u202egnp.exe", "zero\u200bwidth\u0007bell", "x".repeat(5_000)];

/** Web pages in three languages, some without a title, that link to each other; and what is none. */
export function pagesArchive(count = 120): Uint8Array {
  const languages = ["en", "de", "fa"];
  const titleOf = (at: number): string => (at % 20 === 7 ? "" : at < hostileTitles.length ? (hostileTitles[at] ?? "") : `${at % 2 === 0 ? "Report" : "article"} ${String(at).padStart(3, "0")}`);
  const text = (value: string): string => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\u0007", "&#7;");
  const html = (at: number): string => {
    const title = titleOf(at);
    return `<!doctype html><html lang="${languages[at % 3] ?? ""}"><head><meta charset="utf-8">${title === "" ? "" : `<title>${text(title)}</title>`}<meta name="description" content="What is on page ${at}"></head>
<body><p>Paragraph of page ${at}.</p><p>Second paragraph.</p><a href="/page-${(at + 1) % count}">next</a> <a href="https://nowhere.example/">away</a><img src="/map.png"></body></html>`;
  };
  const many = Array.from({ length: count }, (_, at) => {
    const date = `${2010 + (at % 7)}-0${1 + (at % 9)}-11T10:${String(at % 60).padStart(2, "0")}:00Z`;
    return warcRecord({
      type: "response",
      url: `https://${at % 2 === 0 ? "a" : "b"}.example.org/page-${at}`,
      date,
      headers: { "Content-Type": "application/http; msgtype=response" },
      block: httpResponse({ headers: { "Content-Type": "text/html; charset=utf-8" }, body: html(at) }),
    });
  });
  const rest = [
    ...page("https://a.example.org/map.png", "image/png", png(40, 30)),
    ...page("https://a.example.org/data.json", "application/json", '{"a": "value"}'),
    ...exchange({ url: "https://a.example.org/old", status: 301, headers: { Location: "/page-2" } }),
  ];
  return warcGz(...many, ...rest);
}

const subjects = ["harbour", "lighthouse", "council", "weather"];

/** Pages on four subjects from two hosts and six years, some in German, one captured again, with what is none of them. */
export function searchedArchive(count = 60): Uint8Array {
  const captured = (url: string, date: string, type: string, body: string | Uint8Array, status = 200): Uint8Array =>
    warcRecord({ type: "response", url, date, headers: { "Content-Type": "application/http; msgtype=response" }, block: httpResponse({ status, headers: { "Content-Type": type }, body }) });
  const html = (at: number): string => {
    const subject = subjects[at % 4] ?? "";
    const filling = Array.from({ length: 40 }, (_, line) => `<p>Line ${line} of the ${subject} file, kept for those who come later.</p>`).join("");
    return `<!doctype html><html lang="${at % 5 === 4 ? "de" : "en"}"><head><meta charset="utf-8"><title>Notes on the ${subject} ${at}</title></head><body><p>What was written down.</p>${filling}<p>The ledger of the ${subject} ends on page ${at}.</p></body></html>`;
  };
  const pages = Array.from({ length: count }, (_, at) => captured(`https://${at % 3 === 0 ? "b" : "a"}.example.org/notes-${at}`, `${2010 + (at % 6)}-0${1 + (at % 9)}-11T10:00:${String(at % 60).padStart(2, "0")}Z`, "text/html; charset=utf-8", html(at), at === 9 ? 404 : 200));
  const rest = [
    captured("https://a.example.org/notes-0", "2016-01-02T00:00:00Z", "text/html; charset=utf-8", html(0)),
    captured("https://a.example.org/harbour.png", "2012-05-01T00:00:00Z", "image/png", png(40, 30)),
    captured("https://a.example.org/quay.html", "2013-05-01T00:00:00Z", "text/html; charset=utf-8", '<!doctype html><html lang="fa" dir="rtl"><head><meta charset="utf-8"><title>\u0628\u0646\u062f\u0631 quayside</title></head><body><p>\u0628\u0646\u062f\u0631 <b>quayside</b> &lt;img src=x onerror=alert(1)&gt;</p></body></html>'),
  ];
  return warcGz(...pages, ...rest);
}

/** A page and a PDF. */
export function pdfArchive(): Uint8Array {
  const body = pdf(drawn("In spring there was seawater in", "the cellar again, as the year before."), { title: "Report of the harbour master" });
  return warcGz(warcInfo({}), ...exchange({ url: "http://a.test/", headers: { "Content-Type": "text/html" }, body: "<title>Harbour</title>" }), ...exchange({ url: "http://a.test/report.pdf", headers: { "Content-Type": "application/pdf" }, body }));
}

/** 120 responses of a megabyte each, every tenth with a word of its own and from another server. */
export function bodiesArchive(): Uint8Array {
  const filling = "What is written in here is only there to be read through. ".repeat(18_000);
  const record = (at: number): Uint8Array =>
    warcRecord({
      type: "response",
      url: `https://bodies.example.org/${at}.bin`,
      date: `2015-01-01T00:00:${String(at % 60).padStart(2, "0")}Z`,
      headers: { "Content-Type": "application/http; msgtype=response" },
      block: httpResponse({ status: 200, headers: { "Content-Type": "application/octet-stream", Server: at % 10 === 5 ? "nginx/1.2" : "Apache" }, body: `${filling}${at % 10 === 5 ? `needle-${at} ` : ""}` }),
    });
  return warcGz(...Array.from({ length: 120 }, (_, at) => record(at)));
}
