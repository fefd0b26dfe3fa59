/** Archived pages as they were, in browsers, `stackroom/replay`: each archived host on an origin of its own, away from the page that shows it. */

export type { Entry } from "./journal.js";
export { ReplayFrame, type Shown, type Visit } from "./frame.js";
export { areReachable, newSalt, originsBelow, type Frame, type FrameHost, type Origins } from "./origins.js";
export { FRAME_SANDBOX } from "./policy.js";
export { Replay, type ReplayOptions } from "./replay.js";
export { replay, type ReplayAsked } from "./show.js";
