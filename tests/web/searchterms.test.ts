/** The text of a query as the viewer changes it: terms found in it, added and taken away, and what is marked in a text. */
import { describe, expect, test } from "vitest";
import { patternOf, piecesOf } from "../../web/app/search/marks.js";
import { patternOfWords, withPhrases } from "../../web/app/search/phrases.js";
import { isAddress, isAsked, replaced, termAt, termOf, termsOf, toggled, wordsOf } from "../../web/app/search/terms.js";
import type { Hit, Stretch } from "../../web/lib/library/search.js";

const said = (text: string): string[] => termsOf(text).map(({ column, value, isNegated, depth }) => `${isNegated ? "-" : ""}${column ?? ""}:${value}@${depth}`);

describe("terms", () => {
  test("are found with columns, signs, quotes, expressions and brackets", () => {
    expect(said('harbour "old maps" -host:a.example title:"a \\"b\\"" body:/x y\\/z/i')).toEqual([":harbour@0", ":old maps@0", "-host:a.example@0", 'title:a "b"@0', "body:/x y\\/z/i@0"]);
    expect(said("(a or b) not status:404 url:http://x.example/(1)")).toEqual([":a@1", ":b@1", "-status:404@0", "url:http://x.example/(1)@0"]);
    expect(said("host: -")).toEqual(["host:@0", ":-@0"]);
  });

  test("stand where they stand in the text, and every text comes to an end", () => {
    expect(termAt("a host:b", 8)).toMatchObject({ column: "host", value: "b", from: 2, to: 8 });
    expect(termAt("a host:b ", 9)).toBeUndefined();
    const letters = ['"', "/", "\\", "(", ")", "-", ":", " ", "a", "or", "not"];
    let seed = 7;
    for (let round = 0; round < 3_000; round += 1) {
      let text = "";
      for (let n = 0; n < 12; n += 1) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        text += letters[seed % letters.length] ?? "";
      }
      let last = 0;
      for (const { from, to } of termsOf(text)) {
        expect(from, text).toBeGreaterThanOrEqual(last);
        expect(to, text).toBeGreaterThan(from);
        last = to;
      }
    }
  });

  test("are toggled, and the other sign is taken away", () => {
    expect(toggled("maps", "host", "a.example")).toBe("maps host:a.example");
    expect(toggled("maps host:a.example", "host", "a.example")).toBe("maps");
    expect(toggled("maps host:a.example", "host", "a.example", true)).toBe("maps -host:a.example");
    expect(toggled("maps and not host:a.example", "host", "a.example", true)).toBe("maps");
    expect(toggled("", "lang", "")).toBe("-lang:*");
    expect(toggled("-lang:*", "lang", "")).toBe("");
    expect(termOf("ext", "a b")).toBe('ext:"a b"');
  });

  test("are asked of all of a choice, and seen in brackets as part of it", () => {
    expect(toggled("a or b", "host", "x.example")).toBe("(a or b) host:x.example");
    expect(toggled("(a or b) host:x.example", "host", "x.example")).toBe("(a or b)");
    expect(isAsked("(host:x.example or b)", "host", "x.example")).toBe(false);
    expect(replaced("maps date:2012", "date", "2014-03..2015")).toBe("maps date:2014-03..2015");
    expect(replaced("maps date:2012", "date", undefined)).toBe("maps");
  });
});

test("URLs and pieces of them are told from what is searched for", () => {
  for (const text of ["https://a.example/x?y", "/images/", "a.example.org", "a.example.org/page", "example.org:8080/", "library/c"]) expect(isAddress(text), text).toBe(true);
  for (const text of ["harbour", "host:a.example", "two words", "3.14", "url:/x/", "a.example and more", ""]) expect(isAddress(text), text).toBe(false);
});

test("words are marked as the engine marked them, and as they were asked for", () => {
  const hit = { record: { row: 0, part: 0, offset: 0, length: 0, skip: 0, type: "response", size: 0, url: "" }, score: 1, count: 1, passages: [[{ text: "Old ", isMarked: false }, { text: "Harbours", isMarked: true }]] } as const;
  const marks = (text: string, query: string): string[] => {
    const pattern = patternOf(hit, query);
    return pattern === undefined ? [] : piecesOf(text, pattern).filter((_, at) => at % 2 === 1);
  };
  expect(wordsOf('harbour -gone title:maps host:x "two words" body:/a/')).toEqual(["harbour", "maps", "two words"]);
  expect(marks("harbours, HARBOUR and harbouring; archive, archiving", "harbour archiv*")).toEqual(["harbours", "HARBOUR", "archive", "archiving"]);
  expect(marks("a (b) c", '"(b)"')).toEqual(["(b)"]);
  expect(marks("open data, open-data, open the data", '"open data"')).toEqual(["open data", "open-data"]);
  // What could take for ever is not tried.
  expect(marks("aaaaaaaa", "body:/(a+)+$/")).toEqual([]);
});

test("of phrases only whole ones are marked, of words all", () => {
  const stretches = (text: string): Stretch[] => text.split("|").map((piece, at) => ({ text: piece, isMarked: at % 2 === 1 }));
  const said = (text: string, query: string): string =>
    (withPhrases({ passages: [stretches(text)] } as unknown as Hit, query).passages?.[0] ?? []).map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text)).join("");
  expect(said("new |stable| version, |stable| |release|. The |release", '"stable release"')).toBe("new stable version, [stable release]. The release");
  expect(said("|Caf\u00e9|-|Tr\u00e4ume| of |Tr\u00e4ume", '"cafe traume"')).toBe("[Caf\u00e9-Tr\u00e4ume] of Tr\u00e4ume");
  expect(said("new |stable| version, |stable| |release", 'stable "stable release"')).toBe("new [stable] version, [stable] [release]");
  // Letters that only the engine holds for the same.
  expect(said("|Stra\u00dfe| |frei", '"strasse frei"')).toBe("[Stra\u00dfe] [frei]");
  expect("stable and released".match(patternOfWords('"stable release"') ?? /^$/)).toEqual(["stable"]);
  expect(patternOfWords("stable")).toBeUndefined();
});
