/**
 * `npm run test:deep -- NAME`: the full counts that `npm test` takes seeded samples of, minutes to hours each.
 * Without a name it lists them. Every run leaves a dated record in tests/deep/records: what ran, on what, with what result.
 * The tests themselves are the ordinary ones; they widen their loops when STACKROOM_DEEP is 1.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { buildAll } from "../web/build/build.mjs";
import { ask } from "../web/build/command.mjs";
import { at } from "../web/build/place.mjs";
import { say, seconds } from "../web/build/say.mjs";
import { deepTests } from "./deep/list.mjs";
import { findCorpus } from "./rings/corpus.mjs";
import { failure, sum } from "./rings/program.mjs";

const [name] = process.argv.slice(2);
const chosen = Object.hasOwn(deepTests, name ?? "") ? deepTests[name] : null;

function list() {
  say("Usage: npm run test:deep -- NAME");
  for (const [known, { what, takes }] of Object.entries(deepTests)) say(`  ${known.padEnd(16)} ${what} (${takes})`);
}

/** What was asked for by the environment, since it says how much a record is worth. */
function settings() {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => /^STACKROOM_(?!CORPUS|DEEP)/.test(key)));
}

async function runChosen() {
  const corpus = findCorpus();
  if (corpus) process.env.STACKROOM_CORPUS = corpus;
  else delete process.env.STACKROOM_CORPUS;
  process.env.STACKROOM_DEEP = "1";
  const start = performance.now();
  let result;
  let figures = [];
  try {
    await buildAll();
    result = chosen.needsCorpus && corpus === null ? failure(name, "there is no corpus (STACKROOM_CORPUS)") : sum(await chosen.run());
    figures = result.figures ?? [];
  } catch (error) {
    result = failure(name, `could not run: ${error.message}`);
  }
  // A deep run is the full count: nothing may be left out of it.
  result = sum([{ ...result, skipped: [] }, ...result.skipped.map((skipped) => failure(skipped, "skipped in a deep run"))]);
  const date = new Date().toISOString();
  const record = {
    name,
    date,
    commit: ask("git", ["rev-parse", "HEAD"]),
    hasUncommittedChanges: ask("git", ["status", "--porcelain"]) !== "",
    machine: { platform: platform(), arch: arch(), cores: cpus().length, cpu: cpus()[0]?.model, memoryBytes: totalmem() },
    settings: settings(),
    tools: { node: process.version, rustc: ask("rustc", ["--version"]) },
    durationSeconds: Math.round((performance.now() - start) / 1000),
    passed: result.passed,
    failed: result.failed,
    failures: result.failures,
    ...(figures.length > 0 && { figures }),
  };
  const file = `tests/deep/records/${date.slice(0, 19).replaceAll(":", "")}-${name}.json`;
  mkdirSync(at("tests/deep/records"), { recursive: true });
  writeFileSync(at(file), `${JSON.stringify(record, null, 2)}\n`);
  for (const line of result.failures) say(`FAILED ${line}`);
  say(`${name} took ${seconds(performance.now() - start)}, recorded in ${file}`);
  process.stdout.write(`${result.passed} passed, ${result.failed} failed, 0 skipped\n`);
  process.exitCode = result.failed > 0 ? 1 : 0;
}

if (chosen) await runChosen();
else {
  list();
  process.exitCode = name === undefined ? 0 : 2;
}
