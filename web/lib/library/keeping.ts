/**
 * An archive that is open, on its way into a library: its rows go over as they are found, and its documents where it was
 * opened with them; what is kept already does not.
 */

import type { Archive } from "../archive.js";
import { ArchiveError, isAbort } from "../errors.js";
import type { KeptRecords } from "../open.js";
import { DocumentFeed, type DocumentLot } from "./feed.js";
import { Passage, ROWS_AT_ONCE, type Extent } from "./passage.js";
import type { ArchiveFacts, ArchiveNamed, BeginOptions, KeptArchive, KeptFile } from "./kept.js";

/** Who keeps: a library, here or in another worker. */
export interface Keeper {
  begin(archive: ArchiveNamed, options?: BeginOptions): Promise<Begun>;
  /** Rows from a number on: how many are there now, and whether they are so many that they should be committed. */
  keep(id: number, from: number, rows: Uint8Array): Promise<{ readonly count: number; readonly isFull: boolean }>;
  /** Documents of rows that are there; they begin with the first row, or not at all. */
  keepDocuments(id: number, lot: DocumentLot): Promise<void>;
  /** Makes the rows that are there durable, with what is known of the archive and with a state of no more rows. */
  commit(id: number, now: ArchiveNow): Promise<KeptArchive>;
  /** Nothing more comes for now; what was not committed is forgotten. */
  leave(id: number): Promise<void>;
}

/** An archive that is begun or gone on with. */
export interface Begun {
  readonly kept: KeptArchive;
  /** Rows that are there already. */
  readonly count: number;
  /** Up to which of them there are documents; undefined where none are to come. */
  readonly documentsEnd?: number | undefined;
}

export interface ArchiveNow {
  readonly facts: ArchiveFacts;
  /** As `Archive.keptState` gives it. */
  readonly state: Uint8Array;
  /** All rows are there. */
  readonly isWhole: boolean;
  /** Nothing more comes, no documents either. */
  readonly isLast: boolean;
}

export interface AddOptions extends BeginOptions {
  readonly source: string;
  /** By which the archive is known again where it lies elsewhere, and a change of it is noticed. */
  readonly files?: readonly KeptFile[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** When it is known to the library, and after each commit. */
  readonly onKept?: ((archive: KeptArchive) => void) | undefined;
}

/** Nothing is to be added to it. */
export const isComplete = ({ kept, documentsEnd }: Begun): boolean => kept.state === "ready" && documentsEnd === undefined;

/** Resolves when the archive is indexed and all of it is kept, what its pages say too; it is `ready` before that. */
export async function keepArchive(keeper: Keeper, archive: Archive, options: AddOptions): Promise<KeptArchive> {
  const feed = new DocumentFeed(archive, options.signal);
  for (let now = options; ; ) {
    try {
      const kept = await attempt(keeper, archive, feed, now);
      feed.stop();
      return kept;
    } catch (error) {
      const code = error instanceof ArchiveError ? error.code : "";
      // Another tab took the library over, and goes on from its last commit.
      if (MOVED.includes(code) && !options.signal?.aborted) {
        now = { ...options, isAnew: false };
        continue;
      }
      // It may be added anew then, with its documents.
      if (code !== "source/changed") feed.stop();
      throw error;
    }
  }
}

const NO_DOCUMENTS: DocumentLot = { from: 0, upTo: 0, documents: new Uint8Array(0) };
const MOVED: readonly string[] = ["tabs/owner-gone", "tabs/fenced", "library/not-begun"];

async function attempt(keeper: Keeper, archive: Archive, feed: DocumentFeed, { source, files, isAnew, signal, onKept }: AddOptions): Promise<KeptArchive> {
  const begun = await keeper.begin({ source, name: archive.name, format: archive.format, ...(files && { files }) }, { isAnew });
  const { kept, count, documentsEnd } = begun;
  onKept?.(kept);
  if (isComplete(begun)) return kept;
  if (documentsEnd === undefined || !archive.hasDocuments) feed.stop();
  else feed.begin(documentsEnd);
  const commit = async ({ rows, isWhole, isLast }: Extent): Promise<KeptArchive> => {
    const state = await archive.keptState({ records: rows, signal });
    const { damageCount, bytes, bytesTotal } = archive.progress;
    const facts = { damageCount, share: isWhole || !bytesTotal ? undefined : Math.min(1, bytes / bytesTotal), ...(bytesTotal !== undefined && { bytes: bytesTotal }) };
    const told = await keeper.commit(kept.id, { facts, state, isWhole, isLast });
    onKept?.(told);
    return told;
  };
  try {
    // Documents begin before the first row is durable.
    if (archive.hasDocuments && count === 0 && documentsEnd === 0) await keeper.keepDocuments(kept.id, NO_DOCUMENTS);
    return await new Passage(keeper, archive, feed, { id: kept.id, rows: count, signal, commit }).run();
  } catch (error) {
    await keeper.leave(kept.id).catch((failure: unknown) => {
      if (!isAbort(failure)) throw failure;
    });
    throw error;
  }
}

/** An archive as `reopenArchive` takes it. */
export function keptRecords(state: Uint8Array, storedRows: (from: number, count: number) => Promise<Uint8Array>): KeptRecords {
  return {
    state,
    async *rows() {
      for (let from = 0; ; from += ROWS_AT_ONCE) {
        const rows = await storedRows(from, ROWS_AT_ONCE);
        if (rows.length === 0) return;
        yield rows;
      }
    },
  };
}
