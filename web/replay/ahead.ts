/** What a page needs besides its archive, started while that is still being opened: the worker that replays, and the page's origin. */

import { Replayer } from "./calls.js";
import type { Origins } from "./origins.js";
import { stand, type FrameHost, type Standing } from "./reachable.js";
import { makeHosts } from "./shim/hosts.js";

export interface Ahead {
  readonly replayer: Replayer;
  /** Null where no such origin answers. */
  readonly standing: Promise<Standing | null>;
}

export function expectPage(origins: Origins, url: string, host: FrameHost): Ahead {
  const replayer = new Replayer(origins);
  replayer.expect(url);
  // The worker would tell the address too, but only when it is up.
  const address = makeHosts(origins, { protocol: "https:", host: "" }).toReplay(url);
  return { replayer, standing: address === url ? Promise.resolve(null) : stand(origins, new URL("/.wa/boot", address).href, host) };
}
