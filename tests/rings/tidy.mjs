/** The rules of the repository, each proven able to fail, and the units of the build and of these rings. */
import { at } from "../../web/build/place.mjs";
import { runNodeTests } from "./nodetest.mjs";

export const minutes = 5;

const files = ["tests/tidy/tidy.test.mjs", "tests/build/build.test.mjs", "tests/rings/rings.test.mjs"];

export const run = () => runNodeTests("tidy", files.map((file) => at(file)), { minutes });
