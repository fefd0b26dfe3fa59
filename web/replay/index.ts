/** Archived pages as they were, in browsers, `stackroom/replay`: each archived host on an origin of its own, away from the page that shows it. */

export { Replayer } from "./calls.js";
export type { Entry } from "./journal.js";
export { ReplayFrame, type Shown, type Visit } from "./frame.js";
export { newSalt, originsBelow, originsOf, type Origins, type ReplaySetting } from "./origins.js";
export { FRAME_SANDBOX, sandboxOf } from "./policy.js";
export { areReachable, firstReachable, stand, type Frame, type FrameHost, type Standing } from "./reachable.js";
export { Replay, type ReplayOptions } from "./replay.js";
export { replay, type ReplayAsked } from "./show.js";
