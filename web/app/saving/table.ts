/** Records as a table that spreadsheets read: RFC 4180, in UTF-8 with a mark. */
import type { RecordRow } from "stackroom";

import { words } from "./words.js";

/** What a spreadsheet would take for a formula: archived text must not become one. */
const formula = /^[=+\-@\t\r]/;

function cell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly string[]): string => `${cells.map(cell).join(",")}\r\n`;

function cells(row: RecordRow, file: string): string[] {
  const captured = row.captured === undefined ? "" : new Date(row.captured).toISOString();
  return [row.url, captured, String(row.status ?? ""), row.mime ?? "", row.type, String(row.size), file, String(row.offset), String(row.length)];
}

export async function* table(rows: AsyncIterable<readonly RecordRow[]>, fileOf: (row: RecordRow) => string, onProgress: (count: number) => void): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(`\ufeff${line(words.columns)}`);
  let count = 0;
  for await (const some of rows) {
    yield encoder.encode(some.map((row) => line(cells(row, fileOf(row)))).join(""));
    count += some.length;
    onProgress(count);
  }
}
