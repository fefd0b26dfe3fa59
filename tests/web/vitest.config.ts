/** Units and conformance of the package, in Node. What needs a browser is in tests/e2e. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export default defineConfig({
  root: at("."),
  resolve: {
    // Tests that mean the built package say its name, units import the source.
    alias: [{ find: /^stackroom$/, replacement: at("dist/lib/node.js") }],
  },
  test: {
    include: ["tests/{web,conformance,sample,fixtures,bench}/**/*.test.{ts,mjs}"],
    // One less than there are processors is what vitest takes by itself: one file at a time, on two.
    maxWorkers: availableParallelism(),
    // Hang guards, not gates: a busy machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
