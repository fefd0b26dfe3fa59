/** How many entries cross to the engine and back at once: numbers of 7 bits a byte, least significant first, and bytes. */

/** An entry of a scan; a long value is read by itself. */
export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
  readonly valueBytes: number;
}

/** Something that is wrong with a store: a stable code and a sentence. */
export interface Finding {
  readonly code: string;
  readonly message: string;
}

function numberBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

const SHORT_BYTES = 24;

class Packer {
  readonly bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  number(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.#at++] = (rest % 0x80) | 0x80;
    this.bytes[this.#at++] = rest;
  }

  raw(bytes: Uint8Array): void {
    const { length } = bytes;
    // Few bytes are copied before a call for many has begun.
    if (length > SHORT_BYTES) this.bytes.set(bytes, this.#at);
    else for (let n = 0; n < length; n++) this.bytes[this.#at + n] = bytes[n] ?? 0;
    this.#at += length;
  }
}

class Unpacker {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  raw(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

type Entries = readonly (readonly [key: Uint8Array, value: Uint8Array])[];

/** What entries take when they are packed. */
export function packedLength(entries: Entries): number {
  let length = 0;
  for (const [key, value] of entries) length += numberBytes(key.length) + numberBytes(value.length) + key.length + value.length;
  return length;
}

/** Packs entries into bytes of their packed length. */
export function packEntries(entries: Entries, bytes: Uint8Array): void {
  const packer = new Packer(bytes);
  for (const [key, value] of entries) {
    packer.number(key.length);
    packer.number(value.length);
    packer.raw(key);
    packer.raw(value);
  }
}

export function packKeys(keys: readonly Uint8Array[]): Uint8Array {
  const packer = new Packer(new Uint8Array(keys.reduce((sum, key) => sum + numberBytes(key.length) + key.length, 0)));
  for (const key of keys) {
    packer.number(key.length);
    packer.raw(key);
  }
  return packer.bytes;
}

/** What came of look-ups: undefined where there is no value. */
export function valuesOf(packed: Uint8Array): ({ bytes: Uint8Array; total: number } | undefined)[] {
  const values: ({ bytes: Uint8Array; total: number } | undefined)[] = [];
  for (const unpacker = new Unpacker(packed); !unpacker.isEmpty; ) {
    const total = unpacker.number();
    values.push(total === 0 ? undefined : { total: total - 1, bytes: unpacker.raw(unpacker.number()) });
  }
  return values;
}

/** The entries that a scan gave. */
export function* rowsOf(packed: Uint8Array): Generator<Row> {
  for (const unpacker = new Unpacker(packed); !unpacker.isEmpty; ) {
    const key = unpacker.raw(unpacker.number());
    const field = unpacker.number();
    const valueBytes = Math.floor(field / 2);
    yield { key, valueBytes, value: field % 2 === 0 ? unpacker.raw(valueBytes) : undefined };
  }
}

export function findingsOf(packed: Uint8Array): Finding[] {
  const findings: Finding[] = [];
  const decoder = new TextDecoder();
  for (const unpacker = new Unpacker(packed); !unpacker.isEmpty; ) {
    const [code, message] = [unpacker.raw(unpacker.number()), unpacker.raw(unpacker.number())];
    findings.push({ code: decoder.decode(code), message: decoder.decode(message) });
  }
  return findings;
}
