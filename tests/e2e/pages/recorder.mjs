// The site of many hosts on a web of its own: served live, and what was said while somebody looked at it, as an archive.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { exchange, warcGz, warcInfo } from "../../fixtures/warc.mjs";
import { answerOf } from "./manyhosts.mjs";
import { startWeb } from "./webproxy.mjs";

const run = promisify(execFile);

async function sentBy(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

export async function startLive(answerTo = answerOf) {
  const said = [];
  let taken = 0;
  const web = await startWeb(async (url, request, response) => {
    const { method, headers: asked } = request;
    const sent = await sentBy(request);
    const { status, headers, body } = answerTo(url, { method, headers: asked }, sent);
    said.push({ url, method, requestHeaders: asked.range ? { Range: asked.range } : {}, requestBody: sent, status, headers, body });
    response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(method === "HEAD" ? undefined : body);
  });
  return {
    ...web,
    /** What was said since the last call. */
    take() {
      const some = said.slice(taken);
      taken = said.length;
      return some;
    },
    all: () => [...said],
  };
}

/** As an archive, with requests; what was said twice is there once. */
export function recorded(said) {
  const records = new Map();
  for (const one of said) {
    if (one.method === "OPTIONS") continue;
    records.set(JSON.stringify([one.method, one.url, one.requestHeaders, one.requestBody]), exchange(one));
  }
  return warcGz(warcInfo(), ...records.values());
}

/** What wget makes of pages and of what they need, or undefined where there is no wget. */
export async function crawledByWget(proxy, urls) {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-crawl-"));
  try {
    const through = [`http_proxy=${proxy}/`, `https_proxy=${proxy}/`, "use_proxy=yes", "robots=off"].flatMap((setting) => ["-e", setting]);
    // It tells of every address that is gone by how it ends.
    await run("wget", ["-q", ...through, "--no-check-certificate", "-p", "-H", "--delete-after", "-P", folder, `--warc-file=${join(folder, "crawl")}`, ...urls], { cwd: folder }).catch((error) => {
      if (error.code !== 8) throw error;
    });
    return new Uint8Array(readFileSync(join(folder, "crawl.warc.gz")));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
