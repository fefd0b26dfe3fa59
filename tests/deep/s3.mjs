/**
 * Archives on a real server of S3, versitygw, read by the command line with its keys and by nobody without: every command
 * says of an object what it says of the file, whatever its key.
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { at } from "../../web/build/place.mjs";
import { installVersitygw, startVersitygw } from "../peers/versitygw.mjs";
import { failure } from "../rings/program.mjs";

const KEYS = { id: "deep", secret: "a secret/+of=ours" };
const NAMES = ["sample.warc.gz", "2024/05/a b+c%20d?e#f.warc.gz", "\u00e9/\u00fc!'()*&=.warc.gz"];

export async function runS3() {
  const program = installVersitygw();
  if (program === null) return [failure("s3", "versitygw cannot be built: Go and its module proxy are needed")];
  const folder = mkdtempSync(join(tmpdir(), "stackroom-s3-"));
  const sample = at("web/app/public/sample.warc.gz");
  for (const name of NAMES) {
    const object = join(folder, "data/crawls", name);
    mkdirSync(dirname(object), { recursive: true });
    copyFileSync(sample, object);
  }
  const gateway = await startVersitygw(program, join(folder, "data"), KEYS);
  // Nothing of who runs this.
  const place = { PATH: process.env.PATH, HOME: folder, AWS_ENDPOINT_URL: gateway.endpoint };
  const keys = { AWS_ACCESS_KEY_ID: KEYS.id, AWS_SECRET_ACCESS_KEY: KEYS.secret };
  const results = [];
  const holds = (name, isTrue, what = "") => results.push(isTrue ? { passed: 1, failed: 0, skipped: [], failures: [] } : failure(`s3: ${name}`, what));
  try {
    const local = await cli(["records", sample], place);
    for (const name of NAMES) {
      const remote = await cli(["records", `s3://crawls/${name}`], { ...place, ...keys });
      holds(`records of ${name}`, remote.out === local.out && remote.exit === local.exit && local.out.length > 1_000, remote.error);
    }
    const [key] = NAMES;
    const { offset } = local.out.trim().split("\n").map((line) => JSON.parse(line)).findLast(({ type }) => type === "response");
    const cats = await Promise.all([sample, `s3://crawls/${key}`].map((file) => cli(["cat", file, "--offset", String(offset), "--part", "body"], { ...place, ...keys })));
    holds("the body of one record", cats[0].out === cats[1].out && cats[0].out !== "", cats[1].error);

    const library = join(folder, "library");
    const added = await cli(["add", `s3://crawls/${key}`, "--to", library], { ...place, ...keys });
    holds("add", added.exit === 0 && JSON.parse(added.out).source === `s3://crawls/${key}`, added.error);
    const found = await cli(["search", library, "weather"], { ...place, ...keys });
    holds("search", found.exit === 0 && found.out !== "", found.error);

    const refusals = [
      ["without keys", `crawls/${key}`, {}, /AWS_ACCESS_KEY_ID/],
      ["with a wrong secret", `crawls/${key}`, { ...keys, AWS_SECRET_ACCESS_KEY: "another" }, /access is not allowed/],
      ["what is not there", "crawls/absent.warc.gz", keys, /there is no such file/],
      ["a bucket that is not there", "absent/a.warc.gz", keys, /there is no such file/],
    ];
    for (const [name, object, env, message] of refusals) {
      const refused = await cli(["records", `s3://${object}`], { ...place, ...env });
      holds(name, refused.exit === 2 && message.test(refused.error), `${refused.exit}: ${refused.error}`);
    }
  } catch (error) {
    results.push(failure("s3", error.message));
  } finally {
    gateway.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

function cli(args, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [at("dist/cli/main.js"), ...args], { env });
    const said = { out: "", error: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (said.error += text));
    child.on("close", (exit) => resolve({ ...said, exit }));
  });
}
