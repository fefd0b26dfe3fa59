/** An archive that is open, on its way into a library: its rows go over as they are found, those that are kept already do not. */

import type { Archive } from "../archive.js";
import { ArchiveError, checkAbort, isAbort } from "../errors.js";
import type { ArchiveFacts, ArchiveNamed, BeginOptions, KeptArchive, KeptFile } from "./kept.js";

/** Who keeps: a library, here or in another worker. */
export interface Keeper {
  /** Begins or goes on; `count` rows are there already. */
  begin(archive: ArchiveNamed, options?: BeginOptions): Promise<{ readonly kept: KeptArchive; readonly count: number }>;
  /** Rows from a number on: how many are there now, and whether they are so many that they should be committed. */
  keep(id: number, from: number, rows: Uint8Array): Promise<{ readonly count: number; readonly isFull: boolean }>;
  /** Makes the rows that are there durable, and what is known with them; those of an archive that is whole are all. */
  commit(id: number, facts: ArchiveFacts, isWhole: boolean): Promise<KeptArchive>;
  /** Nothing more comes for now; what was not committed is forgotten. */
  leave(id: number): Promise<void>;
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
  const facts = (): ArchiveFacts => {
    const { damageCount, bytesTotal } = archive.progress;
    return { damageCount, ...(bytesTotal !== undefined && { bytes: bytesTotal }) };
  };
  try {
    let from = count;
    for await (const rows of archive.keyedRows(from, ROWS_AT_ONCE, { signal })) {
      checkAbort(signal);
      const { count: now, isFull } = await keeper.keep(kept.id, from, rows);
      from = now;
      if (isFull) onKept?.(await keeper.commit(kept.id, facts(), false));
    }
    await archive.indexed;
    const ready = await keeper.commit(kept.id, facts(), true);
    onKept?.(ready);
    return ready;
  } catch (error) {
    await keeper.leave(kept.id).catch((failure: unknown) => {
      if (!isAbort(failure)) throw failure;
    });
    throw error;
  }
}
