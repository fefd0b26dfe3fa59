/** The shim maps addresses as the engine does: both are asked for the same ones, ordinary and hostile. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { initSync, ReplayHosts } from "../../web/lib/wasm/rewrite.js";
import { makeHosts } from "../../web/replay/shim/hosts.js";
import { sha256 } from "../../web/replay/shim/sha256.js";

const SALT = "k3vq7a";
const LAYOUT = { before: "http://", after: ".localhost:8585", salt: SALT, isHidden: false, viewer: "http://localhost:8585" };
const OWN = { protocol: "https:", host: "www.example.com" };

let engine: ReplayHosts;
const shim = makeHosts(LAYOUT, OWN);

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../../web/lib/wasm/rewrite_bg.wasm", import.meta.url)) });
  engine = new ReplayHosts(LAYOUT.before, LAYOUT.after, SALT, false);
});

/** Numbers from a seed, so that a failure can be seen again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pieces = [
  "a", "b9", "-", "--", ".", "p80", ":80", ":443", ":8080", ":123456", ":", "xn--", "x", "example", "com", "_", "@", "user:word@", "[::1]", "%41", " ",
  "\t", "/", "//", "\\", "?q", "#h", "..", "A", "Z.Z", "x2222222222aaaaaaaaaa", "a".repeat(70), "localhost", "127.0.0.1", "'", "\"", "<", "|", "^", "{", "k3vq7a",
];

test("digests are those of SHA-256", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7);
    expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});

test("ten thousand addresses are mapped as the engine maps them, and read back to the same host", () => {
  const pick = numbers(20261122);
  const schemes = ["https://", "http://", "//", "HTTPS://", "http:/", "", "https:\\\\", " https://", "ftp://", "javascript:"];
  let mapped = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const host = Array.from({ length: 1 + pick(6) }, () => pieces[pick(pieces.length)]).join("");
    const url = `${schemes[pick(schemes.length)]}${host}`;
    const expected = engine.replay_url(url) ?? url;
    expect(shim.toReplay(url), `address ${JSON.stringify(url)} of round ${round}`).toBe(expected);
    if (expected === url) continue;
    mapped += 1;
    const told = engine.archived(expected);
    // Addresses that no browser would parse are of no interest on the way back.
    if (told !== undefined && URL.canParse(expected)) expect(shim.toArchived(expected).replace(/^https?:\/\/|#[^]*$/g, ""), url).toBe(told);
  }
  expect(mapped).toBeGreaterThan(2000);
});

test("names beyond ASCII have the label of their punycode", () => {
  for (const url of ["https://b\u00fccher.example/", "https://\u4f8b\u3048.jp/a", "//B\u00dcCHER.example:81?x"]) expect(shim.toReplay(url)).toBe(engine.replay_url(url));
});

test("what is of a replay origin stays, and reads as the address that it was mapped from", () => {
  const url = "http://cdn.example.com/a?b#c";
  expect(shim.toReplay(shim.toReplay(url))).toBe(shim.toReplay(url));
  expect(shim.toArchived(shim.toReplay(url))).toBe(url);
  expect(shim.toArchived("http://other-example-k3vq7a.localhost:8585/x")).toBe("https://other.example/x");
  expect(shim.toArchived("http://other-example-aaaaaa.localhost:8585/x")).toBe("http://other-example-aaaaaa.localhost:8585/x");
  expect(shim.unmapped(`<a href="${shim.toReplay(url)}">k3vq7a`)).toBe(`<a href="${url}">k3vq7a`);
});

test("where hosts share an origin labels are in paths, as the engine has them, and one slash means the own host", () => {
  const layout = { ...LAYOUT, before: "http://replay.localhost:8585/-/", after: "" };
  const paths = makeHosts(layout, OWN);
  const own = new ReplayHosts(layout.before, "", SALT, false).at(OWN.host);
  for (const url of ["https://cdn.example.com/a?b", "//cdn.example.com", "/root?x", "/", "relative", "#part", "mailto:a@b"]) {
    expect(paths.rooted(url), url).toBe(own.replay_url(url) ?? url);
  }
  expect(paths.toReplay("/root")).toBe("/root");
  const replayed = "http://replay.localhost:8585/-/www-example-com-k3vq7a/root";
  expect(paths.toReplay("http://replay.localhost:8585/root")).toBe(replayed);
  expect(paths.toArchived("http://replay.localhost:8585/root")).toBe("https://www.example.com/root");
  expect([paths.toArchived(replayed), paths.toReplay(replayed)]).toEqual(["https://www.example.com/root", replayed]);
  expect(paths.toReplay("http://replay.localhost:8585/.wa/doc")).toBe("http://replay.localhost:8585/.wa/doc");
});

test("hidden labels tell no host, and the shim's are the engine's", () => {
  const told: string[] = [];
  const hidden = makeHosts({ ...LAYOUT, isHidden: true }, OWN, (host) => told.push(host));
  const engine = new ReplayHosts(LAYOUT.before, LAYOUT.after, SALT, true);
  const url = "https://cdn.example.com/a";
  expect(hidden.toReplay(url)).toBe(engine.replay_url(url));
  expect(hidden.toReplay(url)).not.toContain("example");
  expect(hidden.toArchived(hidden.toReplay(url))).toBe(url);
  expect(hidden.toArchived(engine.replay_url("https://www.example.com/") ?? "")).toBe("https://www.example.com/");
  expect(told).toEqual(["cdn.example.com"]);
});
