/** What replays the open archive: started when a page is first looked at, ended with the archive. */
import type { Archive } from "stackroom";
import { Replay, areReachable, newSalt, originsBelow } from "stackroom/replay";

import type { Source } from "../state.js";
import { saltOf } from "./salts.js";

let reachable: Promise<boolean> | undefined;

/** Whether this address and this browser give archived sites origins of their own. */
export const canReplay = (): Promise<boolean> => (reachable ??= areReachable(originsBelow(newSalt()), document.body));

const replays = new WeakMap<Archive, Promise<Replay>>();

export function replayOf(archive: Archive, source: Source): Promise<Replay> {
  const known = replays.get(archive);
  if (known !== undefined) return known;
  const started = Replay.over(archive, { origins: originsBelow(saltOf(source)) });
  replays.set(archive, started);
  started.catch(() => replays.delete(archive));
  return started;
}
