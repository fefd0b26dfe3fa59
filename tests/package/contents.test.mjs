/** What is in the tarball, and whether its package.json tells the truth about it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { at } from "../../web/build/place.mjs";
import { wasmModules } from "../../web/build/wasm.mjs";
import { pack, project } from "./installed.mjs";

const packed = pack();
after(() => packed.remove());

const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));

test("every WASM module is there", () => {
  for (const name of wasmModules) assert.ok(packed.paths.includes(`dist/lib/wasm/${name}_bg.wasm`), name);
});

test("everything that package.json names is there", () => {
  const named = [...Object.values(manifest.bin), ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)))];
  for (const path of named) assert.ok(packed.paths.includes(path.replace(/^\.\//, "")), path);
});

test("the viewer is there for the command line to serve", () => {
  assert.ok(packed.paths.includes("dist/app/index.html"));
});

test("licences are there", () => {
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) assert.ok(packed.paths.includes(name), name);
});

test("nothing else is there", () => {
  const fine = /^(?:package\.json|README\.md|LICENSE-(?:MIT|APACHE)|dist\/(?:lib|cli|serve|replay|element)\/(?:[\w./-]+\.(?:js|d\.ts|wasm))|dist\/replay\/boot\.html|dist\/app\/.+)$/;
  const junk = /(?:\.map|\.tsbuildinfo|\.test\.\w+|\.gitignore|(?<!\.d)\.ts)$/;
  assert.deepEqual(packed.paths.filter((path) => !fine.test(path) || junk.test(path)), []);
});

test("it depends on nothing", () => {
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) assert.equal(manifest[kind], undefined, kind);
});

test("publint has no complaint", async () => {
  const { folder } = project(packed, "linted");
  const pkgDir = `${folder}/node_modules/stackroom`;
  const { messages } = await publint({ pkgDir, pack: false, strict: true });
  const pkg = JSON.parse(readFileSync(`${pkgDir}/package.json`, "utf8"));
  assert.deepEqual(messages.map((message) => formatMessage(message, pkg, { color: false })), []);
});
