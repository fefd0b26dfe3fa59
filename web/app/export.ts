/**
 * What leaves the viewer: the clipboard, and files that the user saves.
 * Saved bytes go out as application/octet-stream under a cleaned name, so that no browser opens them in place.
 */
import type { RecordDetail, RecordPart } from "stackroom";

import { decodeText } from "./content/charset.js";
import { bodyFileName, rawFileName } from "./content/filename.js";
import { visible } from "./content/visible.js";
import { formatBytes } from "./format.js";
import type { OpenRecord } from "./record.js";
import type { Store } from "./state.js";
import { isAbort } from "./trouble.js";
import { words } from "./words.js";

/** A download of these bytes. */
export function handOver(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download holds the bytes by then; the address is of no further use.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const copyBytesMax = 8_388_608;

async function copy(store: Store, text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    store.say(done);
  } catch {
    // Not a secure context, or forbidden by the browser.
    store.say(words.copyFailed);
  }
}

export async function copyUrl(store: Store, record: OpenRecord): Promise<void> {
  await copy(store, record.row.url, words.copied.url);
}

/** Both header blocks as text, the way they stand in the record. */
export function headersAsText(detail: RecordDetail): string {
  const lines = (fields: readonly (readonly [string, string])[]): string[] => fields.map(([name, value]) => `${name}: ${value}`);
  const http = detail.http === undefined ? [] : ["", detail.http.startLine, ...lines(detail.http.headers)];
  return [detail.version, ...lines(detail.warcHeaders), ...http, ""].join("\n");
}

export async function copyHeaders(store: Store, record: OpenRecord): Promise<void> {
  if (record.detail !== undefined) await copy(store, headersAsText(record.detail), words.copied.headers);
}

export async function copyText(store: Store, record: OpenRecord): Promise<void> {
  try {
    const bytes = await record.body(copyBytesMax + 1);
    const { text } = decodeText(bytes.subarray(0, copyBytesMax), record.detail?.charset);
    const isWhole = bytes.length <= copyBytesMax;
    await copy(store, text, isWhole ? words.copied.text : words.copiedPart(formatBytes(copyBytesMax)));
  } catch (error) {
    if (!isAbort(error)) store.say(words.copyFailed);
  }
}

/** Gathers a part into a Blob, which browsers keep on disk when it is large, and hands it over as a download. */
async function save(store: Store, record: OpenRecord, part: RecordPart, name: string): Promise<void> {
  const shown = visible(name, 160);
  store.say(words.saving(shown));
  try {
    const response = new Response(record.stream(part), { headers: { "content-type": "application/octet-stream" } });
    handOver(await response.blob(), name);
    store.say(words.saved(shown));
  } catch (error) {
    if (!isAbort(error)) store.say(words.saveFailed);
  }
}

export async function saveBody(store: Store, record: OpenRecord): Promise<void> {
  await save(store, record, "body", bodyFileName(record.row.url, record.row.mime));
}

export async function saveRaw(store: Store, record: OpenRecord): Promise<void> {
  await save(store, record, "raw", rawFileName(record.row.offset));
}
