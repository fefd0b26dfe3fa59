/** SHA-256 of short texts, at once: what the browser has answers later. */

const firstPrimes: number[] = [];
for (let number = 2; firstPrimes.length < 64; number += 1) {
  if (firstPrimes.every((prime) => number % prime !== 0)) firstPrimes.push(number);
}
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const start = firstPrimes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const rounds = firstPrimes.map((prime) => fraction(Math.cbrt(prime)));

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  bytes.forEach((byte, at) => blocks.setUint8(at, byte));
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  const state = Int32Array.from(start);
  const words = new Int32Array(64);
  for (let block = 0; block < blocks.byteLength; block += 64) {
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let at = 0; at < 64; at += 1) {
      if (at < 16) words[at] = blocks.getInt32(block + at * 4);
      else {
        const [near, far] = [words[at - 2] ?? 0, words[at - 15] ?? 0];
        words[at] =
          (words[at - 16] ?? 0) + (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) +
          (words[at - 7] ?? 0) + (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10));
      }
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (words[at] ?? 0)) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = (state[at] ?? 0) + word));
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => out.setInt32(at * 4, word));
  return new Uint8Array(out.buffer);
}
