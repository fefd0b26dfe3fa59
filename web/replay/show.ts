/** An archived page in an element of a page, in one call. */

import type { Archive } from "../lib/index.js";
import { ReplayFrame } from "./frame.js";
import { newSalt, originsBelow, type FrameHost, type Origins } from "./origins.js";
import { Replay } from "./replay.js";

export interface ReplayAsked {
  readonly url: string;
  /** Around which time, in milliseconds since 1970; the first capture without. */
  readonly captured?: number | undefined;
  /** What the frame is called for those who do not see it. */
  readonly title?: string | undefined;
  /** Told when something else is shown. */
  readonly onChange?: ((frame: ReplayFrame) => void) | undefined;
  readonly origins?: Origins | undefined;
}

/** Replays a page of an open archive; the frame goes with the archive, or when it is closed. */
export async function replay(archive: Archive, element: FrameHost, { url, captured, title = "Archived page", onChange, origins = originsBelow(newSalt()) }: ReplayAsked): Promise<ReplayFrame> {
  const running = await Replay.over(archive, { origins });
  const frame: ReplayFrame = new ReplayFrame(running, element, { title, onChange: () => onChange?.(frame) });
  archive.onClose(() => frame.close());
  await frame.go(url, captured);
  return frame;
}
