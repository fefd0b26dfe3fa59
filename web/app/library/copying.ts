/** A copy of the open archive, on its way into the browser or there. */
import { type SharedLibrary } from "stackroom/library";

import type { Source } from "../state.js";
import { isAbort, troubleOf, type Trouble } from "../trouble.js";

/** Firefox and Chromium write files as they come; where a browser does not, there is nothing to offer. */
export const canCopy = typeof FileSystemFileHandle === "function" && "createWritable" in FileSystemFileHandle.prototype;

export class Copying {
  readonly id: number;
  bytes = 0;
  readonly total: number | undefined;
  readonly #abort = new AbortController();

  constructor(id: number, total: number | undefined) {
    this.id = id;
    this.total = total;
  }

  /** What went wrong; nothing where all is well, or it was stopped. */
  async run(library: SharedLibrary, source: Source, onProgress: () => void): Promise<Trouble | undefined> {
    const sources = source instanceof URL ? [{ source, name: source.pathname.split("/").pop() ?? "" }] : source.map(({ source: file, name }) => ({ source: file, name }));
    let share = "";
    try {
      await library.copy(this.id, sources, {
        signal: this.#abort.signal,
        onProgress: ({ bytes }) => {
          this.bytes = bytes;
          if (share === this.share) return;
          share = this.share;
          onProgress();
        },
      });
      return undefined;
    } catch (error) {
      return isAbort(error) ? undefined : troubleOf(error);
    }
  }

  /** In percent, where it is known how much there is. */
  get share(): string {
    return this.total === undefined || this.total === 0 ? "" : String(Math.min(100, Math.floor((this.bytes / this.total) * 100)));
  }

  stop(): void {
    this.#abort.abort();
  }
}
