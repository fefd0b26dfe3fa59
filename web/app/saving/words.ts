/** Every sentence of the dialog that saves records. */

const english = {
  title: "Save records",
  which: "Records",
  selected: (count: string) => `The selected ones (${count})`,
  listed: (count: string) => `All that are listed (${count})`,
  form: "As",
  forms: {
    "warc.gz": { name: "WARC, compressed", what: "The records as they are in the archive, byte for byte; those of HAR and other files are made WARC records." },
    warc: { name: "WARC", what: "The same without compression." },
    cdxj: { name: "CDXJ index", what: "Where each capture lies, for other web-archive programs." },
    csv: { name: "CSV table", what: "A row for each record, for spreadsheets." },
    json: { name: "JSON", what: "A list with an object for each record, for programs." },
    zip: { name: "Files in a ZIP", what: "What each record holds, decoded, in a folder for each host." },
  },
  start: "Save",
  stop: "Stop",
  cancel: "Cancel",
  gathering: (count: string) => `Looking the records up: ${count}`,
  working: (done: string, total: string) => `${done} of ${total} records`,
  bytes: (size: string) => `${size} written`,
  saved: (name: string, count: string, size: string) => `Saved ${name}: ${count}, ${size}`,
  records: (count: string, isOne: boolean) => (isOne ? `${count} record` : `${count} records`),
  stopped: "Saving was stopped. Nothing was kept.",
  failed: (why: string) => `Saving failed: ${why}`,
  problems: (count: string, isOne: boolean) => (isOne ? `${count} record is incomplete or could not be read.` : `${count} records are incomplete or could not be read.`),
  stillReading: "The archive is still being read: what was found so far is saved.",
  columns: ["url", "captured", "status", "media type", "type", "bytes", "file", "offset", "length"],
};

export type Words = typeof english;

export const words: Words = english;
