/**
 * Ways to change what the browser offers. Natives are taken before any script of the page has run, and what is put in
 * their place is a Proxy of them: it has their name, length, prototype and text.
 */

import { apply, bare, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } from "./taken.js";

/** What a Proxy of a function does where it is called. */
export const onCall = (work: (self: object, args: unknown[]) => unknown): ProxyHandler<() => unknown> => bare({ apply: (_: unknown, self: object, args: unknown[]) => work(self, args) });

type Method = (this: unknown, ...args: unknown[]) => unknown;
/** An object, or the name of an interface whose prototype is meant; neither need be there. */
type Owner = object | string | undefined;

export const prototypeOf = (owner: Owner): object | undefined =>
  typeof owner === "string" ? (globalThis as unknown as Record<string, { prototype?: object } | undefined>)[owner]?.prototype : owner;

/** Where a property really is: what is global in a worker is on prototypes of its scope. */
function ownerOf(owner: Owner, name: string): object | undefined {
  let found = prototypeOf(owner);
  while (found && !getOwnPropertyDescriptor(found, name)) found = getPrototypeOf(found) ?? undefined;
  return found;
}

/** Changes a method: `change` gets what it was called on and with, and calls the native as it likes. */
export function method(given: Owner, name: string, change: (call: (args: unknown[]) => unknown, args: unknown[], self: object) => unknown): void {
  const owner = ownerOf(given, name);
  const native = owner && getOwnPropertyDescriptor(owner, name);
  if (!native || typeof native.value !== "function") return;
  const target = native.value as Method;
  const value = new Proxy(target, onCall((self, args) => change((other) => apply(target, self, other), args, self)));
  defineProperty(owner as object, name, { ...native, value });
}

/** A function that changes what it is called with. */
export const through = (native: () => unknown, change: (args: unknown[], self: object) => void): (() => unknown) =>
  new Proxy(native, onCall((self, args) => {
    change(args, self);
    return apply(native, self, args as []);
  }));

/** Changes the arguments of a method, in place. */
export const methodArgs = (owner: Owner, name: string, change: (args: unknown[], self: object) => void): void =>
  method(owner, name, (call, args, self) => {
    change(args, self);
    return call(args);
  });

/** Changes what an attribute of an interface tells and what is set to it. */
export function accessor(
  given: Owner,
  name: string,
  read: ((value: unknown, self: object) => unknown) | null,
  write?: ((value: unknown, self: object) => unknown) | null,
): void {
  const owner = prototypeOf(given);
  const native = owner && getOwnPropertyDescriptor(owner, name);
  if (!native?.configurable || !native.get) return;
  const { get, set } = native;
  const changed = { ...native };
  if (read) changed.get = new Proxy(get, onCall((self) => read(apply(get, self, []), self)));
  if (write && set) changed.set = new Proxy(set, onCall((self, args) => apply(set, self, [write(args[0], self)])));
  defineProperty(owner as object, name, changed);
}

/** Changes the arguments that something is constructed with; `made` may replace what was. */
export function constructor(name: string, change: (args: unknown[]) => void, made?: (object: object, args: unknown[]) => void): void {
  const native = (globalThis as unknown as Record<string, (new (...args: unknown[]) => object) | undefined>)[name];
  if (typeof native !== "function") return;
  const value: typeof native = new Proxy(native, bare({
    construct(target: typeof native, args: unknown[], newTarget: typeof native) {
      change(args);
      const object = construct(target, args, newTarget === value ? target : newTarget) as object;
      made?.(object, args);
      return object;
    },
  }));
  put(globalThis, name, value);
  if (native.prototype) put(native.prototype as object, "constructor", value);
}

export function refuse(what: string): never {
  throw new DOMException(`Archived pages may not ${what}`, "SecurityError");
}

/** A value in place of whatever was there. */
export const put = (owner: object | undefined, name: string, value: unknown): void =>
  void (owner && defineProperty(owner, name, { value, writable: true, configurable: true }));

/** An attribute that is computed, in place of whatever was there. */
export const tell = (given: Owner, name: string, get: (this: object) => unknown, set?: (value: unknown) => void): void => {
  const owner = prototypeOf(given);
  if (owner) defineProperty(owner, name, { get, set, configurable: true, enumerable: true });
};
