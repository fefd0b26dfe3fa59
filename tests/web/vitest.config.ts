/** Units and conformance of the package, in Node. What needs a browser is in tests/e2e. */
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
    // Hang guards, not gates: a busy machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
