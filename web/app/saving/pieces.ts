/** A stream, piece by piece: not every browser has streams that can be gone through. */
export async function* pieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value as Uint8Array<ArrayBuffer>;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
