/** The package in browsers. */
import { connect, hire } from "./connection.js";
import { opener, referTo } from "./open.js";

export const { openArchive, inspectArchive, readRecord, surt } = opener(connect, referTo, hire);

export { Archive } from "./archive.js";
export type { ReadOptions, RecordPlace, SignalOption } from "./archive.js";
export { ArchiveError } from "./errors.js";
export type { ArchiveSource, OpenOptions } from "./open.js";
export { VERSION } from "./protocol.js";
export type * from "./shapes.js";
export type { View } from "./view.js";
