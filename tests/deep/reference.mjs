/**
 * Archives served as if they were the web: a proxy that answers every request of a browser from one archive, at the URLs
 * that pages were captured at, nothing rewritten. What a page is there it should be in replay.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTls } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a connection of its own states, and what would send the browser elsewhere for all times. */
const DROPPED = new Set(["connection", "content-encoding", "content-length", "keep-alive", "proxy-connection", "strict-transport-security", "transfer-encoding", "upgrade", "alt-svc"]);

const keyOf = (url) => (URL.canParse(url) ? new URL(url).href.replace(/:80\//, "/") : url).replace(/^https?:\/\/(?:www\.)?/i, "").replace(/#.*$/s, "");

/** A certificate that no browser would trust: the one that is told not to look takes it for every host. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-certificate-"));
  try {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=stackroom", "-keyout", join(folder, "key"), "-out", join(folder, "cert")], { stdio: "pipe" });
    return { key: readFileSync(join(folder, "key")), cert: readFileSync(join(folder, "cert")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A proxy without an archive; `serve` gives it one. */
export async function startReference() {
  let archive;
  let captures = new Map();
  let around = 0;

  async function answer(url, request, response) {
    const rows = captures.get(keyOf(url)) ?? [];
    const away = (row) => Math.abs((row.captured ?? 0) - around);
    const row = rows.toSorted((a, b) => away(a) - away(b)).find((one) => one.status !== 304);
    if (!row || !["GET", "HEAD"].includes(request.method)) return void response.writeHead(404, { "Content-Type": "text/html" }).end("<!doctype html><title>Not in the archive</title>");
    const [detail, body] = [await archive.detail(row), Buffer.from(await archive.bytes(row, "body"))];
    const fields = detail.http?.headers ?? [["content-type", detail.contentType ?? "application/octet-stream"]];
    const headers = {};
    for (const [name, value] of fields) {
      const lower = name.toLowerCase();
      if (!DROPPED.has(lower) && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) headers[lower] = value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
    }
    const status = row.status ?? 200;
    response.writeHead(status >= 200 && status < 600 ? status : 502, { ...headers, "content-length": body.length }).end(request.method === "HEAD" ? undefined : body);
  }

  const handle = (scheme) => (request, response) => {
    const url = /^http/.test(request.url) ? request.url : `${scheme}://${request.headers.host}${request.url}`;
    answer(url, request, response).catch(() => response.destroy());
  };
  const secure = createTls(certificate(), handle("https"));
  const proxy = createServer(handle("http"));
  for (const server of [secure, proxy]) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.on("connect", (request, socket) => {
    const inner = connect(secure.address().port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      inner.pipe(socket).pipe(inner);
    });
    for (const end of [inner, socket]) end.on("error", () => (inner.destroy(), socket.destroy()));
  });
  return {
    address: `http://127.0.0.1:${proxy.address().port}`,
    async serve(open) {
      archive = open;
      captures = new Map();
      for await (const row of archive.records()) {
        if (!["response", "resource", "revisit"].includes(row.type) || !/^https?:/i.test(row.url)) continue;
        const key = keyOf(row.url);
        captures.set(key, [...(captures.get(key) ?? []), row]);
      }
    },
    /** Pages are as they were at that time from now on. */
    at: (captured) => (around = captured),
    close: () => Promise.all([secure, proxy].map((server) => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }))),
  };
}
