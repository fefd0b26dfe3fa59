// Dictionaries of the module, over files that answer at once. For Node and pages.

import { layoutOf } from "./layouts.js";
import { numbers, strings } from "./strings.js";

const DONE = 0;
const MISSING = 1;
const NONE = 0xffffffff;
const PUSHED_AT_ONCE = 20_000;
const PART_BYTES = 4 << 20;

/** Writes a dictionary of the strings from number `first` on; `write(bytes, at)` takes it in. */
export function make({ DictionaryBuilder }, layout, { first = 0, count, isAscii = false, pageBytes = 0 }, write) {
  const { kind, each } = layoutOf(layout);
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const builder = new DictionaryBuilder(kind, each, salt, pageBytes);
  for (let from = 0; from < count; from += PUSHED_AT_ONCE) {
    builder.push(strings(numbers(first + from, Math.min(PUSHED_AT_ONCE, count - from)), isAscii).bytes);
  }
  const length = builder.finish();
  for (let at = 0; at < length; at += PART_BYTES) write(builder.part(at, at + PART_BYTES), at);
  builder.free();
  return length;
}

/** `files`: what reads each file, by the number of its dictionary: `read(into, { at })`, `getSize()`. */
export class Open {
  reads = 0;
  #inner;
  #files = [];

  constructor({ Dictionaries }, cacheBytes) {
    this.#inner = new Dictionaries(cacheBytes);
    this.memory = Dictionaries.memory();
  }

  open(number, file) {
    this.#files[number] = file;
    this.#inner.open(number, file.getSize());
    for (let state = MISSING; state !== DONE; ) {
      state = this.#provide(file);
      if (state !== DONE && state !== MISSING) throw new Error(`dictionary ${number} is damaged`);
    }
  }

  /** Ids of strings, each of which is after its length. */
  ids(number, asked) {
    this.#ask(number, asked);
    this.#run(number, "ids");
    return new Uint32Array(this.memory.buffer, this.#inner.answers(), this.#inner.answers_bytes() / 4);
  }

  /** Strings of ids, each after its length. */
  strings(number, ids) {
    this.#ask(number, new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
    this.#run(number, "strings");
    return new Uint8Array(this.memory.buffer, this.#inner.answers(), this.#inner.answers_bytes());
  }

  /** Bytes of memory besides pages, and of pages. */
  resident(number) {
    return this.#inner.resident(number);
  }

  get pagesResident() {
    return this.#inner.pages_resident();
  }

  free() {
    this.#inner.free();
  }

  #ask(number, bytes) {
    const at = this.#inner.desk(bytes.length);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    this.#inner.ask(number, bytes.length);
  }

  #run(number, what) {
    for (;;) {
      const state = this.#inner[what]();
      if (state === DONE) return;
      if (state !== MISSING) throw new Error(`dictionary ${number} is damaged`);
      this.#provide(this.#files[number]);
    }
  }

  #provide(file) {
    this.reads += 1;
    const length = this.#inner.missing_length();
    // First: room for it may move the memory.
    const landing = this.#inner.landing();
    const into = new Uint8Array(this.memory.buffer, landing, length);
    return this.#inner.provide(file.read(into, { at: this.#inner.missing_offset() }));
  }
}

export const isNone = (id) => id === NONE;
