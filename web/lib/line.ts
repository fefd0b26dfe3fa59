/** An archive that is open in another thread, read over the line that it handed out: the same rows and records, nothing that changes it. */

import { Archive, type ArchiveLine } from "./archive.js";
import { abortError, notOpen } from "./errors.js";
import { Client, type Port } from "./port.js";

/** What a line says when its archive is closed ends this one too. */
export async function archiveOver({ name, port, ending }: ArchiveLine): Promise<Archive> {
  const client = new Client(port as Port);
  const close = (): void => {
    client.close(abortError());
    port.close();
    ending.close();
  };
  ending.onmessage = close;
  const items = client.stream("follow", {});
  const first = await items.next();
  if (first.done || first.value.kind !== "opened") throw notOpen();
  const archive = new Archive(name, first.value.format, { client, close }, () => Promise.reject(notOpen()), items);
  ending.onmessage = () => void archive.close();
  // Who asks for rows at once is to know how many there are.
  await new Promise<void>((resolve) => {
    archive.onProgress(() => resolve());
    archive.indexed.catch(() => resolve());
  });
  return archive;
}
