/** What the viewer wants done in the page: it brings the script that does it, since few pages are ever asked for any. */

import { config } from "./config.js";
import { isTop, say, type Word } from "./place.js";
import { apply, NativeFunction } from "./taken.js";

/** What such a script is told. */
export interface Asked {
  readonly marks: string;
  readonly at: number;
  say(word: Word): void;
}

export function hearViewer(): void {
  if (!isTop) return;
  addEventListener("message", (event) => {
    const asked = event.data as { wa?: unknown; script?: string } | null;
    if (event.origin !== config.viewer || asked?.wa !== "do") return;
    event.stopImmediatePropagation();
    apply(new NativeFunction("__wa$asked", `${asked.script}`) as () => void, globalThis, [{ ...asked, say }] as never);
  });
}
