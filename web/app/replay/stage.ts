/** What replays the open archive: started when a page is first looked at, or with a link to one; ended with the archive. */
import type { Archive } from "stackroom";
import { Replay, Replayer, firstReachable, newSalt, originsOf, stand, type ReplaySetting, type Standing } from "stackroom/replay";

import type { Source } from "../state.js";
import { saltOf } from "./salts.js";
import { settings } from "./settings.js";

let chosen: Promise<ReplaySetting> | undefined;

/** The best way of replaying that this address and this browser give. */
export const wayOfReplay = (): Promise<ReplaySetting> => (chosen ??= best(settings()));

const best = async (from: readonly ReplaySetting[]): Promise<ReplaySetting> => (await firstReachable(from, newSalt(), document.body)) ?? { mode: "none" };

/** How long what a page does not need waits for it. */
const shownMs = 3_000;

let early: Replayer | undefined;
let standing: Promise<Standing | null> | undefined;

let arrive = (): void => {};

/** A link leads to a page: all that it needs besides the archive is started while that is opened. Tells when the page is there. */
export function prepare(source: Source, url: string): Promise<void> {
  const shown = new Promise<void>((resolve) => (arrive = resolve));
  setTimeout(arrive, shownMs);
  start(source, url);
  return shown;
}

function start(source: Source, url: string): void {
  const [setting, ...others] = settings();
  const origins = setting && originsOf(setting, saltOf(source));
  if (chosen !== undefined || setting === undefined || origins?.mode !== "wildcard") return;
  const replayer = new Replayer(origins);
  early = replayer;
  const there = replayer.address(url).then((address) => (address === null ? null : stand(origins, new URL("/.wa/boot", address).href, document.body)), () => null);
  standing = there;
  chosen = there.then((is) => (is === null ? best([setting, ...others]) : setting));
}

/** A page is there, which does what was done in its place; with all that it loads, or not yet. */
export function settle(isLoading: boolean): void {
  void standing?.then((is) => is?.leave());
  standing = undefined;
  if (!isLoading) arrive();
}

const replays = new WeakMap<Archive, Promise<Replay>>();

/** Null where nothing replays. */
export async function replayOf(archive: Archive, source: Source): Promise<Replay | null> {
  const origins = originsOf(await wayOfReplay(), saltOf(source));
  if (origins === null) return null;
  const known = replays.get(archive);
  if (known !== undefined) return known;
  const isMeant = early?.origins.salt === origins.salt && early.origins.mode === origins.mode;
  if (!isMeant) early?.close();
  const started = Replay.over(archive, { origins, ...(isMeant && { replayer: early }) });
  early = undefined;
  replays.set(archive, started);
  started.catch(() => replays.delete(archive));
  return started;
}
