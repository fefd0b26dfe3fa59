/** Chromium, Firefox and WebKitGTK against the production server, which builds what is stale before it listens. */
import { defineConfig } from "@playwright/test";
import { driverOptions } from "./browser.mjs";

const report = process.env["STACKROOM_BROWSER_REPORT"];
const output = "../../test-results/browsers";

/** What the engine finds, and how the viewer's own parts are marked up: Chromium alone, both in `npm run test:deep -- browsers`. */
const once = ["split", "codings", "formats", "documents", "reopen", "views", "a11y"].map((name) => `${name}.spec.ts`);
const isDeep = process.env["STACKROOM_DEEP"] === "1";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: output,
  // The ring runs two at a time but for those tagged `@alone`, which watch the thread of a page: two browsers on two
  // cores would watch each other.
  workers: 1,
  forbidOnly: true,
  // Hang guards, not gates.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: report ? [["list"], ["json", { outputFile: report }]] : [["list"]],
  use: {
    baseURL: `http://localhost:${process.env["STACKROOM_PORT"]}/`,
    screenshot: "only-on-failure",
  },
  projects: [
    { name: "chromium", use: driverOptions("chromium") },
    { name: "firefox", use: driverOptions("firefox"), testIgnore: isDeep ? [] : once },
    // Not by Playwright, which drives builds of its own only; it has no private file system.
    { name: "webkit", use: { browserName: "webkit" }, testMatch: "store.spec.ts", grepInvert: / on opfs$/ },
  ],
  webServer: {
    command: "node web/build/start.mjs --port 0",
    cwd: "../..",
    // The server chooses a free port and prints it; Playwright puts it into the environment of the tests.
    wait: { stdout: /Stackroom is at http:\/\/localhost:(?<STACKROOM_PORT>\d+)\// },
    gracefulShutdown: { signal: "SIGTERM", timeout: 5_000 },
    stderr: "pipe",
    timeout: 900_000,
  },
});
