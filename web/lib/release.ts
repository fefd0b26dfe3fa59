/** A line without another end: what is handed over to it is gone. */
let nowhere: MessagePort | undefined;

/**
 * Gives the memory of bytes back that nobody reads any more: as garbage, large buffers wait until there are some dozen MB
 * of them in every thread. Bytes that share their buffer stay. (`ArrayBuffer.transfer(0)` would keep what came in a
 * message until Chromium's other collector runs, and nothing makes it run.)
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength !== buffer.byteLength || byteLength === 0) return;
  if (!nowhere) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    nowhere = port1;
  }
  nowhere.postMessage(null, [buffer as ArrayBuffer]);
}
