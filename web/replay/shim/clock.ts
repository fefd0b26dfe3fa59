/** Time runs from the capture on, and what is random is the same on every replay. */

import { config } from "./config.js";
import { method, onCall, put } from "./natives.js";
import { sha256 } from "./sha256.js";
import { apply, bare, bytesOf, construct, lengthOf, realNow, replaced, utf8 } from "./taken.js";

const { imul } = Math;
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
  method("Crypto", "getRandomValues", (call, args) => {
    // The native looks at what it is given first, and throws what it throws.
    const view = call(args) as ArrayBufferView;
    fill(view);
    return view;
  });
  method("Crypto", "randomUUID", () =>
    // All but its version, of which 8 leaves two bits to chance.
    replaced("10000000-1000-4000-8000-100000000000", /[018]/g, (found) => digits[+found[0] ^ (bytes() & (15 >> (+found[0] / 4)))] ?? ""),
  );
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
