/** Cuts records out of an archive that is open, by their rows: file after file, each read where they lie. */

import type { Collection } from "./collection.js";
import { cutRecords } from "./cut.js";
import { Rows } from "./filerows.js";
import { indexOf, type IndexHost, type Kept } from "./indexes.js";
import { parseLines } from "./lines.js";
import type { ToolsExports } from "./module.js";
import type { CutItem, CutRowsRequest } from "./protocol.js";
import { Breath, pump } from "./pump.js";
import type { CutProgress, InspectedDamage } from "./shapes.js";
import type { OpenSource } from "./source.js";

const PROGRESS_MS = 100;

export { cutRecords, cutting } from "./cut.js";

export async function* cutRows(
  collection: Collection,
  exports: ToolsExports,
  openSource: OpenSource,
  { ranges, form, version, target }: CutRowsRequest,
  signal: AbortSignal,
): AsyncGenerator<CutItem, void, undefined> {
  const rows = new Rows(collection, ranges);
  const isIndex = form === "cdxj" || form === "cdx11";
  if (isIndex) yield* indexRows(rows, exports, openSource, form, signal);
  else yield* copyRows(rows, exports, { isGzip: form === "warc.gz", version, target }, signal);
  if (rows.leftOut > 0) {
    const message = `${rows.leftOut} of the rows are of an index, and their records are elsewhere: they are left out.`;
    yield { kind: "damage", damage: { damage: "write/only-an-index", offset: 0, skipped: 0, message } };
  }
}

async function* copyRows(
  rows: Rows,
  exports: ToolsExports,
  { isGzip, version, target }: { readonly isGzip: boolean; readonly version: string; readonly target: string },
  signal: AbortSignal,
): AsyncGenerator<CutItem, void, undefined> {
  let [seen, written] = [0, 0];
  for (let file = rows.nextFile(); file; file = rows.nextFile()) {
    const { name, source, format, pick } = file;
    const options = new exports.CutOptions(isGzip, version, Math.floor(Date.now() / 1000), name, target, "", source.isNear === true);
    const cutting = exports.Cutting.of_picks(format, options);
    options.free();
    const picker = { pick: (row: number) => cutting.pick(rows.index, row), waiting: () => cutting.waiting() };
    const before = [seen, written] as const;
    for await (const item of cutRecords(source, cutting, signal, () => pick(picker))) {
      if (item.kind !== "progress") yield item;
      else {
        [seen, written] = [before[0] + item.progress.seen, before[1] + item.progress.written];
        yield progress(item.progress.bytes, seen, written);
      }
    }
  }
}

/** The lines of an index, sorted over all files. */
async function* indexRows(rows: Rows, exports: ToolsExports, openSource: OpenSource, form: "cdxj" | "cdx11", signal: AbortSignal): AsyncGenerator<CutItem, void, undefined> {
  const host: IndexHost = {
    exports: async () => exports,
    open: openSource,
    beside: () => undefined,
    keep: async (bytes) => ({ source: { kind: "blob", blob: new Blob([bytes as Uint8Array<ArrayBuffer>]) }, release: async () => undefined }),
  };
  const maker = new exports.IndexMaker(form === "cdx11");
  const runs: Kept[] = [];
  const breath = new Breath();
  let toldAt = -PROGRESS_MS;
  const keep = async (): Promise<void> => {
    const run = maker.take_run();
    if (run.length > 0) runs.push(await host.keep(run));
  };
  try {
    const picker = { pick: (row: number) => maker.pick(rows.index, row), waiting: () => maker.waiting() };
    for (let file = rows.nextFile(); file; file = rows.nextFile()) {
      const { name, source, pick } = file;
      maker.open_picks(name);
      pick(picker);
      for await (const position of pump(source, maker, signal)) {
        pick(picker);
        if (maker.is_full()) await keep();
        await breath.take();
        if (performance.now() - toldAt < PROGRESS_MS) continue;
        toldAt = performance.now();
        yield progress(position, rows.picked - maker.waiting(), rows.picked - maker.waiting());
      }
    }
    await keep();
    for (const damage of parseLines<InspectedDamage>(maker.damages())) yield { kind: "damage", damage };
    for await (const { bytes } of indexOf(host, exports, runs, form, "", { signal })) yield { kind: "bytes", bytes };
    yield progress(0, rows.picked, rows.picked);
  } finally {
    maker.free();
  }
}

const progress = (bytes: number, seen: number, written: number): CutItem => ({ kind: "progress", progress: { bytes, seen, written } satisfies CutProgress });
