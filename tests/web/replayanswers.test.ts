/** What answers to archived pages are made of: bodies and their parts, headers, cookies, times, the page of what is missing. */
import { describe, expect, test } from "vitest";
import { Journal } from "../../dist/replay/journal.js";
import type { Get } from "../../dist/replay/messages.js";
import { missingPage } from "../../dist/replay/standins.js";
import { cut, type Entity } from "../../dist/replay/entity.js";
import { guessedType } from "../../dist/replay/guessed.js";
import { keptHeaders, stateType } from "../../dist/replay/recorded.js";
import { Jar } from "../../dist/replay/cookies.js";

const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);
const whole: Entity = { status: 200, statusText: "OK", headers: [["content-type", "video/mp4"]], body: bytes };
/** Bytes 20 to 59 of 100, as a crawler had asked for. */
const part: Entity = { ...whole, status: 206, body: bytes.slice(20, 60), part: { start: 20, size: 100 } };
const beginning: Entity = { ...whole, status: 206, body: bytes.slice(0, 60), part: { start: 0, size: 100 } };

async function asked(entity: Entity, header: string | null): Promise<[status: number, range: string | undefined, first: number | undefined, length: number]> {
  const { status, headers, body } = cut(entity, header);
  const got = new Uint8Array(body instanceof Blob ? await body.arrayBuffer() : (body ?? new ArrayBuffer(0)));
  return [status, headers.find(([name]) => name === "content-range")?.[1], got[0], got.length];
}

describe("of a whole file", () => {
  test("ranges are cut to the byte, from bytes and from a Blob", async () => {
    for (const entity of [whole, { ...whole, body: new Blob([bytes]) }]) {
      expect(await asked(entity, null)).toEqual([200, undefined, 0, 100]);
      expect(await asked(entity, "bytes=0-")).toEqual([206, "bytes 0-99/100", 0, 100]);
      expect(await asked(entity, "bytes=10-19")).toEqual([206, "bytes 10-19/100", 10, 10]);
      expect(await asked(entity, "bytes=-5")).toEqual([206, "bytes 95-99/100", 95, 5]);
      expect(await asked(entity, "bytes=100-")).toEqual([416, "bytes */100", undefined, 0]);
    }
  });

  test("an error has no ranges", async () => {
    expect(await asked({ ...whole, status: 404 }, "bytes=0-9")).toEqual([404, undefined, 0, 100]);
  });
});

describe("of a part of a file", () => {
  test("what lies in it is given, what lies outside is refused", async () => {
    expect(await asked(part, "bytes=20-29")).toEqual([206, "bytes 20-29/100", 20, 10]);
    expect(await asked(part, "bytes=50-")).toEqual([206, "bytes 50-59/100", 50, 10]);
    expect(await asked(part, "bytes=0-")).toEqual([416, "bytes */100", undefined, 0]);
    expect(await asked(part, null)).toEqual([206, "bytes 20-59/100", 20, 40]);
  });

  test("its beginning is better than nothing to who wants all", async () => {
    expect(await asked(beginning, null)).toEqual([200, undefined, 0, 60]);
    expect(await asked(beginning, "bytes=40-")).toEqual([206, "bytes 40-59/100", 40, 20]);
  });
});

test("headers stay but for those that reach outside, and addresses in them are mapped", () => {
  const mapped = (url: string): string | undefined => (url.startsWith("https:") ? url.replace("https://", "http://mapped.") : undefined);
  const kept = keptHeaders(
    [
      ["Content-Type", "text/html"],
      ["Location", "/next?a=1"],
      ["Refresh", "5; url='https://b.example/x'"],
      ["refresh", "0;url=mailto:a@b"],
      ["Set-Cookie", "a=b"],
      ["Content-Security-Policy", "default-src *"],
      ["Link", "<https://c.example>; rel=preconnect"],
      ["Bad Name", "x"],
      ["X-Odd", "\u4e2d"],
      ["X-Own", "stays"],
    ],
    "https://a.example/page",
    mapped,
  );
  expect(kept).toEqual([
    ["content-type", "text/html"],
    ["location", "http://mapped.a.example/next?a=1"],
    ["refresh", "5; url=http://mapped.b.example/x"],
    ["x-own", "stays"],
    ["cache-control", "no-cache"],
  ]);
});

test("cookies are those that scripts of the host could read", () => {
  const jar = new Jar();
  jar.take("www.a.example:8080", [["Set-Cookie", "one=1; Path=/"], ["set-cookie", "secret=2; HttpOnly"], ["Set-Cookie", "wide=3; Domain=a.example"], ["Set-Cookie", "other=4; Domain=b.example"]]);
  expect(jar.at("www.a.example")).toBe("one=1; wide=3");
  expect(jar.at("a.example")).toBe("wide=3");
  expect(jar.at("b.example")).toBe("");
  jar.set("www.a.example", "one=; Max-Age=0");
  expect(jar.at("www.a.example")).toBe("wide=3");
});

test("resources are of the time of their page, and links lead around that of the page that was asked for", () => {
  const journal = new Journal();
  const get = (mode: string, clientId = "", resultingClientId = ""): Get =>
    ({ op: "get", v: 2, id: 1, url: "http://a/", method: "GET", mode, dest: "", range: null, clientId, resultingClientId, type: "" });
  journal.visit(1000);
  expect(journal.timeFor(get("navigate"))).toBe(1000);
  journal.note(get("navigate"), { url: "https://a/", row: 1, captured: 400, status: 301 });
  journal.note(get("navigate", "", "page"), { url: "https://a/b", row: 2, captured: 1200, status: 200 });
  expect(journal.timeFor(get("cors", "page"))).toBe(1200);
  expect(journal.timeFor(get("navigate", "page"))).toBe(1200);
  journal.note(get("navigate", "page", "frame"), { url: "https://b/", row: 3, captured: 5000, status: 200 });
  expect(journal.timeFor(get("no-cors", "frame"))).toBe(5000);
  expect(journal.timeFor(get("navigate"))).toBe(1200);
  expect(journal.timeFor(get("cors", "nobody"))).toBe(1200);
});

test("the page of what is missing is text, whatever the address wants to be", () => {
  const url = `https://a.example/"><script>alert(1)</script>&amp;'`;
  const row = { row: 1, part: 0, offset: 0, length: 1, skip: 0, type: "response", size: 1, captured: 0, url } as const;
  const page = missingPage({ url, isIncomplete: true, similar: [{ row, address: `http://x/"onclick="` }] });
  expect(page).not.toMatch(/<script|"onclick|">"/);
  expect(page).toContain("still being read");
  expect(page).toContain("1970-01-01");
});

test("types that a browser guesses past are stated, and no others", () => {
  for (const [dest, stated, expected] of [
    ["script", "text/plain; charset=koi8-r", "text/javascript; charset=koi8-r"],
    ["script", "application/x-javascript", "application/x-javascript"],
    ["script", "image/png", "image/png"],
    ["style", "untyped", "text/css"],
    ["style", "text/plain", "text/plain"],
    ["image", "text/plain", "text/plain"],
  ] as const) {
    const headers: [string, string][] = [["content-type", stated]];
    stateType(headers, dest);
    expect(headers).toEqual([["content-type", expected]]);
    const barred: [string, string][] = [["content-type", stated], ["x-content-type-options", "nosniff"]];
    stateType(barred, dest);
    expect(barred[0]).toEqual(["content-type", stated]);
  }
  const none: [string, string][] = [];
  stateType(none, "script");
  expect(none).toEqual([["content-type", "text/javascript"]]);
});

test("a document without a type is what it begins as", () => {
  const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const types: Record<string, string> = {
    "<!DOCTYPE html><title>x": "text/html",
    "\r\n\t <p >x": "text/html",
    "<!-- a crawler wrote this --><html>": "text/html",
    "<pre>x": "text/plain",
    "<?xml version='1.0'?><a/>": "text/xml",
    "%PDF-1.4": "application/pdf",
    "\x89PNG\r\n\x1a\n": "image/png",
    "\xef\xbb\xbf<html>": "text/plain",
    "a\0b": "application/octet-stream",
    "words": "text/plain",
    "": "text/plain",
  };
  for (const [start, type] of Object.entries(types)) expect([start, guessedType(latin1(start))]).toEqual([start, type]);
  expect(guessedType(latin1(`${" ".repeat(3_000)}<html>`))).toBe("text/plain");
});
