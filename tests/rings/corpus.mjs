/** The corpus of real archives: beside the repository, or where STACKROOM_CORPUS says. Not part of the repository. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { at } from "../../web/build/place.mjs";

/** Its folder, or null where there is none. Tests find it in STACKROOM_CORPUS alone. */
export function findCorpus() {
  const folder = resolve(process.env.STACKROOM_CORPUS || at("../shared/corpus"));
  return existsSync(`${folder}/golden`) ? folder : null;
}
