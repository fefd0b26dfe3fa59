/**
 * pywb, as its registry has it, over indexes that we make: every capture that our look-up finds it finds too, at the
 * same place, in CDXJ and in a ZipNum cluster, and the bodies that it serves from there are ours.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at } from "../../web/build/place.mjs";
import { say } from "../../web/build/say.mjs";
import { PYWB, installPywb, startPywb } from "../peers/pywb.mjs";
import { failure, sum } from "../rings/program.mjs";

const cli = at("dist/cli/main.js");
/** Bodies that are fetched from each index. */
const BODIES = 40;

export async function runPywb() {
  if (installPywb() === null) return [failure("pywb", `${PYWB} cannot be installed: python3 with venv and its registry are needed`)];
  const folder = mkdtempSync(join(tmpdir(), "stackroom-pywb-"));
  try {
    const archives = [at("web/app/public/sample.warc.gz")];
    const iana = join(process.env.STACKROOM_CORPUS ?? "", "files/pywb/iana.warc.gz");
    if (process.env.STACKROOM_CORPUS && existsSync(iana)) archives.push(iana);
    for (const archive of archives) copyFileSync(archive, join(folder, archive.split("/").at(-1)));
    const files = archives.map((archive) => archive.split("/").at(-1));
    ours(folder, ["cdx", ...files, "-o", "all.cdxj"]);
    ours(folder, ["cdx", ...files, "--format", "cdx11", "-o", "all.cdx"]);
    ours(folder, ["cdx", ...files, "--format", "zipnum", "-o", "cluster.idx"]);
    const collections = { json: "all.cdxj", columns: "all.cdx", cluster: "cluster.idx" };
    const config = Object.entries(collections).map(([name, index]) => `  ${name}: {index_paths: ${join(folder, index)}, archive_paths: ${folder}/}\n`);
    writeFileSync(join(folder, "config.yaml"), `collections:\n${config.join("")}`);
    const results = [];
    const pywb = await startPywb(folder);
    try {
      for (const name of Object.keys(collections)) results.push(await compare(name, pywb.origin, folder, collections[name]));
    } finally {
      pywb.close();
    }
    return [sum(results)];
  } catch (error) {
    return [failure("pywb", error.message)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ours(folder, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`stackroom ${args.join(" ")} gave ${status}: ${stderr}`);
  return stdout;
}

const rowsOf = (text) => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
const placeOf = ({ urlkey, timestamp, url, offset, length, filename }) => [urlkey, timestamp, url, offset, length, filename].join(" ");

async function compare(name, origin, folder, index) {
  const rows = rowsOf(ours(folder, ["lookup", index, "--url", "*", "--json"]).toString());
  const failures = [];
  let passed = 0;
  const check = (what, isRight) => {
    if (isRight) passed += 1;
    else failures.push(`pywb ${name}: ${what}`);
  };
  check("has rows", rows.length > 20);
  const byUrl = Map.groupBy ? Map.groupBy(rows, ({ urlkey }) => urlkey) : group(rows);
  for (const [key, own] of byUrl) {
    // What was posted, and what has no host, is asked for in other ways.
    if (key.includes("__wb_method") || !/^https?:/.test(own[0].url)) continue;
    const query = new URLSearchParams({ url: own[0].url, output: "json", allowFuzzy: "0" });
    const theirs = rowsOf(await (await fetch(`${origin}/${name}/cdx?${query}`)).text());
    const [a, b] = [own, theirs].map((list) => list.map(placeOf).sort());
    check(`${key}: ${b.length} of ${a.length} captures`, a.join("\n") === b.join("\n"));
  }
  const isServed = ({ urlkey, url, status, mime }) => /^https?:/.test(url) && status === "200" && mime !== "warc/revisit" && !urlkey.includes("__wb_method");
  const served = rows.filter(isServed);
  for (const { url, timestamp, filename, offset } of served.slice(0, BODIES)) {
    const response = await fetch(`${origin}/${name}/${timestamp}id_/${url}`);
    const theirs = digest(new Uint8Array(await response.arrayBuffer()));
    const own = digest(ours(folder, ["cat", filename, "--offset", String(offset), "--part", "body"]));
    check(`${timestamp} ${url}: status ${response.status}`, response.status === 200 && own === theirs);
  }
  say(`pywb ${name}: ${passed} right, ${failures.length} wrong`);
  return { passed, failed: failures.length, skipped: [], failures };
}

function group(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.urlkey, [...(groups.get(row.urlkey) ?? []), row]);
  return groups;
}

const digest = (bytes) => createHash("sha1").update(bytes).digest("hex");
