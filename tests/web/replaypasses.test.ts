/** Bodies on their way to a page: cut anywhere they come out the same, and sets that are unlike ASCII come out as UTF-8. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { initSync, ReplayHosts } from "../../web/lib/wasm/rewrite.js";
import { Decoded, mustDecode, Prolog, Whole, type Rewriting } from "../../web/replay/passes.js";

let hosts: ReplayHosts;

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../../web/lib/wasm/rewrite_bg.wasm", import.meta.url)) });
  hosts = new ReplayHosts("http://", ".localhost:8585", "k3vq7a", false);
});

function through(rewriting: Rewriting, bytes: Uint8Array, piece: number): string {
  const out: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += piece) {
    rewriting.write(bytes.subarray(at, at + piece));
    out.push(Buffer.from(rewriting.take()));
  }
  rewriting.end();
  out.push(Buffer.from(rewriting.take()));
  rewriting.free();
  return Buffer.concat(out).toString();
}

const page = (text: string): string => `<p title="${text}"><a href="https://a.example/">${text}</a>`;
const replayed = (text: string): string => page(text).replace("https://a.example/", "http://a-example-k3vq7a.localhost:8585/");

test("pages in UTF-16 and ISO-2022-JP are rewritten in UTF-8, cut anywhere", () => {
  const text = "\u65e5\u672c\u8a9e";
  const little = Buffer.from(page(text), "utf16le");
  const big = Buffer.from(little).swap16();
  // The same three letters, between the escapes to JIS X 0208 and back.
  const inJis = Buffer.concat([Buffer.from("\x1b$B"), Buffer.from("467c4b5c386c", "hex"), Buffer.from("\x1b(B")]);
  const [before = "", between = "", after = ""] = page("|").split("|");
  const japanese = Buffer.concat([Buffer.from(before), inJis, Buffer.from(between), inJis, Buffer.from(after)]);
  for (const [charset, bytes] of [["utf-16le", little], ["UTF-16", little], ["utf-16be", big], ["iso-2022-jp", japanese]] as const) {
    expect(mustDecode(charset)).toBe(true);
    for (let piece = 1; piece <= bytes.length; piece += 1) {
      const decoded = new Decoded(hosts.html("utf-8", "", null), charset);
      expect(through(decoded, bytes, piece), `${charset} in pieces of ${piece}`).toBe(replayed(text));
      expect(decoded.charset).toBe("utf-8");
    }
  }
  for (const charset of [undefined, "utf-8", "windows-1252", "shift_jis", "euc-jp"]) expect(mustDecode(charset)).toBe(false);
});

test("style sheets are rewritten whole", () => {
  const bytes = Buffer.from("a{b:url(https://a.example/x)}");
  const rewriting = (): Whole => new Whole((css) => hosts.text("css", css));
  for (let piece = 1; piece <= bytes.length; piece += 1) {
    expect(through(rewriting(), bytes, piece)).toBe("a{b:url(http://a-example-k3vq7a.localhost:8585/x)}");
  }
  expect(through(rewriting(), Buffer.from("a{}"), 1)).toBe("a{}");
});

test("documents in XML have their style sheets mapped, and what comes first in their root", () => {
  const mapped = (url: string): string | undefined => hosts.replay_url(url);
  const replay = "http://a-example-k3vq7a.localhost:8585/";
  const prolog = (before: string, href: string): string => `<?xml version="1.0"?><!-- <not/> --><?xml-stylesheet type="text/css" href=${href}?>${before}`;
  for (const [text, expected] of [
    [`${prolog("", "'https://a.example/x?a&amp;b'")}<svg a=">"><p>`, `${prolog("", `"${replay}x?a&amp;b"`)}<svg a=">">FIRST<p>`],
    [`${prolog('<!DOCTYPE s:svg [<!ENTITY a "b">]>', '"near.css"')}<s:svg>\xe9`, `${prolog('<!DOCTYPE s:svg [<!ENTITY a "b">]>', '"near.css"')}<s:svg>FIRST\xe9`],
    ["<svg/>", "<svg/>"],
    ["no document", "no document"],
    ["", ""],
  ] as const) {
    const bytes = Buffer.from(text);
    for (let piece = 1; piece <= bytes.length + 1; piece += 1) {
      expect(through(new Prolog(null, mapped, "FIRST"), bytes, piece), `${text} in pieces of ${piece}`).toBe(expected);
    }
  }
  const picture = '<?xml-stylesheet href="https://a.example/"?><svg><image href="https://a.example/"/></svg>';
  const both = new Prolog(hosts.html("utf-8", "", null), mapped, "FIRST");
  expect(through(both, Buffer.from(picture), 7)).toBe(`<?xml-stylesheet href="${replay}"?><svg>FIRST<image href="${replay}" /></svg>`);
});

test("texts beyond what is held pass as they are", () => {
  const whole = new Whole(() => new Uint8Array());
  const part = new Uint8Array(20 << 20).fill(97);
  whole.write(part);
  whole.write(part);
  expect(whole.take().length).toBe(2 * part.length);
  whole.write(part);
  whole.end();
  expect(whole.take().length).toBe(part.length);
});
