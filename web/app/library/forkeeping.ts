/** Archives opened so that they can be kept: by the library, or before it is there where nothing can be in it yet. */
import { ArchiveError, type Archive } from "stackroom";

import type { OpenArchive, Opening, Source } from "../state.js";
import { readSetting } from "./settings.js";

/** Those that are open so. */
export const keepable = new WeakSet<Archive>();

/** Without its part for keys an archive can be read and not kept. */
const withoutTools: ReadonlySet<string> = new Set(["open/needs-tools", "engine/not-loaded"]);

export async function openForKeeping(openArchive: OpenArchive, source: Source, options: Opening): Promise<Archive> {
  try {
    const archive = await openArchive(source, { ...options, isForKeeping: true, withDocuments: true, workers: "auto" });
    keepable.add(archive);
    return archive;
  } catch (error) {
    if (error instanceof ArchiveError && withoutTools.has(error.code)) return openArchive(source, options);
    throw error;
  }
}

/** Nothing was in the library when it was last looked at, so that what is opened need not wait for it. */
export const isNothingKept = (): boolean => readSetting("kept") === undefined && readSetting("keep") !== "off";
