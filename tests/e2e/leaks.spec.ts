/**
 * An archived site that wants out, by every channel, from every kind of realm, against servers that tell of each call.
 * Each channel is shown to be open where no policy holds. STACKROOM_DEEP=1 tries all of them everywhere and writes
 * which did what; else a sample does, which STACKROOM_LEAK_SEED chooses.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test, type Frame, type Page } from "@playwright/test";
import type { ReplaySetting } from "stackroom/replay";
import { startCanaries } from "./pages/leaks/canary.mjs";
import { aloneNames, channels, leakArchive, leavingNames, makeControl, realms, spellings } from "./pages/leaks/site.mjs";
import { launchApart, type BrowserName } from "./pages/replaybrowser.mjs";
import { startReplayHost } from "./pages/replayhost.mjs";
import { openViewer } from "./pages/replayviewer.js";

declare const viewer: { show(url: string): Promise<string>; opened: Promise<{ setScripts(isOn: boolean): Promise<void> }> };

const isDeep = process.env["STACKROOM_DEEP"] === "1";
const seed = Number(process.env["STACKROOM_LEAK_SEED"] ?? 7);

/** Where replay may be. The first is tried in full; the others differ in what their policy names. */
const settings: Record<string, (port: number) => ReplaySetting> = {
  "an origin for each host": (port) => ({ mode: "wildcard", template: `http://{label}.localhost:${port}` }),
  "one origin for all": (port) => ({ mode: "single", origin: `http://replay.localhost:${port}` }),
  "without scripts below the viewer": () => ({ mode: "same" }),
};

/** What tells of a page at most: the name of a host, where a browser knows no Connection-Allowlist and no shim maps it. */
const residuals: Record<BrowserName, { readonly hosts: RegExp; readonly datagrams: readonly string[] }> = {
  chromium: { hosts: /^$/, datagrams: [] },
  firefox: { hosts: /^preconnect(?:-anonymous)?\.(?:[a-z]+-evading|(?:opaque|data)-plain)$/, datagrams: ["stun", "turn", "turn-tcp"] },
};

/** Below the viewer there is no Connection-Allowlist: Chromium then looks up hosts of frames that it is not to show. */
const framesBelow = /^(?:embed|object|iframe|frameset)[a-z-]*\.static-evading$/;

/** Of the ways that every browser has, those that the site must be seen to use where nothing holds it. */
const core = ["fetch", "xhr", "img", "iframe", "stylesheet", "script-src", "websocket", "css-background", "preconnect", "link-click", "form-post", "worker-blob-fetch"];

interface Plan {
  readonly realm: string;
  readonly spelling: string;
  readonly names?: readonly string[];
  readonly apart?: readonly string[];
}

/** The same for the same seed. */
function sample<T>(from: readonly T[], count: number): T[] {
  let state = seed;
  const ranked = from.map((one) => [(state = (Math.imul(state, 1664525) + 1013904223) >>> 0), one] as const);
  return ranked.sort(([a], [b]) => a - b).slice(0, count).map(([, one]) => one);
}

function plans(): Plan[] {
  if (isDeep) return realms.flatMap((realm) => spellings.map((spelling) => ({ realm, spelling })));
  const together = [channels.anywhere, channels.windowed, channels.markup].flatMap((kind) => Object.keys(kind));
  const names = [...new Set([...core.filter((name) => together.includes(name)), ...sample(together, 30)])];
  const apart = core.filter((name) => leavingNames.includes(name));
  const [windows, workers] = [realms.filter((name) => name !== "main" && !/worker|shared/.test(name)), realms.filter((name) => /worker|shared/.test(name))];
  return [
    { realm: "main", spelling: "evading", names },
    ...[...sample(windows, 1), ...sample(workers, 1)].map((realm) => ({ realm, spelling: "evading", names, apart })),
  ];
}

/** What a realm tries in itself: workers have no document. */
function waysOf({ realm, names }: Plan): readonly string[] {
  const inWorkers = Object.keys(channels.anywhere);
  if (!/worker|shared/.test(realm)) return names ?? [...inWorkers, ...Object.keys(channels.windowed), ...Object.keys(channels.markup)];
  return (names ?? inWorkers).filter((name) => inWorkers.includes(name));
}

/** Channels that may take everything with them, by themselves. */
function alonePlans(): Plan[] {
  const names = [...[...leavingNames, ...aloneNames].map((name) => `${name}@http`), "link-click@https", "fetch-later@https"];
  const chosen = isDeep ? names : ["link-click@http", ...sample(names, 3)];
  return chosen.flatMap((name) => (isDeep ? spellings : ["evading"]).map((spelling) => ({ realm: "main", spelling, names: [name] })));
}

let canaries: Awaited<ReturnType<typeof startCanaries>>;
let host: Awaited<ReturnType<typeof startReplayHost>>;
let browser: Awaited<ReturnType<typeof launchApart>>;
let page: Page;
const report: Record<string, unknown> = {};

test.beforeAll(async ({ browserName }) => {
  canaries = await startCanaries();
  host = await startReplayHost({ archives: { "leaks.warc.gz": leakArchive(canaries.setup) }, onLabel: makeControl(canaries.setup) });
  await launch(browserName as BrowserName);
});

async function launch(name: BrowserName): Promise<void> {
  browser = await launchApart(name, { "dom.disable_open_during_load": false, "dom.max_script_run_time": 0, "media.peerconnection.ice.loopback": true });
  page = browser.page;
  page.context().on("page", (opened) => void opened.close().catch(() => undefined));
}

/** What the driver of the browser died of is tried again, in another browser. */
async function surely<T>(name: string, work: () => Promise<T>): Promise<T> {
  for (let left = 3; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      // What was under way fails before it is known why.
      const isGone = await expect.poll(() => browser.isGone(), { timeout: 5_000 }).toBe(true).then(() => true, () => false);
      if (left === 0 || !isGone) throw error;
      await browser.close();
      await launch(name as BrowserName);
    }
  }
}

test.afterAll(async ({ browserName }) => {
  await browser.close();
  await Promise.all([host.close(), canaries.close()]);
  if (!isDeep) return;
  mkdirSync("test-results", { recursive: true });
  writeFileSync(`test-results/leaks-${browserName}.json`, JSON.stringify(report, null, 1));
});

const inAddress = (plan: Plan, home: string): string => encodeURIComponent(JSON.stringify({ ...plan, home }));
const titleOf = ({ realm, spelling, names }: Plan): string => `${realm} ${spelling}${names?.length === 1 ? ` ${names[0]}` : ""}`;

/** Until nothing has come for so long. */
async function quiet(ms: number): Promise<void> {
  const count = (): number => canaries.seen.requests.size + canaries.seen.hosts.size + canaries.seen.connections + canaries.seen.datagrams + canaries.seen.quic;
  for (let before = -1; before !== count(); ) {
    before = count();
    await page.waitForTimeout(ms);
  }
}

/** Channels that were seen, as `channel.realm-spelling`, by what they asked for or whom they connected to. */
const asked = (): string[] => [...canaries.seen.requests].map((path) => path.replace(/^\/leak\/([^/]*)\/([^/]*)\/([^/?]*).*$/, "$3.$1-$2"));
const connected = (): string[] => [...canaries.seen.hosts];

/** The driver of Firefox fails where frames go that are on their way somewhere. */
async function loaded(): Promise<void> {
  const frame = await (await page.$("iframe"))?.contentFrame();
  await frame?.waitForFunction(() => document.readyState === "complete", undefined, { timeout: 5_000 }).catch(() => undefined);
  await page.waitForTimeout(300);
}

async function untilTried(frame: Frame | null, patience: number): Promise<void> {
  await frame?.waitForSelector("[data-tried]", { state: "attached", timeout: patience }).catch(() => undefined);
}

async function control(path: string): Promise<void> {
  const home = `http://control.localhost:${host.port}`;
  await loaded();
  await page.goto("about:blank");
  await page.goto(`http://controller.localhost:${host.port}/?${encodeURIComponent(home + path.replace("HOME", encodeURIComponent(home)))}`).catch(() => undefined);
}

test("without the policy the channels are open", async ({ browserName }) => {
  test.setTimeout(3_600_000);
  const home = `http://control.localhost:${host.port}`;
  const open = new Set<string>();
  const every = new Set<string>();
  const note = (): void => {
    for (const seen of [...asked(), ...connected()]) open.add(seen.split(".")[0] as string);
    if (canaries.seen.quic > 0) open.add("webtransport");
  };
  for (const plan of plans().filter(({ spelling }) => spelling === "evading")) {
    await surely(browserName, async () => {
      canaries.forget();
      await control(`/leak.html#${inAddress(plan, home)}`);
      await untilTried(await (await page.waitForSelector("iframe")).contentFrame(), isDeep ? 300_000 : 60_000);
      await quiet(1_000);
    });
    note();
    // Every realm does something, or it would prove nothing below.
    expect(asked().filter((name) => name.includes(`.${plan.realm}-`)).length, titleOf(plan)).toBeGreaterThan(3);
    report[`open: ${titleOf(plan)}`] = new Set([...asked(), ...connected()]).size;
    for (const name of [...(plan.names ?? [...Object.keys(channels.anywhere), ...Object.keys(channels.windowed), ...Object.keys(channels.markup)]), ...(plan.apart ?? [])]) every.add(name);
  }
  for (const plan of alonePlans().filter(({ spelling }) => spelling === "evading")) {
    const [name = ""] = plan.names?.[0]?.split("@") ?? [];
    every.add(name);
    await surely(browserName, async () => {
      canaries.forget();
      await control(`/leak.html#${inAddress(plan, home)}`);
      await expect.poll(() => canaries.seen.requests.size + canaries.seen.hosts.size + canaries.seen.datagrams, { timeout: isDeep ? 5_000 : 2_000 }).toBeGreaterThan(0).catch(() => undefined);
    });
    note();
    if (canaries.seen.datagrams > 0) open.add(name);
  }
  await surely(browserName, async () => {
    canaries.forget();
    await control("/static-evading.html");
    await quiet(2_000);
  });
  note();
  const shut = [...every].filter((name) => !open.has(name)).sort();
  report["channels that reached a canary without the policy"] = open.size;
  report["never reached one, so that nothing is shown of them"] = shut;
  console.log(`${browserName}: ${open.size} channels are open without the policy; not used: ${shut.join(" ")}`);
  expect(core.filter((name) => every.has(name) && !open.has(name))).toEqual([]);
});

/** What must not have come has not, and of the rest what may. */
function judge(plan: string, browserName: string, alone = ""): void {
  const { hosts, datagrams } = residuals[browserName as BrowserName];
  const told = connected();
  if (told.length > 0) report[`hosts told: ${plan}`] = told;
  if (canaries.seen.datagrams > 0) report[`datagrams: ${plan}`] = canaries.seen.datagrams;
  expect.soft(asked(), `requests: ${plan}`).toEqual([]);
  const isBelow = browserName === "chromium" && plan.startsWith("without scripts below");
  expect.soft(told.filter((name) => !hosts.test(name) && !(isBelow && framesBelow.test(name))), `hosts told: ${plan}`).toEqual([]);
  expect.soft(canaries.seen.quic, `QUIC: ${plan}`).toBe(0);
  if (!datagrams.includes(alone)) expect.soft(canaries.seen.datagrams, `datagrams: ${plan}`).toBe(0);
}

/** Shows a page of the site, in a frame of its own; gives what its addresses begin with. */
async function visit(path: string): Promise<string> {
  await loaded();
  const address = await page.evaluate(async (url) => {
    document.querySelector("iframe[name=replayed]")?.remove();
    return viewer.show(url);
  }, `https://evil.example${path}`);
  return address.slice(0, -path.length);
}

/** A page that takes its window away comes no further than the viewer. */
async function atViewer(setting: ReplaySetting): Promise<void> {
  if (new URL(page.url()).origin !== `http://localhost:${host.port}`) await openViewer(page, host, "leaks.warc.gz", setting);
}

async function replay(path: string, patience: number, setting: ReplaySetting): Promise<Frame | null> {
  await atViewer(setting);
  await visit(path);
  const frame = await (await page.waitForSelector("iframe[name=replayed]")).contentFrame();
  await untilTried(frame, patience);
  return frame;
}

/** Opens the viewer, and gives what the addresses of the site begin with. */
async function begin(setting: ReplaySetting): Promise<string> {
  await openViewer(page, host, "leaks.warc.gz", setting);
  const home = await visit("/quiet.html");
  await page.waitForTimeout(1_500);
  return home;
}

for (const [layout, settingOf] of Object.entries(settings)) {
  const isInert = layout.startsWith("without");
  test(`nothing gets out of replay: ${layout}`, async ({ browserName }) => {
    test.setTimeout(7_200_000);
    const setting = settingOf(host.port);
    const home = await surely(browserName, () => begin(setting));
    const isFirst = layout === Object.keys(settings)[0];
    for (const plan of isInert ? [] : isFirst ? plans() : isDeep ? plans().filter(({ spelling }) => spelling === "evading") : plans().slice(0, 1)) {
      const isMain = plan.realm === "main";
      const ways = waysOf(plan);
      let refused: number | undefined;
      let tried: number | undefined;
      // Firefox ends a worker now and then before it is through, here and where nothing holds it: the next one goes on at the way at which
      // it ended. Each time it is looked at what got out.
      for (let left = 3; left > 0 && (isMain ? tried === undefined : tried !== ways.length); left -= 1) {
        const before = tried ?? 0;
        const rest = before === 0 ? plan : { ...plan, names: ways.slice(before) };
        await surely(browserName, async () => {
          canaries.forget();
          const frame = await replay(`/leak.html#${inAddress(rest, home)}`, isDeep ? 300_000 : 60_000, setting);
          await quiet(500);
          refused = await frame?.evaluate(() => Number(document.documentElement.dataset["refused"] ?? 0)).catch(() => 0);
          tried = before + ((await frame?.evaluate((name) => Number(document.documentElement.getAttribute(name) ?? 0), `data-${plan.realm}-${plan.spelling}`).catch(() => 0)) ?? 0);
        });
        judge(`${layout}, ${titleOf(plan)}`, browserName);
        if (tried !== before) left = 3;
      }
      report[`${layout}, refused: ${titleOf(plan)}`] = refused;
      report[`${layout}, tried: ${titleOf(plan)}`] = tried;
      // Nor did a realm keep silent: it tried as many ways as it was to.
      if (!isMain) expect.soft(tried, `tried: ${layout}, ${titleOf(plan)}`).toBe(ways.length);
      // It was the policy that held, and nothing before it.
      if (isMain && plan.spelling === "evading") expect.soft(refused, titleOf(plan)).toBeGreaterThan(20);
    }
    for (const plan of isFirst ? alonePlans() : []) {
      await surely(browserName, async () => {
        canaries.forget();
        await replay(`/leak.html#${inAddress(plan, home)}`, isDeep ? 2_500 : 1_500, setting);
      });
      const [name = ""] = plan.names?.[0]?.split("@") ?? [];
      judge(`${layout}, ${titleOf(plan)}`, browserName, plan.spelling === "evading" ? name : "");
      expect.soft(new URL(page.url()).origin, titleOf(plan)).toBe(`http://localhost:${host.port}`);
    }
    for (const hasScripts of isInert ? [false] : [true, false]) {
      const paths = ["/static-evading.html", "/headers.html", "/static-plain.html", "/refresh.html"];
      for (const path of isDeep ? paths : paths.slice(0, isFirst && hasScripts ? 2 : 1)) {
        await surely(browserName, async () => {
          canaries.forget();
          await atViewer(setting);
          await page.evaluate(async (isOn) => (await viewer.opened).setScripts(isOn), hasScripts);
          await replay(path, isDeep ? 2_000 : 500, setting);
          await quiet(700);
        });
        judge(`${layout}, ${path}${hasScripts ? "" : " without scripts"}`, browserName);
      }
    }
  });
}
