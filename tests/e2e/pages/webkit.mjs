/**
 * WebKitGTK over plain WebDriver, which is all that it speaks: a page with the two methods of Playwright's that the tests
 * of the store need. It keeps its data as long as it runs, and draws on a display that nobody sees.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { findWebKit } from "../browser.mjs";

/** Less than what a test may take. */
const SCRIPT_MS = 100_000;

export async function startWebKit() {
  const found = findWebKit();
  if (found === null) throw new Error("WebKitGTK is missing");
  const { driver, browser, display } = found;
  const screen = spawn(display, ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"], { stdio: ["ignore", "pipe", "ignore"] });
  const [number] = await once(screen.stdout, "data");
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${String(number).trim()}`, WEBKIT_DISABLE_COMPOSITING_MODE: "1", NO_AT_BRIDGE: "1" };
  const server = spawn(driver, [`--port=${port}`], { env, stdio: "ignore" });
  const end = () => {
    server.kill();
    screen.kill();
  };
  process.once("exit", end);
  try {
    const at = `http://127.0.0.1:${port}/session`;
    const capabilities = { alwaysMatch: { timeouts: { script: SCRIPT_MS }, "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] } } };
    const { sessionId } = await command(at, { capabilities }, 100);
    const session = `${at}/${sessionId}`;
    return {
      goto: (url) => command(`${session}/url`, { url }),
      evaluate: async (work, argument) => {
        const script = `const [argument, done] = arguments; (async () => (${work})(argument))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
        const { value, error } = await command(`${session}/execute/async`, { script, args: [argument ?? null] });
        if (error !== undefined) throw new Error(error);
        return value;
      },
      close: async () => {
        await fetch(session, { method: "DELETE" }).catch(() => {});
        end();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** The driver takes a moment to listen. */
async function command(url, body, attempts = 1) {
  let response;
  try {
    response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  } catch (error) {
    if (attempts <= 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return command(url, body, attempts - 1);
  }
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
