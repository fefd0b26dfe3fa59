/** ZipNum clusters as one file of rows: their blocks lie in files beside the index. Never loaded in a browser. */

import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clusterRows, type IndexHost } from "./indexes.js";
import type { NamedRef } from "./protocol.js";
import type { InspectedDamage } from "./shapes.js";

/** The rows of a cluster, on disk until they are released. */
export interface Spread {
  readonly path: string;
  /** No block could be read. */
  readonly isEmpty: boolean;
  readonly damages: readonly InspectedDamage[];
  release(): Promise<void>;
}

/** Writes down the rows of the cluster of which this is the index; nothing where it is no such index. */
export async function spread(host: IndexHost, index: NamedRef, signal: AbortSignal | undefined): Promise<Spread | undefined> {
  const damages: InspectedDamage[] = [];
  const rows = await clusterRows(host, index, { signal, onDamage: (damage) => damages.push(damage) });
  if (!rows) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "stackroom-"));
  const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, "rows");
  let isEmpty = true;
  try {
    const file = await open(path, "w");
    try {
      for await (const piece of rows) {
        isEmpty = false;
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { path, isEmpty, damages, release };
}
