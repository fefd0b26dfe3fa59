/** SHA-256 of short texts, at once: what the browser has answers later. */

import { lengthOf } from "./taken.js";

const firstPrimes: number[] = [];
for (let number = 2; firstPrimes.length < 64; number += 1) {
  if (firstPrimes.every((prime) => number % prime !== 0)) firstPrimes.push(number);
}
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const start = firstPrimes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const rounds = firstPrimes.map((prime) => fraction(Math.cbrt(prime)));

const at = (words: Int32Array, idx: number): number => words[idx] as number;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

export function sha256(bytes: Uint8Array): Uint8Array {
  const count = lengthOf(bytes);
  const room = ((count + 72) >> 6) << 4;
  const blocks = new Int32Array(room);
  const put = (byte: number, idx: number): void => void (blocks[idx >> 2] = at(blocks, idx >> 2) | (byte << (24 - (idx & 3) * 8)));
  for (let idx = 0; idx < count; idx += 1) put(bytes[idx] as number, idx);
  put(0x80, count);
  blocks[room - 1] = count * 8;
  const state = new Int32Array(8);
  for (let idx = 0; idx < 8; idx += 1) state[idx] = start[idx] as number;
  for (let block = 0; block < room; block += 16) mix(state, blocks, block);
  const out = new Uint8Array(32);
  for (let idx = 0; idx < 32; idx += 1) out[idx] = at(state, idx >> 2) >>> (24 - (idx & 3) * 8);
  return out;
}

function mix(state: Int32Array, blocks: Int32Array, block: number): void {
  const words = new Int32Array(64);
  // The letters a to h of the standard; each round moves them on by one.
  const now = new Int32Array(8);
  for (let idx = 0; idx < 8; idx += 1) now[idx] = at(state, idx);
  for (let idx = 0; idx < 64; idx += 1) {
    if (idx < 16) words[idx] = at(blocks, block + idx);
    else {
      const near = at(words, idx - 2);
      const far = at(words, idx - 15);
      words[idx] =
        at(words, idx - 16) + (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) +
        at(words, idx - 7) + (turned(near, 17) ^ turned(near, 19) ^ (near >>> 10));
    }
    const a = at(now, 0);
    const b = at(now, 1);
    const c = at(now, 2);
    const e = at(now, 4);
    const one = (at(now, 7) + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & at(now, 5)) ^ (~e & at(now, 6))) + (rounds[idx] as number) + at(words, idx)) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    for (let letter = 7; letter > 0; letter -= 1) now[letter] = at(now, letter - 1);
    now[4] = at(now, 4) + one;
    now[0] = one + two;
  }
  for (let idx = 0; idx < 8; idx += 1) state[idx] = at(state, idx) + at(now, idx);
}
