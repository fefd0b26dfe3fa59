/** Holds every tracked or new file to the rules, and every rule to its samples: a rule that cannot fail checks nothing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { importsOf, rules, withoutComments } from "./rules.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Tracked files, and those not tracked yet that git would take. */
const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => path !== "" && statSync(root + path, { throwIfNoEntry: false })?.isFile())
  .map((path) => ({ path, text: readFileSync(root + path, "latin1"), bytes: statSync(root + path).size }));

describe("the repository", () => {
  for (const { name, why, covers, check, how } of rules) {
    test(name, () => {
      const complaints = files
        .filter(({ path }) => covers(path))
        .flatMap(({ path, text, bytes }) => check(path, text, bytes).map((complaint) => `${path}: ${complaint}`));
      assert.deepEqual(complaints, [], `${name}: ${why}.${how ? ` ${how}` : ""}`);
    });
  }

  test("there are files to check", () => assert.ok(files.length > 20));
});

describe("each rule can fail", () => {
  for (const { name, covers, check, breaks } of rules) {
    for (const [path, text] of breaks) {
      test(`${name}: ${path}`, () => {
        assert.ok(covers(path), "the sample is not covered");
        assert.notDeepEqual(check(path, text, text.length), []);
      });
    }
  }
});

describe("what the rules read", () => {
  test("imports of every form are seen, comments are not", () => {
    const text = [
      'import a from "a";',
      'import "b";',
      'export { c } from "./c.js";',
      'const d = await import("d");',
      "type E = import('e').E;",
      'import {\n  f,\n} from "f";',
      '// import g from "g";',
      '/* import h from "h"; */',
    ].join("\n");
    assert.deepEqual(importsOf(text), ["a", "b", "./c.js", "d", "e", "f"]);
  });

  test("comments go, addresses in strings and lines stay", () => {
    assert.equal(withoutComments('a("https://x"); // b\n/* c\n */ d'), 'a("https://x"); \n    \n    d');
  });

  const allowed = {
    "the library has no document": [
      ["web/lib/a.ts", "const { window: w } = limits; frame.document; x['document']; // document.title"],
      ["web/lib/a.ts", "type Part = \"window\" | 'document'; const rows = windowOf(document_count);"],
    ],
    "only wasm/ names the browser": [["crate/src/lib.rs", "//! Only wasm/ names wasm_bindgen."]],
    "no paths of one machine": [["README.md", "https://example.org/work/x and target/work/ and ./root/x"]],
    "the viewer uses the public library only": [["web/app/views/a.ts", 'import { html } from "lit";\nimport { r } from "lit/directives/repeat.js";\nimport { s } from "../state.js";\nimport { A } from "stackroom";']],
    "the command line uses the public library only": [["web/cli/main.ts", 'import { openArchive } from "../lib/node.js";\nimport "node:fs";']],
  };
  for (const [name, samples] of Object.entries(allowed)) {
    test(`${name}: lets the innocent pass`, () => {
      const rule = rules.find((rule) => rule.name === name);
      for (const [path, text] of samples) assert.deepEqual(rule.check(path, text, text.length), []);
    });
  }
});
