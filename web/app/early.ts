/** Runs before the viewer is there, which is a hundred times as long: starts what the address bar says is going to be needed. */
import { linked } from "./address.js";
import { startEngine, startFor, startLibrary } from "./ahead.js";
import { readSetting } from "./library/settings.js";

if (readSetting("kept") !== undefined) startLibrary().catch(() => {});
const { source, address } = linked();
if (source !== null) startEngine();
if (source !== null && address !== undefined) void startFor(source, address.url);
