/** The sample archive, made by tests/sample into the viewer's public files, where both Vite and the build pick it up. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { runScript } from "./command.mjs";
import { at } from "./place.mjs";
import { step } from "./say.mjs";
import { digest, isFresh, leaveStamp } from "./stamp.mjs";

const maker = "tests/sample/make.mjs";
const output = "web/app/public/sample.warc.gz";
const made = () => digest(["tests/sample", "tests/fixtures/warc.mjs"]);

export const isSampleFresh = () => isFresh("sample", made(), [output]);

export async function makeSample() {
  if (isSampleFresh()) return;
  const stamp = made();
  mkdirSync(dirname(at(output)), { recursive: true });
  await step("writing the sample archive", "seconds", () => runScript(at(maker), ["--out", at(output)]));
  leaveStamp("sample", stamp);
}
