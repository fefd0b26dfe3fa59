/**
 * Scripts that pages make of text while they run: no edit has seen them. A scope around such a text gives it the `location`
 * and `top` of the archived page, and where these are asked of a window by one of its usual names the text is changed.
 * Scripts are edited to ask for `eval` by `__wa$eval`, and where it reads names around it for its text by `__wa$E`.
 */

import { methodArgs, onCall, put, tell } from "./natives.js";
import { fixed, go, ownLocation } from "./location.js";
import { isPage, replayTop } from "./place.js";
import { apply, bare, begins, construct, create, cut, fits, getPrototypeOf, NativeFunction, replaced, text } from "./taken.js";

const BEGIN = "with(__wa$S){";
/** One of both by itself: neither a property, nor a key, nor a text. */
const NAMED = /(?<![\w$.'"-])(?:location|top)(?![\w$'":-])/;
const ASKED = /(?<![\w$.])(?:window|self|document|top|parent|this)(?=\.(?:location|top)\b)/g;
/** What a script declares for the scripts after it, which could not see it behind a scope. */
const DECLARED = /^(?:let|const)\b/gm;

/** The same text as what runs in place of it. */
export function scoped(code: string): string {
  if (!isPage || begins(code, BEGIN)) return code;
  const asked = replaced(code, ASKED, (found) => `__wa$L(${found[0]})`);
  return fits(NAMED, code) ? `${BEGIN}${asked}\n}` : asked;
}

/** The text of a script of that type. */
export const scopedScript = (code: string, type: string): string =>
  fits(/^$|(?:java|ecma)script/i, type) ? scoped(fits(NAMED, code) ? replaced(code, DECLARED, () => "var") : code) : code;

const scopedCode = (code: unknown): unknown => (typeof code === "string" ? scoped(code) : code);

/** Many a script is told what it is when it has its text: a module takes no scope. */
export function retype(element: object): void {
  const script = element as HTMLScriptElement;
  const code = text(script.text);
  if (begins(code, BEGIN)) script.text = cut(code, BEGIN.length, -2);
}

type Maker = new (...texts: string[]) => () => unknown;
const { toString } = NativeFunction.prototype;

/** Calls of what makes functions of text. */
function mapMaker(example: () => unknown): void {
  const owner = getPrototypeOf(example) as { constructor: Maker };
  const native = owner.constructor;
  const make = (args: unknown[]): unknown => {
    const made = construct(native, args) as () => unknown;
    const code = `return ${apply(toString, made, [])}`;
    const inScope = scoped(code);
    return inScope === code ? made : apply(new NativeFunction(inScope) as () => unknown, globalThis, []);
  };
  const value: Maker = new Proxy(native, bare({
    apply: (_: Maker, __: unknown, args: unknown[]) => make(args),
    construct: (target: Maker, args: unknown[], newTarget: Maker) => (newTarget === value ? make(args) : construct(target, args, newTarget)) as object,
  }));
  put(owner, "constructor", value);
  if ((native as unknown) === NativeFunction) put(globalThis, "Function", value);
}

export function mapCode(): void {
  const scope = create(null) as object;
  tell(scope, "location", () => ownLocation, go);
  tell(scope, "top", () => replayTop, () => {});
  const { eval: native } = globalThis;
  fixed("__wa$S", scope);
  fixed("__wa$E", scopedCode);
  fixed("__wa$eval", new Proxy(native as () => unknown, onCall((_, args) => apply(native, globalThis, [scopedCode(args[0]) as string]))));
  if (!isPage) return;
  for (const example of [() => 0, async () => 0, function* () {}]) mapMaker(example);
  for (const name of ["setTimeout", "setInterval"]) methodArgs(globalThis, name, (args) => void (args[0] = scopedCode(args[0])));
}
