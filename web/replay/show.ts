/** An archived page in an element of a page, in one call. */

import type { Archive } from "../lib/index.js";
import { ReplayFrame } from "./frame.js";
import { newSalt, originsOf, type ReplaySetting } from "./origins.js";
import { firstReachable, type FrameHost } from "./reachable.js";
import { Replay } from "./replay.js";

export interface ReplayAsked {
  readonly url: string;
  /** Around which time, in milliseconds since 1970; the first capture without. */
  readonly captured?: number | undefined;
  /** What the frame is called for those who do not see it. */
  readonly title?: string | undefined;
  /** Told when something else is shown. */
  readonly onChange?: ((frame: ReplayFrame) => void) | undefined;
  /** Where archived pages may live, the best way first; the first that works is taken. Names below localhost without. */
  readonly replay?: ReplaySetting | readonly ReplaySetting[] | undefined;
  /** The same for an archive from visit to visit, so that its origins need not be set up anew: `newSalt()` makes one. */
  readonly salt?: string | undefined;
}

/** Replays a page of an open archive; the frame goes with the archive, or when it is closed. */
export async function replay(archive: Archive, element: FrameHost, { url, captured, title = "Archived page", onChange, replay: given = belowHere(), salt = newSalt() }: ReplayAsked): Promise<ReplayFrame> {
  const setting = await firstReachable([given].flat(), salt, element);
  const origins = setting && originsOf(setting, salt);
  if (!origins) throw new Error("No address that archived pages could live at answers here.");
  const running = await Replay.over(archive, { origins });
  const frame: ReplayFrame = new ReplayFrame(running, element, { title, onChange: () => onChange?.(frame) });
  archive.onClose(() => frame.close());
  await frame.go(url, captured);
  return frame;
}

const belowHere = (): ReplaySetting => ({ mode: "wildcard", template: `${location.protocol}//{label}.${location.host}` });
