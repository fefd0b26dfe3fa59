/**
 * A crawl split over many WARC.GZ files, as large as one likes: every record has a URL of its own, a body is one of some
 * dozens. Each is deflated once for all, so that the disk sets the pace.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { httpResponse, recordId, sha1Digest, warcInfo } from "../fixtures/warc.mjs";
import { Sink, prose, putMember, randomFrom, template } from "../fixtures/million.mjs";

const HOSTS = 4_000;
const FIRST = Date.UTC(2019, 0, 1);
/** Of a kind: [media type, extension, how many bodies, bytes of each at least and at most]. */
const KINDS = [["text/html; charset=utf-8", "html", 24, 8_000, 60_000], ["image/jpeg", "jpg", 16, 5_000, 60_000], ["application/javascript", "js", 8, 2_000, 40_000], ["text/css", "css", 4, 1_000, 9_000]];

function templates() {
  const random = randomFrom(20);
  return KINDS.flatMap(([type, extension, count, least, most]) =>
    Array.from({ length: count }, () => {
      const bytes = least + random(most - least);
      const body = extension === "jpg" ? Uint8Array.from({ length: bytes }, () => random(256)) : prose(random, Math.round(bytes / 7));
      const headers = { "Content-Type": "application/http;msgtype=response", "WARC-Payload-Digest": sha1Digest(body) };
      const status = random(9) === 0 ? 404 : 200;
      const block = httpResponse({ status, headers: { "Content-Type": type, Server: "nginx" }, body });
      return { ...template("response", extension, headers, block), isPage: extension === "html" && status === 200 };
    }),
  );
}

/** Makes what is not there yet: so many files of so many bytes. Gives their paths and how many records and pages are in all of them. */
export function makeSplit(folder, files, bytesEach) {
  mkdirSync(folder, { recursive: true });
  const shared = templates();
  const scratch = Buffer.allocUnsafe(1 << 18);
  let [records, pages] = [0, 0];
  const paths = Array.from({ length: files }, (_, file) => {
    const random = randomFrom(1_000 + file);
    const path = join(folder, `crawl-${String(file).padStart(3, "0")}-${bytesEach}.warc.gz`);
    const isThere = existsSync(path);
    // What is there is counted as it would be written.
    const sink = isThere ? undefined : new Sink(`${path}.part`);
    const info = Buffer.from(warcInfo({ date: new Date(FIRST).toISOString().replace(".000Z", "Z"), headers: { "WARC-Record-ID": recordId(`split ${file}`) } }));
    const packed = deflateRawSync(info);
    if (sink) putMember(sink, "", { plain: info, packed }, scratch);
    let written = packed.length;
    records += 1;
    for (let n = 0; written < bytesEach; n++) {
      const body = shared[random(shared.length)];
      const date = new Date(FIRST + (file * 1_000_000 + n) * 1_000).toISOString().replace(".000Z", "Z");
      const url = `https://host-${random(HOSTS)}.example/${file}/${n}.${body.path}`;
      const own = `WARC/1.1\r\nWARC-Record-ID: ${recordId(`${file} ${n}`)}\r\nWARC-Date: ${date}\r\nWARC-Target-URI: ${url}\r\n`;
      if (sink) putMember(sink, own, body, scratch);
      written += own.length + body.packed.length + 23;
      records += 1;
      pages += body.isPage ? 1 : 0;
    }
    if (sink) {
      sink.close();
      renameSync(`${path}.part`, path);
    }
    return path;
  });
  return { paths, records, pages };
}
