/** Addresses of objects of S3, and requests for them as Amazon documents them. A real server is asked by the deep test `s3`. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { argument } from "../../dist/cli/member.js";
import { ArchiveError } from "../../dist/lib/node.js";
import { referTo } from "../../dist/lib/open.js";
import { addressOf, httpAddress, objectAt, objectNamed } from "../../dist/lib/s3.js";
import { asker, settingOf, signed } from "../../dist/lib/s3request.js";

test("objects are named by bucket and key, and a key is taken as it stands", () => {
  expect(objectNamed("s3://crawls/2024/a b+c%20d?e#f.warc.gz")).toEqual({ bucket: "crawls", key: "2024/a b+c%20d?e#f.warc.gz" });
  for (const none of ["s3://crawls", "s3://crawls/", "s3:///key", "https://crawls/key", "crawls/key", ""]) expect(objectNamed(none)).toBeUndefined();
});

test("an address leads back to its object", () => {
  for (const key of ["a.warc.gz", "2024/a b+c%20d?e#f.warc.gz", "\u00e9/\u00fc!'()*.wacz", "%"]) {
    const object = { bucket: "crawls", key };
    expect(objectAt(addressOf(object))).toEqual(object);
  }
  for (const none of ["s3://crawls", "s3://crawls/%ff", "https://crawls/key", "s3:", ""]) expect(objectAt(none)).toBeUndefined();
});

test("an object is at its bucket's own host, but where that cannot have a certificate, or the store is another", () => {
  const object = { bucket: "crawls", key: "a b/c+d.gz" };
  expect(httpAddress(object)).toBe("https://crawls.s3.amazonaws.com/a%20b/c%2Bd.gz");
  expect(httpAddress(object, { region: "eu-west-2" })).toBe("https://crawls.s3.eu-west-2.amazonaws.com/a%20b/c%2Bd.gz");
  expect(httpAddress({ ...object, bucket: "old.crawls" })).toBe("https://s3.amazonaws.com/old.crawls/a%20b/c%2Bd.gz");
  expect(httpAddress({ ...object, bucket: "Crawls" }, { region: "eu-west-2" })).toBe("https://s3.eu-west-2.amazonaws.com/Crawls/a%20b/c%2Bd.gz");
  expect(httpAddress(object, { endpoint: "http://store.example:9000/", region: "eu" })).toBe("http://store.example:9000/crawls/a%20b/c%2Bd.gz");
});

test("a browser, which has no keys, asks Amazon for what is public", () => {
  for (const source of ["s3://crawls/a%20b.gz", new URL("s3://crawls/a b.gz")]) expect(referTo(source)).toEqual({ kind: "url", url: "https://crawls.s3.amazonaws.com/a%20b.gz" });
});

test("a request is signed as in Amazon's own example", () => {
  const { authorization } = signed({
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    method: "GET",
    headers: { range: "bytes=0-9" },
    keys: { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
    region: "us-east-1",
    now: new Date("2013-05-24T00:00:00Z"),
  });
  expect(authorization).toBe("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
});

test("keys and places are those that the AWS tools would take: of variables, else of a profile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stackroom-aws-"));
  const [credentials, config] = [join(folder, "credentials"), join(folder, "config")];
  writeFileSync(credentials, "# mine\n[default]\naws_access_key_id = A\naws_secret_access_key=B=\n\n[other]\naws_access_key_id = C\n aws_secret_access_key = no\naws_secret_access_key = D\naws_session_token = E\n");
  writeFileSync(config, "[default]\nregion = eu-west-1\n[profile other]\nregion = eu-north-1\nendpoint_url = http://store.example\n");
  const files = { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: config };
  expect(await settingOf(files)).toEqual({ endpoint: undefined, region: "eu-west-1", keys: { id: "A", secret: "B=", token: undefined } });
  expect(await settingOf({ ...files, AWS_PROFILE: "other" })).toEqual({ endpoint: "http://store.example", region: "eu-north-1", keys: { id: "C", secret: "D", token: "E" } });
  const variables = { AWS_ACCESS_KEY_ID: "F", AWS_SECRET_ACCESS_KEY: "G", AWS_REGION: "us-west-2", AWS_ENDPOINT_URL: "http://here.example" };
  expect(await settingOf({ ...files, ...variables })).toEqual({ endpoint: "http://here.example", region: "us-west-2", keys: { id: "F", secret: "G", token: undefined } });
  const nowhere = join(folder, "none");
  expect(await settingOf({ AWS_SHARED_CREDENTIALS_FILE: nowhere, AWS_CONFIG_FILE: nowhere })).toEqual({ endpoint: undefined, region: undefined, keys: undefined });
});

let asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  const region = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? "")?.[1];
  if (region === undefined) return void response.writeHead(403).end();
  if (region !== "eu-west-3") return void response.writeHead(400, { "x-amz-bucket-region": "eu-west-3" }).end();
  response.end("there");
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, resolve)));
afterAll(() => void server.close());
const endpoint = (): string => `http://localhost:${(server.address() as AddressInfo).port}`;

test("a bucket in another region is asked for there, and from then on at once", async () => {
  asked = [];
  const ask = asker({ endpoint: endpoint(), keys: { id: "A", secret: "B" } });
  expect(await (await ask("s3://crawls/a")).text()).toBe("there");
  expect(asked).toHaveLength(2);
  expect((await ask("s3://crawls/a", { method: "HEAD" })).ok).toBe(true);
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /crawls/a", "GET /crawls/a", "HEAD /crawls/a"]);
});

test("what is not public says which keys it lacks", async () => {
  const refused = await asker({ endpoint: endpoint() })("s3://crawls/a").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ArchiveError);
  expect(String(refused)).toMatch(/AWS_ACCESS_KEY_ID/);
  await expect(asker({})("s3://crawls/%ff")).rejects.toThrow(/no address of an object/);
});

test("a mark in a key is one of a member only behind the name of a file that may hold others", () => {
  expect(argument("s3://crawls/a!b/c.warc.gz")).toEqual({ file: "s3://crawls/a!b/c.warc.gz" });
  expect(argument("s3://crawls/a!b/c.wacz!archive/d!e.warc.gz")).toEqual({ file: "s3://crawls/a!b/c.wacz", member: "archive/d!e.warc.gz" });
  expect(argument("https://crawls.test/c.wacz!archive/d.warc.gz")).toEqual({ file: "https://crawls.test/c.wacz", member: "archive/d.warc.gz" });
});
