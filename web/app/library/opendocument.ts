/** What the open record says, asked once when it is opened. */
import type { KeptDocument, SharedIndex } from "stackroom/library";

export class OpenDocument {
  readonly #onChange: () => void;
  #index: SharedIndex | undefined;
  #row = -1;
  #found: KeptDocument | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  of(index: SharedIndex | undefined, row: number): KeptDocument | undefined {
    if (index !== this.#index || row !== this.#row) {
      this.#index = index;
      this.#row = row;
      this.#found = undefined;
      if (index !== undefined) void this.#read(index, row);
    }
    return this.#found;
  }

  /** What is known of a record before it is asked for. */
  know(index: SharedIndex | undefined, found: KeptDocument): void {
    this.#index = index;
    this.#row = found.record.row;
    this.#found = found;
  }

  async #read(index: SharedIndex, row: number): Promise<void> {
    // Without it the record is there all the same.
    const found = await index.documentOf(row).catch(() => undefined);
    if (found === undefined || index !== this.#index || row !== this.#row) return;
    this.#found = found;
    this.#onChange();
  }
}
