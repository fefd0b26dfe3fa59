/**
 * Where saved bytes go: a file that the user picks, written as the bytes come, where the browser has that; else a Blob,
 * which browsers keep on disk when it is large, and which is handed over as a download.
 */

import { handOver } from "../export.js";

export interface Target {
  readonly name: string;
  /** Gives how many bytes were written. What is broken off leaves nothing. */
  write(pieces: AsyncIterable<Uint8Array>): Promise<number>;
}

interface Picking {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

/** Asks while the click that wants it is fresh. Undefined where the user thinks better of it. */
export async function pickTarget(name: string): Promise<Target | undefined> {
  const { showSaveFilePicker } = globalThis as Picking;
  if (showSaveFilePicker === undefined) return download(name);
  try {
    return picked(await showSaveFilePicker.call(globalThis, { suggestedName: name }));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    // A frame of another site may not ask.
    return download(name);
  }
}

function picked(handle: FileSystemFileHandle): Target {
  return {
    name: handle.name,
    async write(pieces) {
      const file = await handle.createWritable();
      let bytes = 0;
      try {
        for await (const piece of pieces) {
          await file.write(piece as Uint8Array<ArrayBuffer>);
          bytes += piece.length;
        }
        await file.close();
        return bytes;
      } catch (error) {
        await file.abort().catch(() => undefined);
        throw error;
      }
    },
  };
}

function download(name: string): Target {
  return {
    name,
    async write(pieces) {
      const all = pieces[Symbol.asyncIterator]();
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await all.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await all.return?.();
        },
      });
      // No browser opens bytes of this type in place.
      const blob = await new Response(stream, { headers: { "content-type": "application/octet-stream" } }).blob();
      handOver(blob, name);
      return blob.size;
    },
  };
}
