/** Captures by URL, asked of the engine's rows. */
import type { Archive, RecordRow } from "../lib/index.js";
import type { How, Nearest, Table } from "./lookup.js";

export class ScanTable implements Table {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async captures(url: string, how: How, { captured, isOfRequests }: Nearest): Promise<RecordRow[]> {
    if (how !== "same" || isOfRequests === true) return [];
    const bare = url.replace(/^www\./, "");
    const forms = ["https://", "http://"].flatMap((scheme) => [`${scheme}${bare}`, `${scheme}www.${bare}`]);
    const rows = await Promise.all(forms.map((form) => this.#archive.nearest(form, captured)));
    const away = (row: RecordRow): number => (captured === undefined ? 0 : Math.abs((row.captured ?? Infinity) - captured));
    return rows.filter((row) => row !== undefined).sort((a, b) => away(a) - away(b));
  }
}
