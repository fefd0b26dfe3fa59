/** The package in browsers. */
import { connect, connectReader, hire } from "./connection.js";
import { listHandle } from "./folder.js";
import { opener, referTo } from "./open.js";

export const { openArchive, reopenArchive, inspectArchive, checkArchive, readRecord, surt, cutRecords, checkQuery } = opener(connect, referTo, listHandle, connectReader, hire);

export { startAhead } from "./connection.js";
export { Archive } from "./archive.js";
export { archiveOver } from "./line.js";
export type { ArchiveLine, CutRowsOptions, FilterOptions, ReadOptions, RecordPlace, SignalOption } from "./archive.js";
export { ArchiveError } from "./errors.js";
export type { ArchiveSource, CheckOptions, CollectionSource, CutOptions, FolderSource, InspectOptions, KeptRecords, MemberOption, NamedSource, OpenOptions, ReopenOptions } from "./open.js";
export { VERSION } from "./protocol.js";
export type * from "./shapes.js";
export type { View } from "./view.js";
