/**
 * `npm test`: sets everything up, runs every ring, ends with one line. `npm test -- rust tidy` runs those rings only.
 * A ring that cannot run has failed. A skip that tests/skips.json does not allow is a failure.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { buildAll } from "../web/build/build.mjs";
import { at } from "../web/build/place.mjs";
import { seconds } from "../web/build/say.mjs";
import { findCorpus } from "./rings/corpus.mjs";
import { failure, sum } from "./rings/program.mjs";

const ringNames = ["tidy", "rust", "typescript", "sizes", "packaging", "browsers"];

const print = (line) => process.stdout.write(`${line}\n`);
const closing = (result) => `${result.passed} passed, ${result.failed} failed, ${result.skipped.length} skipped`;

/** Skips that the list does not allow become failures. */
function judged(ring, result, isCorpusThere) {
  const allowed = JSON.parse(readFileSync(at("tests/skips.json"), "utf8")).filter(
    (entry) => entry.ring === ring && !(entry.when === "no corpus" && isCorpusThere),
  );
  const isAllowed = (name) => allowed.some((entry) => name.includes(entry.name));
  const wrong = result.skipped.filter((name) => !isAllowed(name));
  return sum([
    { ...result, skipped: result.skipped.filter(isAllowed) },
    ...wrong.map((name) => failure(name, "skipped, and tests/skips.json does not allow it")),
  ]);
}

async function timed(name, work) {
  print(`\n== ${name}`);
  const start = performance.now();
  let result;
  try {
    result = await work();
  } catch (error) {
    result = failure(name, `could not run: ${error.message}`);
  }
  const time = seconds(performance.now() - start);
  print(`== ${name}: ${closing(result)} in ${time}`);
  return { name, time, result };
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !ringNames.includes(name));
if (unknown.length > 0) {
  print(`There is no ring called ${unknown.join(", ")}. The rings are: ${ringNames.join(", ")}.`);
  process.exit(2);
}

const start = performance.now();
mkdirSync(at("test-results"), { recursive: true });
const corpus = findCorpus();
print(corpus ? "The corpus is there." : "No corpus (../shared/corpus or STACKROOM_CORPUS): its cases are skipped.");
if (corpus) process.env.STACKROOM_CORPUS = corpus;
else delete process.env.STACKROOM_CORPUS;

const setUp = await timed("set-up", async () => {
  await buildAll();
  return { passed: 0, failed: 0, skipped: [], failures: [] };
});
const rings = [setUp];
for (const name of ringNames.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  rings.push(await timed(name, async () => {
    const ring = await import(`./rings/${name}.mjs`);
    return judged(name, await ring.run(), corpus !== null);
  }));
}

const total = sum(rings.map((ring) => ring.result));
print("");
for (const { name, time, result } of rings) print(`${name.padEnd(12)} ${closing(result).padEnd(42)} ${time}`);
print(`total ${seconds(performance.now() - start)}`);
for (const line of total.failures) print(`FAILED ${line}`);
for (const line of total.unsteady) print(`unsteady ${line}: failed once, held by itself`);
for (const line of new Set(total.skipped)) print(`skipped ${line}`);
print(closing(total));
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
