/** Entry of the viewer's replay worker: reads an archive that is open elsewhere, holds the ports of its replay origins, answers them. */
import { archiveOver } from "../lib/line.js";
import type { ArchiveLine } from "../lib/index.js";
import init, { ReplayHosts, RowsByUrl } from "../lib/wasm/rewrite.js";
import { Bridge } from "./bridge.js";
import type { FromWorker, ToWorker } from "./calls.js";
import { Collection } from "./collection.js";
import type { Entry } from "./journal.js";
import type { Origins } from "./origins.js";
import { makeRewriter, type ScriptEditor } from "./rewriting.js";
import { UrlTable } from "./urltable.js";

/** How long answers are gathered that are told of to the page; where pages lead is told at once. */
const TELL_MS = 150;

let hosts: ReplayHosts | undefined;
let collection: Collection | undefined;
let hasOpened = (_: Collection): void => {};
const opening = new Promise<Collection>((resolve) => (hasOpened = resolve));

/** A page that is there before its archive waits for it. */
const bridge = new Bridge(async (get) => (await opening).answer(get));

const say = (message: FromWorker): void => self.postMessage(message);

let told: Entry[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(): void {
  clearTimeout(timer);
  timer = undefined;
  say({ entries: told });
  told = [];
}

function note(entry: Entry): void {
  told.push(entry);
  if (entry.isNavigation) tell();
  else timer ??= setTimeout(tell, TELL_MS);
}

type Scripts = typeof import("../lib/wasm/scripts.js");

let scripts: Promise<Scripts> | undefined;

async function fetchScripts(): Promise<Scripts> {
  const module = await import("../lib/wasm/scripts.js");
  await module.default();
  return module;
}

/** Fetched when the first page with scripts is shown, or before that. */
async function editorOf(names: ReplayHosts): Promise<ScriptEditor> {
  const { ScriptEditor } = await (scripts ??= fetchScripts());
  return new ScriptEditor(names);
}

let origins: Origins | undefined;
let started: Promise<null> | undefined;

async function ready(asked: Origins): Promise<null> {
  await init();
  origins = asked;
  hosts = new ReplayHosts(asked.before, asked.after, asked.salt, asked.isHidden);
  return null;
}

async function open(line: ArchiveLine): Promise<null> {
  await started;
  if (!hosts || !origins) throw new Error("no origins were named");
  const names = hosts;
  const archive = await archiveOver(line);
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  const table = new UrlTable(archive, new RowsByUrl(high, low));
  collection = new Collection({ archive, hosts: names, rewriter: makeRewriter(names, origins, () => editorOf(names)), table });
  collection.hasScripts = origins.mode !== "same";
  collection.onEntry = note;
  hasOpened(collection);
  return null;
}

async function answer(message: ToWorker): Promise<unknown> {
  switch (message.call) {
    case "ready":
      return (started = ready(message.origins));
    case "open":
      return open(message.line);
    case "attach":
      if (message.label !== "" && hosts?.host(message.label) === undefined) message.port.close();
      else bridge.attach(message.port, message.label);
      return null;
    case "cookie":
      collection?.setCookie(message.label === "" ? message.host : hosts?.host(message.label), message.cookie);
      return null;
    case "host":
      hosts?.label(message.host);
      return null;
    case "address":
      // A page is going to be asked for.
      scripts ??= fetchScripts();
      await started;
      return hosts?.replay_url(message.url) ?? null;
    case "visit":
      collection?.journal.visit(message.captured);
      return hosts?.replay_url(message.url) ?? null;
    case "captures":
      return collection?.capturesOf(message.url) ?? [];
    case "scripts":
      if (collection) collection.hasScripts = message.isOn;
      return null;
    case "counts":
      return { ...bridge.counts };
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker & { id: number }>): void => {
  answer(data).then(
    (value) => say({ id: data.id, value }),
    (error: unknown) => say({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
  );
};
