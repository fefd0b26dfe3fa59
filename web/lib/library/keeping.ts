/** An archive that is open, on its way into a library: its rows go over as they are found, those that are kept already do not. */

import type { Archive } from "../archive.js";
import { ArchiveError, checkAbort, isAbort } from "../errors.js";
import type { KeptRecords } from "../open.js";
import type { ArchiveFacts, ArchiveNamed, BeginOptions, KeptArchive, KeptFile } from "./kept.js";

/** Who keeps: a library, here or in another worker. */
export interface Keeper {
  /** Begins or goes on; `count` rows are there already. */
  begin(archive: ArchiveNamed, options?: BeginOptions): Promise<{ readonly kept: KeptArchive; readonly count: number }>;
  /** Rows from a number on: how many are there now, and whether they are so many that they should be committed. */
  keep(id: number, from: number, rows: Uint8Array): Promise<{ readonly count: number; readonly isFull: boolean }>;
  /** Makes the rows that are there durable, with what is known of the archive and with a state of no more rows. */
  commit(id: number, now: ArchiveNow): Promise<KeptArchive>;
  /** Nothing more comes for now; what was not committed is forgotten. */
  leave(id: number): Promise<void>;
}

export interface ArchiveNow {
  readonly facts: ArchiveFacts;
  /** As `Archive.keptState` gives it. */
  readonly state: Uint8Array;
  /** All rows are there. */
  readonly isWhole: boolean;
}

export interface AddOptions extends BeginOptions {
  readonly source: string;
  /** By which the archive is known again where it lies elsewhere, and a change of it is noticed. */
  readonly files?: readonly KeptFile[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** When it is known to the library, and after each commit. */
  readonly onKept?: ((archive: KeptArchive) => void) | undefined;
}

/** Rows that cross from the engine at once. */
const ROWS_AT_ONCE = 2_000;

/** Resolves when the archive is indexed and all of it is kept. */
export async function keepArchive(keeper: Keeper, archive: Archive, options: AddOptions): Promise<KeptArchive> {
  for (let now = options; ; ) {
    try {
      return await attempt(keeper, archive, now);
    } catch (error) {
      // Another tab took the library over, and goes on from its last commit.
      if (!(error instanceof ArchiveError) || !MOVED.includes(error.code)) throw error;
      checkAbort(options.signal);
      now = { ...options, isAnew: false };
    }
  }
}

const MOVED: readonly string[] = ["tabs/owner-gone", "tabs/fenced", "library/not-begun"];

async function attempt(keeper: Keeper, archive: Archive, { source, files, isAnew, signal, onKept }: AddOptions): Promise<KeptArchive> {
  const { kept, count } = await keeper.begin({ source, name: archive.name, format: archive.format, ...(files && { files }) }, { isAnew });
  onKept?.(kept);
  if (kept.state === "ready") return kept;
  const commit = async (records: number, isWhole: boolean): Promise<KeptArchive> => {
    const state = await archive.keptState({ records, signal });
    const { damageCount, bytesTotal } = archive.progress;
    const told = await keeper.commit(kept.id, { facts: { damageCount, ...(bytesTotal !== undefined && { bytes: bytesTotal }) }, state, isWhole });
    onKept?.(told);
    return told;
  };
  try {
    let from = count;
    for await (const rows of archive.keyedRows(from, ROWS_AT_ONCE, { signal })) {
      checkAbort(signal);
      const { count: now, isFull } = await keeper.keep(kept.id, from, rows);
      from = now;
      if (isFull) await commit(from, false);
    }
    await archive.indexed;
    return await commit(from, true);
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
