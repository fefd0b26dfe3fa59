/**
 * Records of an open archive, asked what no index knows of them: read one after another, file after file, neighbours
 * together. Loaded when it is first needed.
 */

import type { Collection } from "./collection.js";
import { isAbort } from "./errors.js";
import { Rows } from "./filerows.js";
import type { ToolsExports } from "./module.js";
import { Breath, pump } from "./pump.js";

/** What `Examination` says where it is not known what a record has. */
const UNREAD = 2;

/** Rows in their order; they come back each with what came of it. Those of a file that cannot be read come as unread. */
export async function* examine(collection: Collection, { Examination }: ToolsExports, query: string, wanted: Float64Array, signal: AbortSignal): AsyncGenerator<Uint32Array, void, undefined> {
  const { index } = collection;
  const left = new Set(wanted);
  const breath = new Breath();
  const rows = new Rows(collection, ranges(wanted));
  const told = (outcomes: Uint32Array): Uint32Array => {
    for (let at = 0; at < outcomes.length; at += 2) left.delete(outcomes[at] ?? 0);
    return outcomes;
  };
  for (let file = rows.nextFile(); file; file = rows.nextFile()) {
    const examination = new Examination(query);
    const picker = { pick: (row: number) => examination.pick(index, row), waiting: () => examination.waiting() };
    try {
      file.pick(picker);
      for await (const _ of pump(file.source, examination, signal)) {
        file.pick(picker);
        const outcomes = examination.take();
        if (outcomes.length > 0) yield told(outcomes);
        await breath.take();
      }
      yield told(examination.take());
    } catch (error) {
      if (signal.aborted || isAbort(error)) throw error;
      break;
    } finally {
      examination.free();
    }
  }
  // What was not come to cannot be read, or is not in this archive.
  if (left.size > 0) yield Uint32Array.from([...left].flatMap((row) => [row, UNREAD]));
}

/** Where rows follow each other, the first of them and how many there are. */
function ranges(rows: Float64Array): Float64Array {
  const found: number[] = [];
  for (const row of rows) {
    const [from = NaN, count = 0] = found.slice(-2);
    if (row === from + count) found[found.length - 1] = count + 1;
    else found.push(row, 1);
  }
  return Float64Array.from(found);
}
