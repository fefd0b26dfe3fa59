/** What is told of a whole file in lines: of each record, or of what is wrong. Loaded when it is asked for. */

import { firstBytes } from "./collection.js";
import { noMember } from "./errors.js";
import type { ToolsExports } from "./module.js";
import type { CheckItem, NamedRef } from "./protocol.js";
import { Breath, STEP_BYTES, pump } from "./pump.js";
import { proven, type Unproven } from "./signatures.js";
import type { Source } from "./source.js";

/** A file that is read in full, or a member of it. */
export type WholeRequest = NamedRef & { readonly isAlwaysNamed: boolean; readonly member?: string | undefined };

const PROGRESS_MS = 100;

/** What is wrong with its signatures comes last. */
export async function* told(tools: ToolsExports, source: Source, request: WholeRequest, isOfProblems: boolean, signal: AbortSignal): AsyncGenerator<CheckItem, void, undefined> {
  const { name, isAlwaysNamed, member } = request;
  const start = await firstBytes(source, signal);
  const reader = new tools.Telling(start, source.size, name, isAlwaysNamed, isOfProblems);
  try {
    if (member !== undefined) reader.choose_part(member);
    const breath = new Breath();
    let [last, bytes, toldAt] = [0, 0, -PROGRESS_MS];
    for await (const position of pump(source, reader, signal)) {
      const lines = reader.take();
      if (lines !== "") yield { kind: "lines", lines };
      await breath.take();
      // Files that begin with their end are read to and fro: what counts is what was read, not where.
      if (position > last && position - last <= STEP_BYTES) bytes += position - last;
      last = position;
      if (performance.now() - toldAt < PROGRESS_MS) continue;
      toldAt = performance.now();
      const bytesTotal = source.size;
      yield { kind: "progress", progress: bytesTotal === undefined ? { bytes } : { bytes: Math.min(bytes, bytesTotal), bytesTotal } };
    }
    if (!reader.has_found_part()) throw noMember(member ?? "");
    for (let line = reader.take_signature(); line !== undefined; line = reader.take_signature()) {
      const { file, is_valid: isValid, words } = await proven(JSON.parse(line) as Unproven, async () => tools);
      if (isValid === false) reader.refuse(file, words);
    }
    reader.conclude();
    const lines = reader.take();
    if (lines !== "") yield { kind: "lines", lines };
  } finally {
    reader.free();
  }
}
