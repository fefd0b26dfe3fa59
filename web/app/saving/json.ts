/** Records as a JSON list, an object in each line. What is not known of a record is left out of its object. */
import type { RecordRow } from "stackroom";

const objectOf = (row: RecordRow, file: string): object => ({
  url: row.url,
  captured: row.captured === undefined ? undefined : new Date(row.captured).toISOString(),
  status: row.status,
  mime: row.mime,
  type: row.type,
  bytes: row.size,
  file,
  offset: row.offset,
  length: row.length,
});

export async function* jsonOf(rows: AsyncIterable<readonly RecordRow[]>, fileOf: (row: RecordRow) => string, onProgress: (count: number) => void): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode("[");
  let count = 0;
  for await (const some of rows) {
    const lines = some.map((row, at) => `${count + at === 0 ? "\n" : ",\n"}${JSON.stringify(objectOf(row, fileOf(row)))}`);
    yield encoder.encode(lines.join(""));
    count += some.length;
    onProgress(count);
  }
  yield encoder.encode("\n]\n");
}
