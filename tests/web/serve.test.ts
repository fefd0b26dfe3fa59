/** The server over real sockets: who is served what, validators, ranges, and what it must never hand out. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { audienceOf } from "../../web/serve/hosts.js";
import { rangeOf } from "../../web/serve/range.js";
import { type RunningServer, startServer } from "../../web/serve/server.js";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let folder: string;
let server: RunningServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stackroom-serve-"));
  const root = join(folder, "app");
  mkdirSync(join(root, "assets"), { recursive: true });
  mkdirSync(join(root, ".vite"));
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(root, "index.html"), "<!doctype html><title>viewer</title>");
  writeFileSync(join(root, "assets", "main-D4cXb2_a.js"), "0123456789");
  writeFileSync(join(root, "assets", "engine_bg-D4cXb2_a.wasm"), "\0asm");
  writeFileSync(join(root, "sample.warc.gz"), "gz");
  writeFileSync(join(root, "empty.txt"), "");
  writeFileSync(join(root, ".vite", "manifest.json"), "{}");
  symlinkSync(join(folder, "secret.txt"), join(root, "link.txt"));
  server = await startServer({ root, port: 0 });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** fetch() would tidy up paths and forbids Host, so requests are made by hand. */
function ask(path: string, { method = "GET", headers = {}, address = "127.0.0.1" }: { method?: string; headers?: Record<string, string>; address?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { Host: `localhost:${server.port}`, ...headers };
    const request = httpRequest({ host: address, port: server.port, path, method, headers: all, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("error", reject).end();
  });
}

const script = "/assets/main-D4cXb2_a.js";

describe("addresses", () => {
  test("serves the same files on 127.0.0.1 and ::1", async () => {
    const [v4, v6] = [await ask("/"), await ask("/", { address: "::1" })];
    expect(v4.status).toBe(200);
    expect(v6.body).toBe(v4.body);
    expect(server.url).toBe(`http://localhost:${server.port}/`);
  });

  test("refuses a given port that is taken", async () => {
    await expect(startServer({ root: folder, port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("takes the next port when only the other loopback address is taken", async () => {
    const { listen, loopbackAddresses } = await import("../../web/serve/listen.js");
    const blocker = createServer();
    const taken = await new Promise<number>((resolve) => {
      blocker.listen({ host: "::1", port: 0 }, () => resolve((blocker.address() as AddressInfo).port));
    });
    const made: Server[] = [];
    const make = (): Server => {
      const one = createServer();
      made.push(one);
      return one;
    };
    const { port, servers } = await listen(make, loopbackAddresses, taken, false);
    expect(port).toBeGreaterThan(taken);
    expect(servers).toHaveLength(2);
    for (const one of [...servers, blocker]) one.close();
    expect(made.filter((one) => one.listening)).toHaveLength(0);
  });

  test("frees its port when closed, with a connection open", async () => {
    const other = await startServer({ root: folder, port: 0 });
    const socket = connect(other.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const gone = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    await other.close();
    await gone;
    const again = await startServer({ root: folder, port: other.port });
    await again.close();
  });
});

describe("hosts", () => {
  test.each([
    ["localhost", "viewer"],
    ["LOCALHOST:8585", "viewer"],
    ["localhost.:8585", "viewer"],
    ["127.0.0.1:8585", "viewer"],
    ["[::1]:8585", "viewer"],
    ["x.localhost:8585", "replay"],
    ["a.b.localhost", "replay"],
    ["evil.example", "stranger"],
    ["localhost.evil.example", "stranger"],
    ["127.0.0.1.evil.example:8585", "stranger"],
    ["notlocalhost", "stranger"],
    ["user@localhost", "stranger"],
    ["localhost:8585:1", "stranger"],
    ["", "stranger"],
    [undefined, "stranger"],
  ])("%s is a %s", (host, audience) => expect(audienceOf(host)).toBe(audience));

  test("a rebinding name is refused and sees no file", async () => {
    const answer = await ask("/", { headers: { Host: `evil.example:${server.port}` } });
    expect(answer.status).toBe(421);
    expect(answer.body).not.toContain("viewer");
  });

  test("a replay origin sees no file of the viewer", async () => {
    const answer = await ask(script, { headers: { Host: `x.localhost:${server.port}` } });
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain("0123");
  });
});

describe("headers", () => {
  test("every answer carries the policy, errors too", async () => {
    const stranger = { headers: { Host: "evil.example" } };
    for (const answer of [await ask("/"), await ask(script), await ask("/nothing"), await ask("/", stranger)]) {
      expect(answer.headers["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval';");
      expect(answer.headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe-inline/);
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
      expect(answer.headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(answer.headers["referrer-policy"]).toBe("no-referrer");
    }
  });

  test.each([
    ["/", "text/html; charset=utf-8"],
    [script, "text/javascript; charset=utf-8"],
    ["/assets/engine_bg-D4cXb2_a.wasm", "application/wasm"],
    ["/sample.warc.gz", "application/gzip"],
  ])("%s is %s", async (path, type) => {
    const answer = await ask(path);
    expect(answer.headers["content-type"]).toBe(type);
    expect(answer.headers["content-encoding"]).toBeUndefined();
  });

  test("only names made from the content are kept for good", async () => {
    expect((await ask(script)).headers["cache-control"]).toContain("immutable");
    expect((await ask("/")).headers["cache-control"]).toBe("no-cache");
    expect((await ask("/sample.warc.gz")).headers["cache-control"]).toBe("no-cache");
  });

  test("a known version is not sent again", async () => {
    const etag = (await ask("/")).headers.etag ?? "";
    for (const list of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await ask("/", { headers: { "If-None-Match": list } });
      expect([answer.status, answer.body]).toEqual([304, ""]);
    }
    expect((await ask("/", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });
});

describe("ranges", () => {
  test.each([
    ["bytes=2-4", 206, "bytes 2-4/10", "234"],
    ["bytes=7-", 206, "bytes 7-9/10", "789"],
    ["bytes=-3", 206, "bytes 7-9/10", "789"],
    ["bytes=0-99", 206, "bytes 0-9/10", "0123456789"],
    ["bytes=-99", 206, "bytes 0-9/10", "0123456789"],
    ["bytes=10-", 416, "bytes */10", ""],
    ["bytes=-0", 416, "bytes */10", ""],
    ["bytes=4-2", 200, undefined, "0123456789"],
    ["bytes=0-1,4-5", 200, undefined, "0123456789"],
    ["lines=0-1", 200, undefined, "0123456789"],
    ["bytes=-", 200, undefined, "0123456789"],
  ])("%s -> %i", async (range, status, contentRange, body) => {
    const answer = await ask(script, { headers: { Range: range } });
    expect([answer.status, answer.headers["content-range"], answer.body]).toEqual([status, contentRange, body]);
    if (status !== 416) expect(answer.headers["content-length"]).toBe(String(body.length));
  });

  test("an empty file has no range", () => {
    expect(rangeOf("bytes=0-", 0)).toBe("unsatisfiable");
    expect(rangeOf(undefined, 0)).toBe("whole");
  });

  test("an empty file is sent whole", async () => expect((await ask("/empty.txt")).status).toBe(200));

  test("a range of another version is answered whole", async () => {
    const { etag } = (await ask(script)).headers;
    const headers = { Range: "bytes=0-1" };
    expect((await ask(script, { headers: { ...headers, "If-Range": etag ?? "" } })).status).toBe(206);
    expect((await ask(script, { headers: { ...headers, "If-Range": '"other"' } })).status).toBe(200);
  });

  test("HEAD says the length and sends nothing", async () => {
    const answer = await ask(script, { method: "HEAD" });
    expect([answer.status, answer.headers["content-length"], answer.body]).toEqual([200, "10", ""]);
  });
});

describe("what is never handed out", () => {
  test.each([
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/..%5csecret.txt",
    "/%252e%252e/secret.txt",
    "//secret.txt",
    "/link.txt",
    "/.vite/manifest.json",
    "/assets",
    "/assets/",
    "/index.html%00.js",
    "/%zz",
    "/nothing",
    "*",
  ])("%s", async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.body).toBe("There is no such file.\n");
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s is not answered", async (method) => {
    const answer = await ask("/", { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test("a query does not matter", async () => expect((await ask("/?src=https://example.org/a.warc")).status).toBe(200));
});
