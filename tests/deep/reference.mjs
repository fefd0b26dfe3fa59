/**
 * Archives served as if they were the web: a proxy that answers every request of a browser from one archive, at the URLs
 * that pages were captured at, nothing rewritten. What a page is there it should be in replay.
 */
import { startWeb } from "../e2e/pages/webproxy.mjs";

/** What a connection of its own states, and what would send the browser elsewhere for all times. */
const DROPPED = new Set(["connection", "content-encoding", "content-length", "keep-alive", "proxy-connection", "strict-transport-security", "trailer", "transfer-encoding", "upgrade", "alt-svc"]);

const whole = (url) => (URL.canParse(url) ? new URL(url).href.replace(/:80\//, "/") : url).replace(/#.*$/s, "");
const keyOf = (url) => whole(url).replace(/^https?:\/\/(?:www\.)?/i, "");

/** A proxy without an archive; `serve` gives it one. */
export async function startReference() {
  let archive;
  let captures = new Map();
  let around = 0;

  const fieldsOf = async (row) => {
    const detail = await archive.detail(row);
    return detail.http?.headers ?? [["content-type", detail.contentType ?? "application/octet-stream"]];
  };

  /** Servers lead from one scheme to the other, and captures of both answer for either. */
  async function leadsTo(url, row) {
    if (row.status < 300 || row.status > 399) return false;
    const location = (await fieldsOf(row)).find(([name]) => name.toLowerCase() === "location")?.[1];
    return location !== undefined && URL.canParse(location, row.url) && whole(new URL(location, row.url).href) === whole(url);
  }

  async function captureOf(url) {
    const away = (row) => Math.abs((row.captured ?? 0) - around);
    const rows = (captures.get(keyOf(url)) ?? []).filter((row) => row.status !== 304).sort((a, b) => away(a) - away(b));
    for (const row of rows) if (!(await leadsTo(url, row))) return row;
    return undefined;
  }

  async function answer(url, request, response) {
    const row = ["GET", "HEAD"].includes(request.method) ? await captureOf(url) : undefined;
    if (!row) return void response.writeHead(404, { "Content-Type": "text/html" }).end("<!doctype html><title>Not in the archive</title>");
    const [fields, body] = [await fieldsOf(row), Buffer.from(await archive.bytes(row, "body"))];
    const headers = {};
    for (const [name, value] of fields) {
      const lower = name.toLowerCase();
      if (!DROPPED.has(lower) && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) headers[lower] = value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
    }
    const status = row.status ?? 200;
    response.writeHead(status >= 200 && status < 600 ? status : 502, { ...headers, "content-length": body.length }).end(request.method === "HEAD" ? undefined : body);
  }

  const web = await startWeb(answer);
  return {
    ...web,
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
  };
}
