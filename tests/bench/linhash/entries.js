// Entries that a benchmark puts and gets: made ahead, so that making them is no part of any figure. For Node and pages.

/** Every number once, in no order: odd factors have an inverse modulo 2^32. */
const spread = (n) => Math.imul(n + 1, 0x9e3779b1) >>> 0;

/** Entry `n`: its number stands in the first four bytes of key and value, spread; the rest follows from it. */
function bytesOf(n, size) {
  const bytes = new Uint8Array(size);
  let word = spread(n);
  for (let at = 0; at < size; at += 4) {
    for (let byte = 0; byte < 4 && at + byte < size; byte++) bytes[at + byte] = word >>> (8 * byte);
    word = Math.imul(word ^ (word >>> 15), 0x85ebca6b) >>> 0;
  }
  return bytes;
}

/** Records that compress and repeat no more than bodies of archives do would cost more to make than to store. */
function large(n, size, filling) {
  const bytes = filling.slice(n % 64, (n % 64) + size);
  new DataView(bytes.buffer).setUint32(0, spread(n), true);
  return bytes;
}

const SMALL_BYTES = 1_000;

/** `value(n)` makes large ones anew each time, lest all of them lie in memory. */
export function entries(count, keyBytes, valueBytes) {
  const keys = Array.from({ length: count }, (_, n) => bytesOf(n, keyBytes));
  if (valueBytes <= SMALL_BYTES) {
    const values = valueBytes === keyBytes ? keys : Array.from({ length: count }, (_, n) => bytesOf(n, valueBytes));
    return { count, keys, valueBytes, value: (n) => values[n] };
  }
  const filling = bytesOf(count, valueBytes + 64);
  return { count, keys, valueBytes, value: (n) => large(n, valueBytes, filling) };
}

/** Whether this is the value of entry `n`, by its length and its number. */
export function isValue(value, n, { valueBytes }) {
  if (value?.length !== valueBytes) return false;
  const word = spread(n);
  return value[0] === (word & 255) && value[1] === ((word >>> 8) & 255) && value[2] === ((word >>> 16) & 255) && value[3] === word >>> 24;
}

/** The numbers below `count` in a random order that is the same each time. */
export function shuffled(count) {
  const order = Uint32Array.from({ length: count }, (_, n) => n);
  let state = 12345;
  for (let n = count - 1; n > 0; n--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (n + 1));
    [order[n], order[other]] = [order[other], order[n]];
  }
  return order;
}
