/** The rules of the repository, each proven able to fail. */
import { at } from "../../web/build/place.mjs";
import { runNodeTests } from "./nodetest.mjs";

export const minutes = 5;

export const run = () => runNodeTests("tidy", [at("tests/tidy/tidy.test.mjs"), at("tests/rings/rings.test.mjs")], { minutes });
