/**
 * What the shim works with, taken before any script of a page has run: pages replace methods of strings, lists and maps,
 * libraries among them, and some do so to see what breaks.
 *
 * T1  After its start the shim calls nothing that it has not taken: methods by the functions here, maps by `kept`.
 * T2  Nor anything that calls such things unseen: no `for ... of`, no pattern in brackets, no spread, no `await`.
 * Both are for what runs later: tests/e2e/poison.spec.ts takes the methods away, one kind after the other.
 */

export const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
export const { create } = Object;
export const { stringify } = JSON;
export const { parse: parseDate, now: realNow } = Date;

/** Old pages have variables of that name. */
export const NativeURL = URL;
export const NativeFunction = Function;
const { canParse: parseable } = URL;
export const canParse = (url: string): boolean => apply(parseable, NativeURL, [url]);

/** As the browser makes text of what it is given. */
export const text = (value: unknown): string => `${value as string}`;

/** A method as a function of what it is called on. */
const taken = <Self, Args extends unknown[], Result>(method: unknown) => (self: Self, ...args: Args): Result => apply(method as () => Result, self, args);

export const has = taken<string, [string], boolean>("".includes);
export const begins = taken<string, [string], boolean>("".startsWith);
export const ends = taken<string, [string], boolean>("".endsWith);
/** From a place on, up to another one. */
export const cut = taken<string, [number, number?], string>("".slice);
export const trim = taken<string, [], string>("".trim);
export const lower = taken<string, [], string>("".toLowerCase);
export const placeOf = taken<string, [string], number>("".indexOf);
export const lastPlaceOf = taken<string, [string], number>("".lastIndexOf);
export const split = taken<string, [string], string[]>("".split);

const encoder = new TextEncoder();
const encode = taken<TextEncoder, [string], Uint8Array>(encoder.encode);
export const utf8 = (letters: string): Uint8Array => encode(encoder, letters);

/** What an accessor tells, as a function of what it is asked of. */
const asked = <Self, Value>(owner: object, name: string) => taken<Self, [], Value>(getOwnPropertyDescriptor(owner, name)?.get);

const typed = getPrototypeOf(Uint8Array.prototype) as object;
export const lengthOf = asked<ArrayBufferView, number>(typed, "length");
const bufferOf = asked<ArrayBufferView, ArrayBuffer>(typed, "buffer");
const startOf = asked<ArrayBufferView, number>(typed, "byteOffset");
const bytesIn = asked<ArrayBufferView, number>(typed, "byteLength");
const Uint8 = Uint8Array;
/** The bytes of numbers of whatever size. */
export const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8(bufferOf(view), startOf(view), bytesIn(view));

const isGlobal = asked<RegExp, boolean>(RegExp.prototype, "global");
const exec = taken<RegExp, [string], RegExpExecArray | null>(/x/.exec);

/** The first match, whatever was looked for before. */
export function find(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return exec(pattern, text);
}

export const fits = (pattern: RegExp, text: string): boolean => find(pattern, text) !== null;

/** The text with what a pattern finds replaced: all of it, or where it is not global the first. */
export function replaced(text: string, pattern: RegExp, by: (match: RegExpExecArray) => string): string {
  const hasMore = isGlobal(pattern);
  let out = "";
  let upTo = 0;
  for (let match = find(pattern, text); match; match = hasMore ? exec(pattern, text) : null) {
    out += cut(text, upTo, match.index) + by(match);
    upTo = match.index + match[0].length;
    // Nothing was found here: it would be found again.
    if (match[0] === "") pattern.lastIndex += 1;
  }
  return upTo === 0 ? out + text : out + cut(text, upTo);
}

const { setPrototypeOf } = Reflect;
const methodsOf = new Map([Map, Set, WeakMap, WeakSet].map(({ prototype }) => [prototype as object, create(null, Object.getOwnPropertyDescriptors(prototype)) as object]));
const getOf = taken<Map<object, object>, [object], object>(methodsOf.get);

/** A map or a set with the methods that it has at the start. */
export function kept<Kind extends object>(map: Kind): Kind {
  setPrototypeOf(map, getOf(methodsOf, getPrototypeOf(map) as object));
  return map;
}

/** Traps of a Proxy, or the fields of a property: what pages give to every object is none of them. */
export function bare<Fields extends object>(fields: Fields): Fields {
  setPrototypeOf(fields, null);
  return fields;
}

const { then } = Promise.prototype;

/** What follows a promise of the browser. */
export const after = <Value>(promise: Promise<Value>, work: (value: Value) => void): void => void apply(then, promise, [work]);

const { iterator } = Symbol;
const { values } = Array.prototype;

/** A list that the browser is to read: it asks lists how they are gone through. */
export function list<Item>(items: Item[]): Item[] {
  defineProperty(items, iterator, bare({ value: values }));
  return items;
}

/** Each in turn, of lists and of what looks like one; numbers in a buffer are gone through by their `lengthOf`. */
export function each<Item>(list: ArrayLike<Item>, work: (item: Item, at: number) => void): void {
  for (let at = 0; at < list.length; at += 1) work(list[at] as Item, at);
}
