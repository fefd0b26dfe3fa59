/** Time runs from the capture on, and what is random is the same on every replay. */

import { config } from "./config.js";
import { method, onCall, prototypeOf, put } from "./natives.js";
import { sha256 } from "./sha256.js";
import { apply, bare, bytesOf, construct, lengthOf, realNow, utf8 } from "./taken.js";

const { imul } = Math;
const Uint8 = Uint8Array;
const digits = "0123456789abcdef";

/** Bits as of Tommy Ettinger's mulberry32: even enough for pages. */
function generator(seed: string): () => number {
  let state = new DataView(sha256(utf8(seed)).buffer).getUint32(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

export function lieAboutTime(): void {
  const next = generator(config.seed);
  put(Math, "random", new Proxy(Math.random, onCall(() => next() / 2 ** 32)));
  const bytes = generator(`${config.seed} crypto`);
  const fill = (view: ArrayBufferView): void => {
    const all = bytesOf(view);
    const count = lengthOf(all);
    for (let at = 0; at < count; at += 1) all[at] = bytes();
  };
  method(prototypeOf("Crypto"), "getRandomValues", (call, args) => {
    // The native looks at what it is given first, and throws what it throws.
    const view = call(args) as ArrayBufferView;
    fill(view);
    return view;
  });
  method(prototypeOf("Crypto"), "randomUUID", () => {
    const id = new Uint8(16);
    fill(id);
    id[6] = ((id[6] ?? 0) & 15) | 64;
    id[8] = ((id[8] ?? 0) & 63) | 128;
    let written = "";
    for (let at = 0; at < 16; at += 1) {
      const byte = id[at] ?? 0;
      written += (at === 4 || at === 6 || at === 8 || at === 10 ? "-" : "") + digits[byte >> 4] + digits[byte & 15];
    }
    return written;
  });
  if (config.time === 0) return;
  const Native = Date;
  const { toString } = Native.prototype;
  const behind = config.time - realNow();
  const archived = (): number => realNow() + behind;
  put(Native, "now", new Proxy(realNow, onCall(archived) as ProxyHandler<() => number>));
  const value: DateConstructor = new Proxy(Native, bare<ProxyHandler<DateConstructor>>({
    apply: () => apply(toString, new Native(archived()), []),
    construct: (target, args: unknown[], newTarget): object => construct(target, args.length === 0 ? [archived()] : args, newTarget === value ? target : newTarget) as object,
  }));
  put(globalThis, "Date", value);
  put(Native.prototype, "constructor", value);
  method(Intl.DateTimeFormat.prototype, "formatToParts", (call, args) => call(args[0] === undefined ? [archived()] : args));
}
