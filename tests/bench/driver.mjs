// Drives a browser with as little as there is: Chromium over its debugging pipe, Firefox over Marionette.
// The test runner's driver listens to the network, and for that the browsers keep what they receive: hundreds of
// megabytes that would be measured as ours. Here a page is navigated, asked and handed files, nothing else.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { driverOptions } from "../e2e/browser.mjs";

const say = (text) => process.stderr.write(`bench: ${text}\n`);

const START_MS = 60_000;
const POLL_MS = 50;

export class TimeoutError extends Error {
  name = "TimeoutError";
}

/** Finds the first element of a page, open shadow trees included, for which `test` (source of a function) holds. */
const FIND = `(test) => {
  const search = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (test(element)) return element;
      const below = element.shadowRoot && search(element.shadowRoot);
      if (below) return below;
    }
    return null;
  };
  return search(document);
}`;

/** An expression for the first element for which `test`, the source of a function, holds. */
export const find = (test) => `(${FIND})(${test})`;

/** A profile of its own on disk, as a user has, and the process with it. */
function start(browserName, argumentsFor, stdio) {
  const { launchOptions } = driverOptions(browserName);
  const profile = mkdtempSync(join(tmpdir(), "stackroom-bench-"));
  // A group of its own, so that no process of the browser outlives it.
  const child = spawn(launchOptions.executablePath, [...argumentsFor(profile), ...launchOptions.args], { stdio, detached: true });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    child,
    profile,
    close: async () => {
      child.kill();
      await Promise.race([ended, pause(5_000)]);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // All of the group has ended.
      }
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }).catch(() => say(`${profile} is left`));
    },
  };
}

/** Answers by id, for either protocol. */
class Pending {
  #waiting = new Map();
  #next = 1;

  add() {
    const id = this.#next++;
    return { id, answered: new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })) };
  }

  settle(id, error, value) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error));
    else waiting?.resolve(value);
  }
}

async function launchChromium() {
  const { child, close } = start(
    "chromium",
    (profile) => ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "about:blank"],
    ["ignore", "ignore", "ignore", "pipe", "pipe"],
  );
  const pending = new Pending();
  const listeners = new Map();
  // The pipes break when the browser ends; whoever waits for an answer has been told by then.
  for (const pipe of [child.stdio[3], child.stdio[4]]) pipe.on("error", () => undefined);
  let held = "";
  child.stdio[4].setEncoding("utf8").on("data", (text) => {
    const messages = (held + text).split("\0");
    held = messages.pop();
    for (const { id, error, result, method, params } of messages.map((message) => JSON.parse(message))) {
      if (id !== undefined) pending.settle(id, error?.message, result);
      else listeners.get(method)?.(params);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => {
    const { id, answered } = pending.add();
    child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answered;
  };
  const { targetInfos } = await send("Target.getTargets");
  const { sessionId } = await send("Target.attachToTarget", { targetId: targetInfos.find(({ type }) => type === "page").targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const evaluated = async (expression, isValue) => {
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: isValue, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result;
  };
  await call("Page.enable");
  return {
    close,
    navigate: (url) => call("Page.navigate", { url }),
    evaluate: async (expression) => (await evaluated(expression, true)).value,
    beforePages: (source) => call("Page.addScriptToEvaluateOnNewDocument", { source }),
    setFile: async (element, path) => call("DOM.setFileInputFiles", { objectId: (await evaluated(element, false)).objectId, files: [path] }),
    /** Answers the next file dialog that the page opens. */
    async chooseFile(path) {
      const opened = new Promise((resolve) => listeners.set("Page.fileChooserOpened", resolve));
      await call("Page.setInterceptFileChooserDialog", { enabled: true });
      return async () => call("DOM.setFileInputFiles", { backendNodeId: (await opened).backendNodeId, files: [path] });
    },
  };
}

async function launchFirefox() {
  const { profile, close } = start(
    "firefox",
    (profile) => {
      const preferences = { "marionette.port": 0, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "app.update.enabled": false, "browser.startup.homepage": "about:blank", "startup.homepage_welcome_url": "", "services.settings.server": "data:,", "browser.safebrowsing.malware.enabled": false, "browser.safebrowsing.phishing.enabled": false };
      writeFileSync(join(profile, "user.js"), Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
      return ["--marionette", "--headless", "--no-remote", "--profile", profile];
    },
    "ignore",
  );
  const portFile = join(profile, "MarionetteActivePort");
  const deadline = performance.now() + START_MS;
  // The file is there before its content is.
  while (!existsSync(portFile) || readFileSync(portFile, "utf8") === "") {
    if (performance.now() > deadline) throw new Error("Firefox did not start");
    await pause(POLL_MS);
  }
  const socket = connect(Number(readFileSync(portFile, "utf8")), "127.0.0.1");
  const pending = new Pending();
  let held = Buffer.alloc(0);
  await new Promise((resolve, reject) => {
    socket.once("error", reject);
    // Frames are `LENGTH:JSON`; the first one greets.
    socket.on("data", (bytes) => {
      held = Buffer.concat([held, bytes]);
      for (let colon; (colon = held.indexOf(":")) > 0; ) {
        const end = colon + 1 + Number(held.toString("latin1", 0, colon));
        if (held.length < end) return;
        const message = JSON.parse(held.toString("utf8", colon + 1, end));
        held = held.subarray(end);
        if (Array.isArray(message)) pending.settle(message[1], message[2]?.message, message[3]);
        else resolve();
      }
    });
  });
  const call = (method, params = {}) => {
    const { id, answered } = pending.add();
    const text = JSON.stringify([0, id, method, params]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return answered;
  };
  await call("WebDriver:NewSession", { capabilities: { alwaysMatch: { pageLoadStrategy: "none" } } });
  await call("WebDriver:SetTimeouts", { script: 600_000 });
  const evaluate = async (expression) => (await call("WebDriver:ExecuteScript", { script: `return (${expression})`, args: [], sandbox: null })).value;
  return {
    close: async () => {
      socket.destroy();
      await close();
    },
    navigate: (url) => call("WebDriver:Navigate", { url }),
    evaluate,
    async setFile(element, path) {
      const [id] = Object.values(await evaluate(element));
      await call("WebDriver:ElementSendKeys", { id, text: path });
    },
  };
}

/** A browser with one page, launched afresh. */
export async function launch(browserName) {
  const page = await (browserName === "firefox" ? launchFirefox() : launchChromium());
  return {
    ...page,
    /** Asks until the answer is neither null nor undefined. */
    async until(expression, timeoutMs) {
      for (const deadline = performance.now() + timeoutMs; ; ) {
        const value = await page.evaluate(expression).catch(() => null);
        if (value !== null && value !== undefined) return value;
        if (performance.now() > deadline) throw new TimeoutError("the program did not finish in time");
        await pause(POLL_MS);
      }
    },
  };
}
