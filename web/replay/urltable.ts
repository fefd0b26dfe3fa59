/** Captures by URL: hashes of all URLs of an archive, as far as it is read by then; rows are fetched one by one as they are looked at. */

import type { Archive, ArchiveFormat, RecordRow } from "../lib/index.js";
import type { RowsByUrl } from "../lib/wasm/rewrite.js";
import type { How, Nearest, Table } from "./lookup.js";

const HOWS: readonly How[] = ["same", "alike", "below"];
const ROWS_AT_ONCE = 8192;
/** The first row mostly answers; who looks further looks at some. */
const FURTHER_AT_ONCE = 32;

export class UrlTable implements Table {
  readonly #archive: Archive;
  readonly #rows: RowsByUrl;
  /** Rows that are in the table. */
  #count = 0;
  #grown: (() => void)[] = [];
  #failure: Error | undefined;
  /** Of parts, in their order. */
  readonly #formats: ArchiveFormat[] = [];

  /** Fills the table from then on, until all of the archive is in it. */
  constructor(archive: Archive, rows: RowsByUrl) {
    this.#archive = archive;
    this.#rows = rows;
    this.#fill().catch((error: Error) => {
      this.#failure = error;
      this.#tell();
    });
  }

  async *captures(url: string, how: How, asked: Nearest): AsyncGenerator<RecordRow, void, undefined> {
    await this.#upTo(this.#archive.progress.records);
    // The scheme is not compared.
    const text = /^https?:/i.test(url) ? url : `http://${url}`;
    const seconds = asked.captured === undefined ? undefined : Math.max(0, Math.round(asked.captured / 1000));
    const found = this.#rows.find(text, HOWS.indexOf(how), seconds, asked.count, asked.isOfRequests === true);
    for (let at = 0; at < found.length; at += at === 0 ? 1 : FURTHER_AT_ONCE) {
      const some = found.subarray(at, at === 0 ? 1 : at + FURTHER_AT_ONCE);
      const rows = await Promise.all(Array.from(some, (row) => this.#archive.rows(row, 1)));
      for (const row of rows.flat()) if (await this.#isHere(row)) yield row;
    }
  }

  /** Rows of an index are of records that are elsewhere. */
  async #isHere({ part = 0 }: RecordRow): Promise<boolean> {
    if (part >= this.#formats.length) this.#formats.push(...(await this.#archive.parts(this.#formats.length)).map(({ format }) => format));
    const format = this.#formats[part];
    return format !== "cdx" && format !== "cdx.gz";
  }

  async #fill(): Promise<void> {
    for await (const { rows, count } of this.#archive.packedRows(ROWS_AT_ONCE)) {
      if (!this.#rows.add(rows)) throw new Error("The engine's rows cannot be read.");
      this.#count += count;
      this.#tell();
    }
  }

  async #upTo(count: number): Promise<void> {
    while (this.#count < count) {
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => this.#grown.push(resolve));
    }
  }

  #tell(): void {
    const waiting = this.#grown;
    this.#grown = [];
    for (const wake of waiting) wake();
  }
}
