/** Documents of an archive, read beside the engine that gathers them. Loaded when it is first needed. */

import type { SignalOption } from "./archive.js";
import type { Connection } from "./connection.js";
import type { Client } from "./port.js";
import type { DocumentLot } from "./shapes.js";

/** Lots that are read ahead of the caller: while one is read, the next one comes. */
const AHEAD = 2;

type Event = { readonly lot: DocumentLot } | { readonly found: IteratorResult<Uint8Array, void> };

/** Documents in the order of the rows, by a reader that is ended with this. */
export async function* documentsOf(engine: Client, connect: () => Promise<Connection>, { from, signal }: SignalOption & { readonly from: number }): AsyncGenerator<DocumentLot, void, undefined> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  const gathered = engine.stream("harvest", { from }, { signal: ending.signal });
  let reader: Connection | undefined;
  const reading: Promise<DocumentLot>[] = [];
  try {
    reader = await connect();
    const { client } = reader;
    const read = async (found: Uint8Array): Promise<DocumentLot> => {
      const upTo = new DataView(found.buffer, found.byteOffset).getFloat64(0, true);
      if (found.length === 8) return { documents: new Uint8Array(0), upTo };
      const documents = await client.call("readDocuments", { found }, { signal: ending.signal, transfer: [found.buffer as ArrayBuffer] });
      return { documents, upTo };
    };
    const next = (): Promise<Event> => gathered.next().then((found) => ({ found }));
    let coming: Promise<Event> | undefined = next();
    for (;;) {
      const [first] = reading;
      const waited: Promise<Event>[] = first ? [first.then((lot) => ({ lot }))] : [];
      if (coming && reading.length < AHEAD) waited.push(coming);
      if (waited.length === 0) return;
      const event = await Promise.race(waited);
      if ("lot" in event) {
        reading.shift();
        yield event.lot;
      } else if (event.found.done) {
        coming = undefined;
      } else {
        const lot = read(event.found.value);
        // It is waited for in its turn.
        lot.catch(() => {});
        reading.push(lot);
        coming = next();
        coming.catch(() => {});
      }
    }
  } finally {
    signal?.removeEventListener("abort", end);
    ending.abort();
    reader?.close();
    await engine.call("stopHarvest", {}).catch(() => {});
  }
}
