/** Time runs from the capture on, and what is random is the same on every replay. */

import { config } from "./config.js";
import { construct, method, prototypeOf, put } from "./natives.js";
import { sha256 } from "./sha256.js";

/** Bits as of Tommy Ettinger's mulberry32: even enough for pages. */
function generator(seed: string): () => number {
  let state = new DataView(sha256(new TextEncoder().encode(seed)).buffer).getUint32(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

export function lieAboutTime(): void {
  const next = generator(config.seed);
  put(Math, "random", new Proxy(Math.random, { apply: () => next() / 2 ** 32 }));
  const bytes = generator(`${config.seed} crypto`);
  const fill = (view: ArrayBufferView): void => new Uint8Array(view.buffer, view.byteOffset, view.byteLength).forEach((_, at, all) => (all[at] = bytes()));
  method(prototypeOf("Crypto"), "getRandomValues", (call, args) => {
    // The native looks at what it is given first, and throws what it throws.
    const view = call(args) as ArrayBufferView;
    fill(view);
    return view;
  });
  method(prototypeOf("Crypto"), "randomUUID", () => {
    const id = new Uint8Array(16);
    fill(id);
    id[6] = ((id[6] ?? 0) & 15) | 64;
    id[8] = ((id[8] ?? 0) & 63) | 128;
    return Array.from(id, (byte) => byte.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  });
  if (config.time === 0) return;
  const Native = Date;
  const { now } = Date;
  const behind = config.time - now();
  const archived = (): number => now() + behind;
  put(Native, "now", new Proxy(now, { apply: archived }));
  const value: DateConstructor = new Proxy(Native, {
    apply: () => new Native(archived()).toString(),
    construct: (target, args: unknown[], newTarget): object => construct(target, args.length === 0 ? [archived()] : args, newTarget === value ? target : newTarget) as object,
  });
  put(globalThis, "Date", value);
  put(Native.prototype, "constructor", value);
  method(Intl.DateTimeFormat.prototype, "formatToParts", (call, args) => call(args[0] === undefined ? [archived()] : args));
}
