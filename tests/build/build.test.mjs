/** The set-up's own rules: what it asks of a machine, when it skips a step, and that two builds do not mix. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../web/build/place.mjs";
import { isAtLeast, requireNode, requireRust, versionIn } from "../../web/build/require.mjs";

describe("tools", () => {
  test("versions compare by number, not by text", () => {
    assert.ok(isAtLeast("1.100.0", "1.24"));
    assert.ok(isAtLeast("1.24.0", "1.24"));
    assert.ok(!isAtLeast("1.9.3", "1.24"));
    assert.equal(versionIn("wasm-bindgen 0.2.130\n"), "0.2.130");
    assert.equal(versionIn(null), null);
  });

  test("Node is taken where Vite runs", () => {
    for (const fine of ["20.19.0", "20.20.2", "22.12.0", "24.1.0", "30.0.0"]) requireNode(fine);
    for (const old of ["18.20.0", "20.18.3", "21.7.0", "22.11.0"]) assert.throws(() => requireNode(old), /too old: .*Get one at/);
  });

  test("a missing or old rustup is one line: what, why, how", () => {
    assert.throws(() => requireRust(null), /^Error: rustup is missing: the engine is Rust.*https:\/\/rustup\.rs[^\n]*$/);
    assert.throws(() => requireRust("1.20.0"), /^Error: rustup 1\.20\.0 is too old: [^\n]*`rustup self update`\.$/);
    requireRust("1.28.2");
  });

  test("a stop is shown without a stack and fails the command", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [at("web/build/start.mjs"), "--port", "many"], { encoding: "utf8" });
    assert.equal(status, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^stackroom: cannot start: --port many is not a number\. Usage: [^\n]+\n$/);
  });
});

/** The build's files work on the repository that they lie in, so they are tried on a small copy of one. */
describe("in a clone", () => {
  let clone;
  const script = (code) => ["--input-type=module", "--eval", code];
  const build = (name) => JSON.stringify(pathToFileURL(join(clone, "web/build", name)).href);

  before(() => {
    clone = mkdtempSync(join(tmpdir(), "stackroom-build-"));
    mkdirSync(join(clone, "web/build"), { recursive: true });
    for (const name of ["place", "say", "stamp", "turn", "sizes"]) {
      writeFileSync(join(clone, `web/build/${name}.mjs`), readFileSync(at(`web/build/${name}.mjs`)));
    }
    mkdirSync(join(clone, "src"));
    writeFileSync(join(clone, "src/a"), "1");
  });
  after(() => rmSync(clone, { recursive: true }));

  test("a step is fresh only with the same inputs and its outputs there", () => {
    const code = `
      import { digest, forgetStamp, isFresh, leaveStamp } from ${build("stamp.mjs")};
      import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
      const fresh = () => isFresh("x", digest(["src", "absent"], "fact"), ["src/a"]);
      const seen = [fresh()];
      leaveStamp("x", digest(["src", "absent"], "fact"));
      utimesSync("src/a", 1, 1);
      seen.push(fresh());
      writeFileSync("src/a", "2"); seen.push(fresh());
      writeFileSync("src/a", "1"); seen.push(fresh());
      renameSync("src/a", "src/b"); seen.push(fresh());
      renameSync("src/b", "src/a"); writeFileSync("src/c", ""); seen.push(fresh());
      rmSync("src/c"); seen.push(fresh(), isFresh("x", digest(["src", "absent"], "fact"), ["src/z"]));
      forgetStamp("x"); seen.push(fresh());
      console.log(JSON.stringify(seen));`;
    const { stdout, stderr } = spawnSync(process.execPath, script(code), { cwd: clone, encoding: "utf8" });
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), [false, true, false, true, false, false, true, false, false]);
  });

  test("builds take turns, and a dead one's turn is taken over", async () => {
    mkdirSync(join(clone, "target/stamps"), { recursive: true });
    const { pid } = spawnSync(process.execPath, ["--eval", ""]);
    writeFileSync(join(clone, "target/stamps/turn"), String(pid));
    const code = `
      import { inTurn } from ${build("turn.mjs")};
      import { appendFileSync } from "node:fs";
      await inTurn(async () => {
        appendFileSync("log", "<");
        await new Promise((resolve) => setTimeout(resolve, 50));
        appendFileSync("log", ">");
      });`;
    const ends = [1, 2, 3].map(() => new Promise((resolve) => spawn(process.execPath, script(code), { cwd: clone, stdio: "ignore" }).on("exit", resolve)));
    assert.deepEqual(await Promise.all(ends), [0, 0, 0]);
    assert.equal(readFileSync(join(clone, "log"), "utf8"), "<><><>");
  });

  test("the first load counts what is fetched first, and stops a build that is too big", () => {
    mkdirSync(join(clone, "dist/app/assets/lazy"), { recursive: true });
    // Random bytes do not compress.
    const noise = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> ((i % 3) * 8)) & 255));
    writeFileSync(join(clone, "dist/app/index.html"), '<script type="module" src="/assets/main-1.js"></script>');
    writeFileSync(join(clone, "dist/app/assets/main-1.js"), 'import{a}from"./shared-1.js";a();');
    writeFileSync(join(clone, "dist/app/assets/shared-1.js"), noise);
    // Of those in assets/lazy only.
    writeFileSync(join(clone, "dist/app/assets/rare-1.js"), noise);
    writeFileSync(join(clone, "dist/app/assets/lazy/tools-1.wasm"), noise);
    writeFileSync(join(clone, "dist/app/sample.warc.gz"), noise);
    const code = `
      import { firstLoad, firstLoadBytesMax, reportFirstLoad } from ${build("sizes.mjs")};
      console.log(JSON.stringify(firstLoad().map((file) => file.path)), firstLoadBytesMax);
      reportFirstLoad();`;
    const run = () => spawnSync(process.execPath, script(code), { cwd: clone, encoding: "utf8" });
    assert.equal(run().stdout.trim(), '["dist/app/assets/shared-1.js","dist/app/index.html","dist/app/assets/main-1.js"] 211000');
    assert.equal(run().status, 0);
    writeFileSync(join(clone, "dist/app/index.html"), Buffer.concat([noise, noise.reverse()]));
    assert.match(run().stderr, /the limit is 211\.0 kB/);
    assert.equal(run().status, 1);
  });
});
