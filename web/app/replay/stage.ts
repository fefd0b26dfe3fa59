/** What replays the open archive: started when a page is first looked at, or with a link to one; ended with the archive. */
import type { Archive } from "stackroom";
import { Replay, expectPage, firstReachable, newSalt, originsOf, type Replayer, type ReplaySetting, type Standing } from "stackroom/replay";

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
  const ahead = expectPage(origins, url, document.body);
  early = ahead.replayer;
  standing = ahead.standing;
  chosen = ahead.standing.then((is) => (is === null ? best([setting, ...others]) : setting));
}

/** A page is there, which does what was done in its place; with all that it loads, or not yet. */
export function settle(isLoading: boolean): void {
  void standing?.then((is) => is?.leave());
  standing = undefined;
  if (!isLoading) arrive();
}

const replays = new WeakMap<Archive, Promise<Replay | null>>();

/** Null where nothing replays. */
export function replayOf(archive: Archive, source: Source): Promise<Replay | null> {
  const known = replays.get(archive);
  if (known !== undefined) return known;
  const started = over(archive, saltOf(source));
  replays.set(archive, started);
  started.catch(() => replays.delete(archive));
  return started;
}

async function over(archive: Archive, salt: string): Promise<Replay | null> {
  const replayer = early;
  early = undefined;
  const isMeant = replayer?.origins.salt === salt;
  if (!isMeant) replayer?.close();
  // The way that was started nearly always is the one: the archive is handed over while that is being seen.
  const ahead = isMeant ? Replay.over(archive, { origins: replayer.origins, replayer }) : undefined;
  ahead?.catch(() => undefined);
  const origins = originsOf(await wayOfReplay(), salt);
  if (ahead !== undefined && origins?.mode === replayer?.origins.mode) return ahead;
  void ahead?.then((replay) => replay.close(), () => undefined);
  return origins && Replay.over(archive, { origins });
}
