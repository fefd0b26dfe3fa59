/** What replays the open archive: started when a page is first looked at, ended with the archive. */
import type { Archive } from "stackroom";
import { Replay, firstReachable, newSalt, originsOf, type ReplaySetting } from "stackroom/replay";

import type { Source } from "../state.js";
import { saltOf } from "./salts.js";
import { settings } from "./settings.js";

let chosen: Promise<ReplaySetting> | undefined;

/** The best way of replaying that this address and this browser give. */
export const wayOfReplay = (): Promise<ReplaySetting> =>
  (chosen ??= firstReachable(settings(), newSalt(), document.body).then((setting) => setting ?? { mode: "none" }));

const replays = new WeakMap<Archive, Promise<Replay>>();

/** Null where nothing replays. */
export async function replayOf(archive: Archive, source: Source): Promise<Replay | null> {
  const origins = originsOf(await wayOfReplay(), saltOf(source));
  if (origins === null) return null;
  const known = replays.get(archive);
  if (known !== undefined) return known;
  const started = Replay.over(archive, { origins });
  replays.set(archive, started);
  started.catch(() => replays.delete(archive));
  return started;
}
