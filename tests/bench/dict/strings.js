// Strings as the article's benchmark had them: 20 UTF-16 units at random, all that are no halves of pairs. Made from their
// numbers, in UTF-8, each after its length. For Node and pages.

const UNITS = 20;
const UNITS_END = 0xd800;
/** Strings of this number and above are in no dictionary. */
export const ABSENT = 0x40000000;

/** Numbers that are the same each time; none is 0. */
export function random(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** Writes string `n` and gives where it ends. `units` of ASCII where that is asked for. */
function write(bytes, at, n, isAscii) {
  // Mixed so that neighbours have nothing in common.
  let state = Math.imul(n ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) >>> 0 || 1;
  let end = at + 4;
  for (let unit = 0; unit < UNITS; unit++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const share = (state >>> 0) / 4294967296;
    // The first two and a half units tell every number apart.
    const code = isAscii ? 33 + Math.floor(share * 94) : 1 + Math.floor(share * (UNITS_END - 1));
    if (code < 0x80) bytes[end++] = code;
    else if (code < 0x800) {
      bytes[end++] = 0xc0 | (code >> 6);
      bytes[end++] = 0x80 | (code & 63);
    } else {
      bytes[end++] = 0xe0 | (code >> 12);
      bytes[end++] = 0x80 | ((code >> 6) & 63);
      bytes[end++] = 0x80 | (code & 63);
    }
  }
  const length = end - at - 4;
  for (let byte = 0; byte < 4; byte++) bytes[at + byte] = length >>> (8 * byte);
  return end;
}

const STRING_BYTES_MAX = 4 + 3 * UNITS;

/** Strings of these numbers, and where each begins. */
export function strings(numbers, isAscii = false) {
  const bytes = new Uint8Array(numbers.length * STRING_BYTES_MAX);
  const starts = new Uint32Array(numbers.length + 1);
  let end = 0;
  for (let at = 0; at < numbers.length; at++) {
    end = write(bytes, end, numbers[at], isAscii);
    starts[at + 1] = end;
  }
  return { bytes: bytes.subarray(0, end), starts };
}

/** The numbers from `from` on. */
export const numbers = (from, count) => Uint32Array.from({ length: count }, (_, n) => from + n);
